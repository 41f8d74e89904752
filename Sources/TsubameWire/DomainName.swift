// DomainName: a host that was written by itself, not in a URL.

import TsubameCore

package enum DomainName {
    /// The host as ``TargetURI/host`` has it: in lower case, in A-labels, addresses in their canonical forms. Brackets may
    /// stand around an address of IPv6. nil for what is no host.
    package static func canonical(_ host: String) -> String? {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let needsBrackets = !isBracketed && host.utf8.contains(UInt8(ascii: ":"))
        // What would end the host in a URL.
        guard !host.utf8.contains(where: { "/?#@\\".utf8.contains($0) }) else { return nil }
        return Origin("http://\(needsBrackets ? "[\(host)]" : host)")?.host
    }
}

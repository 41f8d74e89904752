// DomainName: normalises a host that was written by itself, not in a URL.

package enum DomainName {
    /// The host without the final dot of the DNS root. Both forms name the same host.
    package static func withoutRootDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }

    /// The host in the form of ``TargetURI/host``: in lower case, in A-labels, with addresses in their canonical forms.
    /// An IPv6 address may be in brackets. nil if the text is not a host.
    package static func canonical(_ host: String) -> String? {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let needsBrackets = !isBracketed && host.utf8.contains(UInt8(ascii: ":"))
        // These characters would end the host in a URL.
        guard !host.utf8.contains(where: { "/?#@\\".utf8.contains($0) }) else { return nil }
        guard needsBrackets else { return Origin("http://\(host)")?.host }
        // In a URL, the `%` before a zone is written as an escape (RFC 6874).
        let zone = host.utf8.firstIndex(of: UInt8(ascii: "%"))
        return Origin("http://[\(zone.map { "\(host[..<$0])%25\(host[host.utf8.index(after: $0)...])" } ?? host)]")?
            .host
    }
}

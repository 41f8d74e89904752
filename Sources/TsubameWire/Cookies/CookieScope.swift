// CookieScope: the comparison of hosts and paths for cookies (RFC 6265bis §5.1.2–5.1.4).

import TsubameCore

package enum CookieScope {
    /// Whether `host` is `domain` or a host below it. IP addresses have no hosts below them.
    package static func host(_ host: String, matches domain: String) -> Bool {
        if host.utf8.elementsEqual(domain.utf8) { return true }
        guard !domain.isEmpty, host.utf8.count > domain.utf8.count, !isAddress(host) else { return false }
        let start = host.utf8.suffix(domain.utf8.count + 1)
        return start.first == UInt8(ascii: ".") && start.dropFirst().elementsEqual(domain.utf8)
    }

    /// `host` and the domains above it, nearest first; for an IP address, the address alone.
    package static func domains(of host: String) -> [String] {
        var domains = [host]
        guard !isAddress(host) else { return domains }
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { domains.append(String(Substring(rest))) }
        }
        return domains
    }

    /// Whether the host is an IP address. An IPv6 address has a colon; a host whose last label is a number is IPv4
    /// (WHATWG URL, "ends in a number").
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        guard let last = labels.last else { return false }
        if last.allSatisfy({ $0.digitValue != nil }) { return true }
        return last.starts(with: "0x".utf8)
            && last.dropFirst(2).allSatisfy {
                $0.digitValue != nil || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Whether the host is `localhost`, a name below it, or a loopback address. No other machine sees such traffic,
    /// so Secure cookies are sent over http, as in browsers (W3C Secure Contexts section 3.1).
    static func isThisMachine(_ host: String) -> Bool {
        host == "::1" || host == "[::1]" || Origin.isLocalhost(host) || host.hasPrefix("127.") && isAddress(host)
    }

    /// The path for a cookie without a Path attribute: the request's path up to its last `/`.
    package static func defaultPath(of path: String) -> String {
        let path = withoutQuery(path)
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// Whether `path` is the cookie's path or a path below it: `/a` matches `/a/b` but not `/ab`.
    package static func path(_ path: String, matches cookiePath: String) -> Bool {
        let path = withoutQuery(path).utf8
        guard path.starts(with: cookiePath.utf8) else { return false }
        guard let next = path.dropFirst(cookiePath.utf8.count).first else { return true }
        return next == UInt8(ascii: "/") || cookiePath.utf8.last == UInt8(ascii: "/")
    }

    private static func withoutQuery(_ path: String) -> Substring {
        Substring(path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    }
}

// CookieKey: the name, domain, path and host-only flag that identify a cookie in a store (RFC 6265bis §5.7, step 22).

/// Keys are compared byte by byte, so texts that Unicode considers equal are different cookies.
package struct CookieKey: Sendable, Hashable {
    package let name: String
    package let domain: String
    package let path: String
    package let isHostOnly: Bool

    package init(_ cookie: Cookie) {
        name = cookie.name
        domain = cookie.domain
        path = cookie.path
        isHostOnly = cookie.isHostOnly
    }

    package static func == (first: CookieKey, second: CookieKey) -> Bool {
        first.isHostOnly == second.isHostOnly && first.name.utf8.elementsEqual(second.name.utf8)
            && first.path.utf8.elementsEqual(second.path.utf8) && first.domain.utf8.elementsEqual(second.domain.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for part in [name, domain, path] {
            hasher.combine(part.utf8.count)
            for byte in part.utf8 { hasher.combine(byte) }
        }
    }
}

/// A cookie as a store holds it, with its order of creation and use.
package struct StoredCookie: Sendable, Hashable {
    package var cookie: Cookie
    /// Counters that order cookies by creation and use. They are not times, because several cookies arrive within one
    /// second and clocks can go back.
    package var created: UInt64
    package var used: UInt64

    package init(cookie: Cookie, created: UInt64, used: UInt64) {
        self.cookie = cookie
        self.created = created
        self.used = used
    }

    func isOver(at now: Int64) -> Bool { cookie.expires.map { $0 <= now } ?? false }
}

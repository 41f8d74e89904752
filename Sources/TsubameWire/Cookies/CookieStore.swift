// The cookies of a client (RFC 6265bis §5.7, §5.8). A plain value: whoever shares it guards it.

import TsubameCore

package struct CookieStore: Sendable {
    package static let maximumPerDomain = 180
    package static let maximum = 3_000
    package static let maximumFieldLength = 8_190
    /// 400 days, in seconds.
    package static let maximumLifetime: Int64 = 400 * 86_400

    package let suffixes: PublicSuffixList
    /// Whose cookies these are, for a cache: another text once the program has removed cookies.
    package internal(set) var owner = UniqueNumber().text
    var domains: [String: [StoredCookie]] = [:]
    var counter: UInt64 = 0
    package internal(set) var count = 0
    /// What has been put in or, where it is nil, taken out since it was asked for; nil unless it is.
    var changes: [CookieKey: StoredCookie?]?
    /// What has been sent since it was asked for; nil unless it is.
    var uses: [CookieKey: UInt64]?

    package init(suffixes: PublicSuffixList = .builtIn) {
        self.suffixes = suffixes
    }

    /// All cookies, in order of creation, those whose time is over but not yet noticed among them.
    package var cookies: [Cookie] { stored.map(\.cookie) }

    /// The same with what orders them.
    package var stored: [StoredCookie] { domains.values.joined().sorted { $0.created < $1.created } }

    /// Takes one Set-Cookie field from a response of `host`, or does what the field asks: a cookie that has ended
    /// removes the one that it replaces.
    ///
    /// - Parameters:
    ///   - host: in lower case, without a port; an IDN as its A-label; brackets of IPv6 may stand.
    ///   - path: the path of the request; a query is not looked at.
    ///   - isSecure: whether the response came over a secure connection; this machine counts as one, as in browsers.
    ///   - now: seconds since 1970.
    package mutating func store(
        _ field: String, host: String, path: String, isSecure: Bool, now: Int64
    ) throws(CookieRefusal) {
        let field = try SetCookie(field)
        let host = host.lowercasedASCII
        let scope = try CookieRules.scope(of: field.domain, host: host, suffixes)
        let cookie = Cookie(
            name: field.name, value: field.value, domain: scope.domain, isHostOnly: scope.isHostOnly,
            path: field.path ?? CookieScope.defaultPath(of: path), expires: field.expiry(at: now),
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite)
        if !isSecure, !CookieScope.isThisMachine(host) {
            if cookie.isSecure { throw .secureOverHTTP }
            if hidesSecureCookie(cookie, now: now) { throw .hidesSecure }
        }
        try CookieRules.checkPromises(cookie, hasPath: field.path != nil)
        put(cookie, now: now)
    }

    /// Takes a cookie that the program itself made, or that was read from somewhere.
    package mutating func insert(_ cookie: Cookie, now: Int64) throws(CookieRefusal) {
        put(try checked(cookie), now: now)
    }

    /// The Cookie field for a request: `a=b; c=d`, longest path first, then the oldest; nil if there is none to send.
    ///
    /// It ends before the cookie with which it would pass 8,190 bytes.
    package mutating func field(
        for host: String, path: String, isSecure: Bool, now: Int64
    ) -> (text: String, leftOut: Int)? {
        guard !domains.isEmpty else { return nil }
        counter &+= 1
        let matches = take(for: host.lowercasedASCII, path: path, isSecure: isSecure, now: now, usedAt: counter)
        var field = ""
        var sent = 0
        for match in matches {
            let cookie = match.cookie
            let pair = cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
            let separator = field.isEmpty ? "" : "; "
            guard field.utf8.count + separator.utf8.count + pair.utf8.count <= Self.maximumFieldLength else { break }
            field += separator
            field += pair
            sent += 1
        }
        return matches.isEmpty ? nil : (field, matches.count - sent)
    }

    /// The cookies for a request, in the order in which they are sent; none of them counts as used.
    package mutating func cookies(for host: String, path: String, isSecure: Bool, now: Int64) -> [Cookie] {
        take(for: host.lowercasedASCII, path: path, isSecure: isSecure, now: now, usedAt: nil).map(\.cookie)
    }

    private mutating func take(
        for host: String, path: String, isSecure: Bool, now: Int64, usedAt: UInt64?
    ) -> [StoredCookie] {
        var matches: [StoredCookie] = []
        let isSecure = isSecure || CookieScope.isThisMachine(host)
        for domain in CookieScope.domains(of: host) where domains[domain] != nil {
            removeExpired(in: domain, now: now)
            for index in domains[domain]?.indices ?? 0..<0 {
                guard let entry = domains[domain]?[index], !entry.cookie.isHostOnly || domain == host,
                    isSecure || !entry.cookie.isSecure, CookieScope.path(path, matches: entry.cookie.path)
                else { continue }
                if let usedAt {
                    domains[domain]?[index].used = usedAt
                    uses?[CookieKey(entry.cookie)] = usedAt
                }
                matches.append(entry)
            }
        }
        guard matches.count > 1 else { return matches }
        return matches.sorted { first, second in
            let lengths = (first.cookie.path.utf8.count, second.cookie.path.utf8.count)
            return lengths.0 == lengths.1 ? first.created < second.created : lengths.0 > lengths.1
        }
    }

    /// Whether a cookie set over an insecure connection would overwrite a Secure one, or stand before it.
    private func hidesSecureCookie(_ new: Cookie, now: Int64) -> Bool {
        domains.contains { domain, entries in
            (CookieScope.host(domain, matches: new.domain) || CookieScope.host(new.domain, matches: domain))
                && entries.contains {
                    $0.cookie.isSecure && !$0.isOver(at: now) && $0.cookie.name.utf8.elementsEqual(new.name.utf8)
                        && CookieScope.path(new.path, matches: $0.cookie.path)
                }
        }
    }

    /// The cookie as it is kept, its domain in the one form of hosts.
    func checked(_ cookie: Cookie) throws(CookieRefusal) -> Cookie {
        try CookieRules.checkForm(cookie)
        let scope = try CookieRules.scope(of: cookie, suffixes)
        var cookie = cookie
        (cookie.domain, cookie.isHostOnly) = scope
        try CookieRules.checkPromises(cookie, hasPath: true)
        return cookie
    }
}

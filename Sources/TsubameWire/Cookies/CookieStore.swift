// CookieStore: the cookies of a jar, and the rules of RFC 6265bis §5.7 and §5.8 that decide what it stores and sends.

import TsubameCore
import TsubamePlatform

/// A plain value without a lock: code that shares a store must guard it.
package struct CookieStore: Sendable {
    package static let maximumPerDomain = 180
    package static let maximum = 3_000
    package static let maximumFieldLength = 8_190
    /// 400 days, in seconds.
    package static let maximumLifetime: Int64 = 400 * 86_400

    package let suffixes: PublicSuffixList
    /// Identifies the cookies' owner for a cache. It changes when the program removes cookies.
    package internal(set) var owner = UniqueNumber().text
    var domains: [String: [StoredCookie]] = [:]
    var counter: UInt64 = 0
    package internal(set) var count = 0
    /// The cookies put in since recording began, and nil for each cookie removed. The property is nil while nothing
    /// is recorded.
    var changes: [CookieKey: StoredCookie?]?
    /// The cookies sent since recording began, with their times of use; nil while nothing is recorded.
    var uses: [CookieKey: UInt64]?

    package init(suffixes: PublicSuffixList = .builtIn) {
        self.suffixes = suffixes
    }

    /// All cookies in order of creation. Expired cookies that were not noticed yet are included.
    package var cookies: [Cookie] { stored.map(\.cookie) }

    /// All cookies in order of creation, with the counters that order them.
    package var stored: [StoredCookie] { domains.values.joined().sorted { $0.created < $1.created } }

    /// Stores the cookie of one Set-Cookie field from a response of `host`. A cookie that has expired removes the
    /// cookie that it would replace.
    ///
    /// - Parameters:
    ///   - host: in lower case, without a port; an IDN as its A-label; an IPv6 address with or without brackets.
    ///   - path: the path of the request; a query is ignored.
    ///   - isSecure: whether the response came over a secure connection. Connections to this machine count as secure,
    ///     as in browsers.
    ///   - now: seconds since 1970.
    /// - Throws: why the cookie is not stored.
    package mutating func store(
        _ field: String, host: String, path: String, isSecure: Bool, now: Int64
    ) throws(CookieRefusal) {
        let field = try SetCookie(field)
        let host = host.lowercasedASCII
        let scope = try CookieDomain.scope(of: field.domain, host: host, suffixes)
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

    /// Stores a cookie that the program made or that was read from a file.
    /// - Throws: why the cookie is not stored.
    package mutating func insert(_ cookie: Cookie, now: Int64) throws(CookieRefusal) {
        put(try checked(cookie), now: now)
    }

    /// The Cookie field for a request, such as `a=b; c=d`: the longest path first, then the oldest cookie.
    ///
    /// The field ends before the first cookie that would take it over 8,190 bytes.
    /// - Returns: the field, and how many cookies did not fit; nil if no cookie matches.
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

    /// The cookies for a request, in the order in which they are sent. The call does not mark them as used.
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

    /// Whether a cookie set over an insecure connection would overwrite a Secure cookie or be sent before it.
    private func hidesSecureCookie(_ new: Cookie, now: Int64) -> Bool {
        domains.contains { domain, entries in
            (CookieScope.host(domain, matches: new.domain) || CookieScope.host(new.domain, matches: domain))
                && entries.contains {
                    $0.cookie.isSecure && !$0.isOver(at: now) && $0.cookie.name.utf8.elementsEqual(new.name.utf8)
                        && CookieScope.path(new.path, matches: $0.cookie.path)
                }
        }
    }

    /// The cookie as it is stored, with its domain in canonical form.
    func checked(_ cookie: Cookie) throws(CookieRefusal) -> Cookie {
        try CookieRules.checkForm(cookie)
        let scope = try CookieDomain.scope(of: cookie, suffixes)
        var cookie = cookie
        (cookie.domain, cookie.isHostOnly) = scope
        try CookieRules.checkPromises(cookie, hasPath: true)
        return cookie
    }
}

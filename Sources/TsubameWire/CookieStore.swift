// The cookies of a client (RFC 6265bis §5.7, §5.8). A plain value: whoever shares it guards it.

package struct CookieStore: Sendable {
    package static let maximumPerDomain = 180
    package static let maximum = 3_000
    package static let maximumFieldLength = 8_190
    /// 400 days, in seconds.
    package static let maximumLifetime: Int64 = 400 * 86_400

    private struct Entry {
        var cookie: Cookie
        /// Orders entries by creation and use. Not times: several cookies come in one second, and clocks go back.
        var created: UInt64
        var used: UInt64

        func isOver(at now: Int64) -> Bool {
            cookie.expires.map { $0 <= now } ?? false
        }
    }

    private var domains: [String: [Entry]] = [:]
    private var counter: UInt64 = 0
    package private(set) var count = 0

    package init() {}

    /// All cookies, in order of creation, those whose time is over but not yet noticed among them.
    package var cookies: [Cookie] {
        domains.values.joined().sorted { $0.created < $1.created }.map(\.cookie)
    }

    /// Takes one Set-Cookie field from a response of `host`, or does what the field asks: a cookie that has ended
    /// removes the one that it replaces.
    ///
    /// - Parameters:
    ///   - host: in lower case, without a port; an IDN as its A-label; brackets of IPv6 may stand.
    ///   - path: the path of the request; a query is not looked at.
    ///   - isSecure: whether the response came over a secure connection.
    ///   - now: seconds since 1970.
    /// - Returns: whether the field was followed.
    @discardableResult
    package mutating func store(_ field: String, host: String, path: String, isSecure: Bool, now: Int64) -> Bool {
        guard let field = SetCookie(field) else { return false }
        let host = host.lowercasedASCII
        guard let scope = Self.scope(of: field.domain, host: host) else { return false }
        let cookie = Cookie(
            name: field.name, value: field.value, domain: scope.domain, isHostOnly: scope.isHostOnly,
            path: field.path ?? CookieScope.defaultPath(of: path), expires: field.expiry(at: now),
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite)
        guard isSecure || !cookie.isSecure, Self.keepsPromises(cookie, hasPath: field.path != nil) else { return false }
        guard isSecure || !wouldHideSecureCookie(cookie, now: now) else { return false }
        put(cookie, now: now)
        return true
    }

    /// Takes a cookie that the program itself made.
    /// - Returns: false if it could not be sent: empty, too long, or with a character that the field does not allow.
    @discardableResult
    package mutating func insert(_ cookie: Cookie, now: Int64) -> Bool {
        var cookie = cookie
        cookie.domain = cookie.domain.lowercasedASCII
        guard cookie.name.utf8.count + cookie.value.utf8.count <= SetCookie.maximumNameAndValue,
            !cookie.domain.isEmpty, cookie.path.utf8.first == UInt8(ascii: "/"),
            !cookie.name.utf8.contains(UInt8(ascii: "=")),
            !(cookie.name + cookie.value).utf8.contains(where: {
                $0 == UInt8(ascii: ";") || SetCookie.isForbiddenControl($0)
            }), Self.keepsPromises(cookie, hasPath: true)
        else { return false }
        put(cookie, now: now)
        return true
    }

    /// The Cookie field for a request: `a=b; c=d`, longest path first, then the oldest; nil if there is none to send.
    ///
    /// It ends before the cookie with which it would pass 8,190 bytes.
    package mutating func field(for host: String, path: String, isSecure: Bool, now: Int64) -> String? {
        guard !domains.isEmpty else { return nil }
        let host = host.lowercasedASCII
        counter &+= 1
        var matches: [Entry] = []
        for domain in CookieScope.domains(of: host) where domains[domain] != nil {
            removeExpired(in: domain, now: now)
            for index in domains[domain]?.indices ?? 0..<0 {
                guard let entry = domains[domain]?[index], !entry.cookie.isHostOnly || domain == host,
                    isSecure || !entry.cookie.isSecure, CookieScope.path(path, matches: entry.cookie.path)
                else { continue }
                domains[domain]?[index].used = counter
                matches.append(entry)
            }
        }
        matches.sort { first, second in
            let lengths = (first.cookie.path.utf8.count, second.cookie.path.utf8.count)
            return lengths.0 == lengths.1 ? first.created < second.created : lengths.0 > lengths.1
        }
        var field = ""
        for entry in matches {
            let cookie = entry.cookie
            let pair = cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
            let separator = field.isEmpty ? "" : "; "
            guard field.utf8.count + separator.utf8.count + pair.utf8.count <= Self.maximumFieldLength else { break }
            field += separator
            field += pair
        }
        return field.isEmpty ? nil : field
    }

    package mutating func removeAll() {
        domains = [:]
        count = 0
    }

    /// Removes the cookies for which `matches` says so.
    package mutating func removeAll(where matches: (Cookie) -> Bool) {
        for domain in Array(domains.keys) { remove(in: domain) { matches($0.cookie) } }
    }
}

// Whether a cookie may be stored.
extension CookieStore {
    /// The host alone, or the Domain that the field asks for if the host may speak for it; nil if it may not.
    private static func scope(of domain: String?, host: String) -> (domain: String, isHostOnly: Bool)? {
        guard let domain else { return (host, true) }
        if domain.utf8.elementsEqual(host.utf8) {
            // An address, or a name such as `localhost` that has the rank of a public suffix, has nothing below it.
            return (host, CookieScope.isAddress(host) || !hasInnerDot(domain))
        }
        guard hasInnerDot(domain), CookieScope.host(host, matches: domain) else { return nil }
        return (domain, false)
    }

    private static func hasInnerDot(_ domain: String) -> Bool {
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return dot > domain.startIndex && domain.utf8.last != UInt8(ascii: ".")
    }

    /// The prefixes of §4.1.3, in any case, and `SameSite=None`, which needs Secure.
    private static func keepsPromises(_ cookie: Cookie, hasPath: Bool) -> Bool {
        if cookie.name.isEmpty, cookie.value.isEmpty { return false }
        if cookie.sameSite == .none, !cookie.isSecure { return false }
        // Without a name the value stands where a server looks for the name.
        let start = (cookie.name.isEmpty ? cookie.value : cookie.name).lowercasedASCII.utf8
        let isSecurePrefix = start.starts(with: "__secure-".utf8)
        let isHostPrefix = start.starts(with: "__host-".utf8)
        guard isSecurePrefix || isHostPrefix else { return true }
        guard !cookie.name.isEmpty, cookie.isSecure else { return false }
        return isSecurePrefix || (cookie.isHostOnly && hasPath && cookie.path == "/")
    }

    /// Whether a cookie set over an insecure connection would overwrite a Secure one, or stand before it.
    private func wouldHideSecureCookie(_ new: Cookie, now: Int64) -> Bool {
        domains.contains { domain, entries in
            (CookieScope.host(domain, matches: new.domain) || CookieScope.host(new.domain, matches: domain))
                && entries.contains {
                    $0.cookie.isSecure && !$0.isOver(at: now) && $0.cookie.name.utf8.elementsEqual(new.name.utf8)
                        && CookieScope.path(new.path, matches: $0.cookie.path)
                }
        }
    }
}

// Putting in and taking out.
extension CookieStore {
    private mutating func put(_ cookie: Cookie, now: Int64) {
        var cookie = cookie
        if let expires = cookie.expires {
            let (latest, isTooLate) = now.addingReportingOverflow(Self.maximumLifetime)
            cookie.expires = min(expires, isTooLate ? .max : latest)
        }
        let domain = cookie.domain
        counter &+= 1
        var entry = Entry(cookie: cookie, created: counter, used: counter)
        if let index = domains[domain]?.firstIndex(where: { Self.isSame($0.cookie, cookie) }) {
            entry.created = domains[domain]?[index].created ?? counter
            domains[domain]?[index] = entry
        } else {
            domains[domain, default: []].append(entry)
            count += 1
        }
        removeExpired(in: domain, now: now)
        // An insecure page of the domain must not be able to drive its Secure cookies out: the others go first.
        while let entries = domains[domain], entries.count > Self.maximumPerDomain,
            let victim = entries.min(by: {
                ($0.cookie.isSecure ? 1 : 0, $0.used) < ($1.cookie.isSecure ? 1 : 0, $1.used)
            })
        {
            remove(in: domain) { $0.created == victim.created }
        }
        guard count > Self.maximum else { return }
        for domain in Array(domains.keys) { removeExpired(in: domain, now: now) }
        while count > Self.maximum, let victim = domains.values.joined().min(by: { $0.used < $1.used }) {
            remove(in: victim.cookie.domain) { $0.created == victim.created }
        }
    }

    private static func isSame(_ first: Cookie, _ second: Cookie) -> Bool {
        first.isHostOnly == second.isHostOnly && first.name.utf8.elementsEqual(second.name.utf8)
            && first.path.utf8.elementsEqual(second.path.utf8)
    }

    private mutating func removeExpired(in domain: String, now: Int64) {
        guard domains[domain]?.contains(where: { $0.isOver(at: now) }) == true else { return }
        remove(in: domain) { $0.isOver(at: now) }
    }

    private mutating func remove(in domain: String, where matches: (Entry) -> Bool) {
        guard var entries = domains.removeValue(forKey: domain) else { return }
        let before = entries.count
        entries.removeAll(where: matches)
        count -= before - entries.count
        if !entries.isEmpty { domains[domain] = entries }
    }
}

// Session: the fields, credentials and cookies that one run leaves for the next.

import Tsubame

/// A plain value. `SessionFile` stores it.
struct Session: Sendable {
    struct Field: Sendable {
        let name: HTTPField.Name
        let value: String
        /// The only origin that receives the field, such as `https://api.example.com`; nil for every origin of the
        /// session.
        var origin: String?
    }

    struct Auth: Sendable {
        /// The scheme's name in the file. An unknown scheme is kept but not used.
        let type: String
        let text: String
        /// The only origin that receives the credentials; nil for every origin of the session.
        var origin: String?
    }

    var fields: [Field] = []
    var auth: Auth?
    var cookies: [Cookie] = []
    /// The owner of the cookies, for a cache; nil until the cookies are saved.
    var owner: String?

    // MARK: Into a request

    /// The session's fields, except those that the user gave or unset.
    /// - Parameters:
    ///   - given: the fields that the user gave.
    ///   - unset: the names of the fields that must not be sent.
    func fields(for origin: String, given: HTTPFields, unset: [HTTPField.Name]) -> HTTPFields {
        var result = HTTPFields()
        for field in fields where field.origin == nil || field.origin == origin {
            guard !given.contains(field.name), !unset.contains(field.name) else { continue }
            result.append(HTTPField(name: field.name, value: field.value))
        }
        return result
    }

    func credentials(for origin: String) throws(SessionProblem) -> Credentials? {
        guard let auth, auth.origin == nil || auth.origin == origin else { return nil }
        guard let kind = Credentials.Kind(rawValue: auth.type) else {
            throw SessionProblem("auth.type", "is “\(Redaction.printable(auth.type))”, which is not known; give --auth")
        }
        return Credentials(kind, auth.text)
    }

    // MARK: Out of a request

    /// Whether the session keeps a field. It keeps no field that belongs to one request only, and cookies have a list
    /// of their own.
    private static func isKept(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return !name.hasPrefix("content-") && !name.hasPrefix("if-") && name != "cookie" && name != "host"
    }

    /// Keeps the fields that the user gave for an origin, and replaces its fields of the same names.
    mutating func take(_ given: HTTPFields, for origin: String) {
        let new = given.filter { Self.isKept($0.name) }
        let names = Set(new.map(\.name))
        fields.removeAll { names.contains($0.name) && ($0.origin == nil || $0.origin == origin) }
        fields += new.map { Field(name: $0.name, value: $0.value, origin: nil) }
    }

    /// Applies the changes that a run has made to its cookies. Another run may have changed this session meanwhile.
    /// - Parameters:
    ///   - jar: the cookies at the end of the run.
    ///   - old: the session at its beginning.
    mutating func take(cookiesOf jar: CookieJar, since old: Session) {
        let (kept, newOwner) = (jar.cookies, jar.keptOwner)
        guard cookies != old.cookies || owner != old.owner else { return (cookies, owner) = (kept, newOwner) }
        // A jar writes some cookies in another way.
        let loaded = CookieJar()
        for cookie in old.cookies { try? loaded.set(cookie) }
        let (known, left) = (Set(loaded.cookies), Set(kept.map(CookieName.init)))
        let changed = kept.filter { !known.contains($0) }
        let gone = Set(known.map(CookieName.init)).subtracting(left).union(changed.map(CookieName.init))
        cookies.removeAll { gone.contains(CookieName($0)) }
        cookies += changed
        // If both runs have taken cookies of another account, the cookies together are those of neither.
        if owner == old.owner { owner = newOwner } else if newOwner != old.owner { owner = loaded.keptOwner }
    }

    /// A jar has one cookie of this name, domain and path.
    private struct CookieName: Hashable {
        let name: [UInt8]
        let domain: [UInt8]
        let path: [UInt8]
        let isHostOnly: Bool

        init(_ cookie: Cookie) {
            (name, domain, path) = (Array(cookie.name.utf8), Array(cookie.domain.utf8), Array(cookie.path.utf8))
            isHostOnly = cookie.isHostOnly
        }
    }

    /// Binds credentials and secret fields without an origin to this origin. A session file may be used with many
    /// hosts, and other tools bind nothing.
    mutating func bindSecrets(to origin: String) {
        for index in fields.indices where fields[index].origin == nil {
            if Redaction.standard.isSecret(field: fields[index].name) { fields[index].origin = origin }
        }
        if auth?.origin == nil { auth?.origin = origin }
    }

    /// The cookies of the Cookie fields that the user gave. Cookies sent by https are marked so that they are sent only
    /// by https.
    static func cookies(in fields: HTTPFields, host: String, isSecure: Bool) -> [Cookie] {
        cookiePairs(in: fields).compactMap { pair in
            guard let equals = equals(in: pair) else { return nil }
            var cookie = Cookie(
                name: String(pair[..<equals]), value: String(pair[pair.index(after: equals)...]), domain: host)
            cookie.isSecure = isSecure
            return cookie
        }
    }

    /// The parts of the Cookie fields that no jar keeps, as one Cookie field; nil if there are none.
    static func unnamedCookies(in fields: HTTPFields) -> String? {
        let rest = cookiePairs(in: fields).filter { !$0.isEmpty && equals(in: $0) == nil }
        return rest.isEmpty ? nil : rest.joined(separator: "; ")
    }

    private static func cookiePairs(in fields: HTTPFields) -> [Substring] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.map { $0.drop { $0 == " " } }
    }

    /// The end of a pair's name; nil if the pair has no name.
    private static func equals(in pair: Substring) -> Substring.Index? {
        guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else { return nil }
        return equals
    }
}

// Session: what goes from one run to the next: fields, credentials, cookies.
#if Tool
import Tsubame

/// A plain value; `SessionFile` keeps it.
struct Session: Sendable {
    struct Field: Sendable {
        let name: HTTPField.Name
        let value: String
        /// The one origin that may see it, such as `https://api.example.com`; nil for all that the session is used with.
        var origin: String?
    }

    struct Auth: Sendable {
        /// As the file calls it: one that is of no kind known here is kept, and not used.
        let type: String
        let text: String
        /// The one origin that may see it; nil for all that the session is used with.
        var origin: String?
    }

    var fields: [Field] = []
    var auth: Auth?
    var cookies: [Cookie] = []
    /// Whose cookies they are, for a cache; nil until they are kept.
    var owner: String?

    // MARK: Into a request

    /// Its fields, but for those that were given or taken out by hand.
    /// - Parameters:
    ///   - given: those that were given by hand.
    ///   - unset: those that are not to be sent.
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

    /// What belongs to one request only, and cookies, which have a list of their own.
    private static func isKept(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return !name.hasPrefix("content-") && !name.hasPrefix("if-") && name != "cookie" && name != "host"
    }

    /// Takes the fields that were given by hand, in place of others of their names.
    mutating func take(_ given: HTTPFields) {
        let new = given.filter { Self.isKept($0.name) }
        let names = Set(new.map(\.name))
        fields.removeAll { names.contains($0.name) }
        fields += new.map { Field(name: $0.name, value: $0.value, origin: nil) }
    }

    /// Binds credentials and secret fields that have no origin to this one. A session file may be used with many hosts,
    /// and other tools bind nothing.
    mutating func bindSecrets(to origin: String) {
        for index in fields.indices where fields[index].origin == nil {
            if Redaction.standard.isSecret(field: fields[index].name) { fields[index].origin = origin }
        }
        if auth?.origin == nil { auth?.origin = origin }
    }

    /// The cookies of Cookie fields that were given by hand; what went by https is not to go otherwise.
    static func cookies(in fields: HTTPFields, host: String, isSecure: Bool) -> [Cookie] {
        cookiePairs(in: fields).compactMap { pair in
            guard let equals = equals(in: pair) else { return nil }
            var cookie = Cookie(
                name: String(pair[..<equals]), value: String(pair[pair.index(after: equals)...]), domain: host)
            cookie.isSecure = isSecure
            return cookie
        }
    }

    /// What the fields have that no jar keeps, as a Cookie field; nil if that is nothing.
    static func unnamedCookies(in fields: HTTPFields) -> String? {
        let rest = cookiePairs(in: fields).filter { !$0.isEmpty && equals(in: $0) == nil }
        return rest.isEmpty ? nil : rest.joined(separator: "; ")
    }

    private static func cookiePairs(in fields: HTTPFields) -> [Substring] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.map { $0.drop { $0 == " " } }
    }

    /// Where a pair's value begins; nil if it has no name.
    private static func equals(in pair: Substring) -> Substring.Index? {
        guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else { return nil }
        return equals
    }
}

#endif

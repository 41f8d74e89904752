// Session: what goes from one run to the next: fields, credentials, cookies.
#if Tool
import Tsubame

/// A plain value; `SessionFile` keeps it.
struct Session: Sendable {
    struct Field: Sendable {
        let name: HTTPField.Name
        let value: String
        /// The one host that may see it; nil for all that the session is used with.
        let host: String?
    }

    struct Auth: Sendable {
        /// As the file calls it: one that is of no kind known here is kept, and not used.
        let type: String
        let text: String
        /// The one host that may see it; nil for all that the session is used with.
        let host: String?
    }

    var fields: [Field] = []
    var auth: Auth?
    var cookies: [Cookie] = []

    // MARK: Into a request

    /// The fields of a request: the session's, but for those that were given or taken out by hand, and then its own.
    /// - Parameters:
    ///   - own: all that the request has, with those that follow from its body.
    ///   - given: those that were given by hand.
    ///   - unset: those that are not to be sent.
    func fields(
        before own: HTTPFields, given: HTTPFields, unset: [HTTPField.Name], host: String
    ) -> HTTPFields {
        var result = HTTPFields()
        for field in fields where field.host == nil || field.host == host {
            guard !given.contains(field.name), !unset.contains(field.name) else { continue }
            result.append(HTTPField(name: field.name, value: field.value))
        }
        // What the tool adds of itself is only a default.
        let kept = Set(result.map(\.name))
        for field in own where given.contains(field.name) || !kept.contains(field.name) { result.append(field) }
        return result
    }

    func credentials(for host: String) throws(SessionProblem) -> Credentials? {
        guard let auth, auth.host == nil || auth.host == host else { return nil }
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
    mutating func take(_ given: HTTPFields, host: String) {
        let new = given.filter { Self.isKept($0.name) }
        let names = Set(new.map(\.name))
        fields.removeAll { names.contains($0.name) }
        fields += new.map { field in
            // A session in a file may be used with many hosts; credentials are for one.
            let isSecret = field.name == .authorization || field.name == .proxyAuthorization
            return Field(name: field.name, value: field.value, host: isSecret ? host : nil)
        }
    }

    /// The cookies of Cookie fields that were given by hand.
    static func cookies(in fields: HTTPFields, host: String) -> [Cookie] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else { return nil }
            return Cookie(
                name: String(pair[..<equals]), value: String(pair[pair.index(after: equals)...]), domain: host)
        }
    }
}

#endif

// OpenSession: a session while one request uses it.

import Tsubame

struct OpenSession: Sendable {
    private let file: SessionFile
    /// The session as it was read; empty if there was no file.
    private let old: Session
    private let isChanged: Bool
    private let isReadOnly: Bool
    /// Scheme, host and port, in the form of the Host field.
    private let origin: String
    private let isSecure: Bool
    /// The host to which cookies without a domain are bound.
    private let cookieHost: String

    /// - Returns: nil if no session is wanted.
    /// - Throws: for a wrong name or an unusable file, before anything is sent.
    /// - Parameters:
    ///   - host: the host in the form of the Host field.
    ///   - isSecure: whether the request uses https.
    init?(_ options: SessionOptions, host: String, isSecure: Bool) throws {
        guard let name = options.session ?? options.sessionReadOnly else { return nil }
        origin = "\(isSecure ? "https" : "http")://\(host)"
        self.isSecure = isSecure
        file = try SessionFile(name, host: host)
        cookieHost = Origin("http://\(host)")?.host ?? host
        let old = try file.load(host: cookieHost)
        self.old = old ?? Session()
        // HTTPie also creates a session that is opened read-only.
        isReadOnly = options.session == nil
        isChanged = !isReadOnly || old == nil
        if isChanged { try file.prepare() }
    }

    /// The session's own credentials.
    func credentials() throws(CallError) -> Credentials? {
        do throws(SessionProblem) {
            return try old.credentials(for: origin)
        } catch {
            throw file.problem(error.description)
        }
    }

    /// A jar with the session's cookies.
    /// - Parameters:
    ///   - given: the fields that the user gave, which may contain more cookies.
    ///   - domain: the domain of those cookies.
    func jar(given: HTTPFields, domain: String) throws(CallError) -> CookieJar {
        // Cookies that the user gave may belong to another account. The cache then keeps nothing of this run for other
        // runs, and the session gets a new owner.
        let isByHand = given.contains(.cookie)
        let jar = CookieJar(cookiesOf: isByHand ? nil : file.path, owner: isByHand ? nil : old.owner)
        for cookie in old.cookies + Session.cookies(in: given, host: domain, isSecure: isSecure) {
            do throws(CallError) {
                try jar.set(cookie)
            } catch {
                throw file.problem(error.reason)
            }
        }
        return jar
    }

    /// The session's fields. Its cookies are in the jar.
    /// - Parameters:
    ///   - given: the fields that the user gave.
    ///   - unset: the names of the fields that must not be sent.
    func fields(given: HTTPFields, unset: [HTTPField.Name]) -> HTTPFields {
        var fields = old.fields(for: origin, given: given, unset: unset)
        fields[fields: .cookie] = []
        return fields
    }

    /// Saves the fields, credentials and cookies that the session keeps.
    /// - Parameters:
    ///   - given: the fields that the user gave.
    ///   - credentials: the credentials that the user gave.
    func keep(_ given: HTTPFields, _ credentials: Credentials?, _ jar: CookieJar) throws(SystemError) {
        guard isChanged else { return }
        try file.update(host: cookieHost, onlyIfNew: isReadOnly) { present in
            var new = present ?? old
            new.take(given, for: origin)
            if let credentials {
                new.auth = Session.Auth(type: credentials.kind.rawValue, text: credentials.text, origin: origin)
            }
            new.bindSecrets(to: origin)
            new.take(cookiesOf: jar, since: old)
            return new
        }
    }
}

// OpenSession: a session while one request is made with it.
#if Tool
import Tsubame

struct OpenSession: Sendable {
    private let file: SessionFile
    /// As it was read; empty if there was none.
    private let old: Session
    private let isChanged: Bool
    /// As the Host field has it.
    private let host: String

    /// - Returns: nil if no session is wanted.
    /// - Throws: what is wrong with its name, or with the file, and nothing has been sent then.
    init?(_ options: SessionOptions, host: String) throws {
        guard let name = options.session ?? options.sessionReadOnly else { return nil }
        self.host = host
        file = try SessionFile(name, host: host)
        let old = try file.load(host: Origin("http://\(host)")?.host ?? host)
        self.old = old ?? Session()
        // As HTTPie has it: a session that is only read is made all the same.
        isChanged = options.session != nil || old == nil
        if isChanged { try file.prepare() }
    }

    /// The credentials of its own.
    func credentials() throws(CallError) -> Credentials? {
        do throws(SessionProblem) {
            return try old.credentials(for: host)
        } catch {
            throw file.problem(error.description)
        }
    }

    /// A jar with its cookies.
    /// - Parameters:
    ///   - given: fields by hand, in which there may be some more.
    ///   - domain: of those.
    func jar(given: HTTPFields, domain: String) throws(CallError) -> CookieJar {
        let jar = CookieJar()
        for cookie in old.cookies + Session.cookies(in: given, host: domain) {
            do throws(CallError) {
                try jar.set(cookie)
            } catch {
                throw file.problem(error.reason)
            }
        }
        return jar
    }

    /// The fields of a request; cookies are in the jar.
    /// - Parameters:
    ///   - own: those of the request's items and body.
    ///   - given: those that were given by hand.
    ///   - unset: those that are not to be sent.
    func fields(before own: HTTPFields, given: HTTPFields, unset: [HTTPField.Name]) -> HTTPFields {
        var fields = old.fields(before: own, given: given, unset: unset, host: host)
        fields[fields: .cookie] = []
        return fields
    }

    /// Keeps what it is to know from now on.
    /// - Parameters:
    ///   - given: the fields that were given by hand.
    ///   - credentials: those that were given by hand.
    func keep(_ given: HTTPFields, _ credentials: Credentials?, _ jar: CookieJar) throws(SystemError) {
        guard isChanged else { return }
        var new = old
        new.take(given, host: host)
        if let credentials {
            new.auth = Session.Auth(type: credentials.kind.rawValue, text: credentials.text, host: host)
        } else if let auth = old.auth, auth.host == nil {
            // Another tool's file binds them to no host: from now on they are of the first that it is used with.
            new.auth = Session.Auth(type: auth.type, text: auth.text, host: host)
        }
        new.cookies = jar.cookies
        try file.save(new)
    }
}

#endif

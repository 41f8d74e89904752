// OpenSession: a session while one request is made with it.
#if Tool
import Tsubame

struct OpenSession: Sendable {
    private let file: SessionFile
    /// As it was read; empty if there was none.
    private let old: Session
    private let isChanged: Bool
    /// Scheme, host and port, as the Host field has them.
    private let origin: String
    private let isSecure: Bool

    /// - Returns: nil if no session is wanted.
    /// - Throws: what is wrong with its name, or with the file, and nothing has been sent then.
    /// - Parameters:
    ///   - host: as the Host field has it.
    ///   - isSecure: whether it goes there by https.
    init?(_ options: SessionOptions, host: String, isSecure: Bool) throws {
        guard let name = options.session ?? options.sessionReadOnly else { return nil }
        origin = "\(isSecure ? "https" : "http")://\(host)"
        self.isSecure = isSecure
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
            return try old.credentials(for: origin)
        } catch {
            throw file.problem(error.description)
        }
    }

    /// A jar with its cookies.
    /// - Parameters:
    ///   - given: fields by hand, in which there may be some more.
    ///   - domain: of those.
    func jar(given: HTTPFields, domain: String) throws(CallError) -> CookieJar {
        // Cookies by hand may be of another account. A cache keeps nothing of this run for another one, and the session has
        // a new owner.
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

    /// Its fields; cookies are in the jar.
    /// - Parameters:
    ///   - given: those that were given by hand.
    ///   - unset: those that are not to be sent.
    func fields(given: HTTPFields, unset: [HTTPField.Name]) -> HTTPFields {
        var fields = old.fields(for: origin, given: given, unset: unset)
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
        new.take(given)
        if let credentials {
            new.auth = Session.Auth(type: credentials.kind.rawValue, text: credentials.text, origin: origin)
        }
        new.bindSecrets(to: origin)
        new.cookies = jar.cookies
        new.owner = jar.keptOwner
        try file.save(new)
    }
}

#endif

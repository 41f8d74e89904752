// CallPlan: the settings of a request, after its session, cookie jar and passwords are opened or asked for.

import Tsubame
import TsubamePlatform

/// The options, together with everything that they refer to: the session, the cookie jar, the typed password.
struct CallPlan: Sendable {
    /// The URL, without credentials that are now held separately.
    let url: String
    let options: CallOptions
    let jar: CookieJar
    private let tls: TLSOptions
    private let credentials: Credentials?
    /// The credentials that the user gave, in an option or in the URL.
    private let given: Credentials?
    private let session: OpenSession?
    /// The fields of the items. `unset` holds the names of the fields that must not be sent.
    private let fields: HTTPFields
    private let unset: [HTTPField.Name]

    /// Finds everything that can be wrong with files, names and passwords, before anything is sent.
    /// - Parameter first: the plan of the same command's first URL. Its open files and typed passwords are used again.
    init(_ options: CallOptions, url: String, items: RequestContent, after first: CallPlan? = nil) throws {
        self.options = options
        fields = items.fields
        unset = items.unset
        let uri = try URLShorthand.parsed(url)
        let hostField = items.fields.first { $0.name.canonicalName == "host" }
        let host = hostField?.value ?? uri.authority
        session = try OpenSession(options.session, host: host, isSecure: uri.isSecure)
        tls = try first?.tls ?? options.tls.asking(mayPrompt: options.mayPrompt)

        let kind = options.auth.authType
        // A session does not keep these: the file is theirs.
        var ofNetrc: Credentials?
        if let text = options.auth.auth {
            given = try Credentials(kind ?? .basic, asking: text, of: host, mayPrompt: options.mayPrompt)
        } else if let kind {
            if let text = uri.credentials, kind != .bearer {
                given = Credentials(kind, text)
            } else if !options.auth.ignoreNetrc, let kept = try Credentials(kind, netrcOf: uri.host) {
                (given, ofNetrc) = (nil, kept)
            } else {
                throw UsageProblem(
                    "--auth-type \(kind.rawValue) needs --auth, or an entry for \(host) in the netrc file.")
            }
        } else {
            given = uri.credentials.map { Credentials(.basic, $0) }
        }
        // The library sends credentials of a URL by itself, instead of any others.
        let isOfURL = options.auth.auth == nil && kind == nil && given != nil
        self.url = isOfURL || uri.userinfo == nil ? url : uri.string
        credentials = isOfURL ? nil : try given ?? ofNetrc ?? session?.credentials()
        jar =
            try session?.jar(given: items.fields, domain: uri.host) ?? first?.jar
            ?? Self.openJar(options.session.cookieJar)
    }

    /// Whether one client can serve both plans of a command. They differ only in credentials, which belong to each
    /// URL's host, and in sessions.
    func agrees(with other: CallPlan) -> Bool { credentials == other.credentials && jar === other.jar }

    /// The jar of the named file, or a jar for this run only. Redirects need one, because a login answers with a cookie
    /// and a redirect to its page.
    private static func openJar(_ path: String?) throws -> CookieJar {
        guard let path else { return CookieJar() }
        let jar = try CookieJar(file: path) { Diagnostics.say("\(path): \($0)") }
        // Checked before anything is sent: when a cookie arrives, the login has been used up.
        let folder = FilePath.folder(of: FilePath.resolved(path))
        guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("the cookie jar \(path) cannot be written") }
        return jar
    }

    /// The session's fields. The client sends them, so that they stay at its origin.
    private var sessionFields: HTTPFields { session?.fields(given: fields, unset: unset) ?? HTTPFields() }

    /// Whether the session sends a field of this name.
    func sessionKeeps(_ name: HTTPField.Name) -> Bool { sessionFields.contains(name) }

    /// - Parameter own: the fields of the request's items and body. Fields that the tool adds itself are only defaults.
    func fields(_ own: HTTPFields) -> HTTPFields {
        let kept = sessionFields
        var result = HTTPFields()
        for field in own where fields.contains(field.name) || !kept.contains(field.name) { result.append(field) }
        // The session's jar holds and sends the other cookies.
        if session != nil { result[.cookie] = Session.unnamedCookies(in: result) }
        return result
    }

    /// - Parameter runs: how many requests the client is for.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        options.apply(to: &configuration, ofRuns: runs)
        tls.apply(to: &configuration.connection.tls)
        configuration.cookies = .jar(jar)
        configuration.headers = RequestHeaders(sessionFields)
        if let credentials {
            configuration.authentication = credentials.authentication
        } else if !options.auth.ignoreNetrc, Self.hasNetrc {
            configuration.authentication = .netrc()
        }
    }

    /// Looked up here, so that users without the file do not pay for reading it.
    private static var hasNetrc: Bool {
        if let path = getenv("NETRC"), path.pointee != 0 { return true }
        guard let home = getenv("HOME") else { return false }
        return ["/.netrc", "/_netrc"].contains { access(String(cString: home) + $0, F_OK) == 0 }
    }

    /// The credentials, if they wait for a challenge.
    var challenged: Credentials? {
        (credentials ?? given).flatMap { [.digest, .any].contains($0.kind) ? $0 : nil }
    }

    /// Whether there is a session to be saved.
    var hasSession: Bool { session != nil }

    /// Saves the fields, credentials and cookies that the session keeps.
    func keep() throws(SystemError) { try session?.keep(fields, given, jar) }
}

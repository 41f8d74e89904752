// CallPlan: how a request is sent, once everything has been looked up that its options name.
#if Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Tsubame

/// The options with what they name: the session, the jar, the password that was asked for.
struct CallPlan: Sendable {
    /// Without credentials that stand elsewhere now.
    let url: String
    let options: CallOptions
    let jar: CookieJar
    private let tls: TLSOptions
    private let credentials: Credentials?
    /// Those that were given by hand, in whatever place.
    private let given: Credentials?
    private let session: OpenSession?
    /// The fields of the items, and those that are not to be sent.
    private let fields: HTTPFields
    private let unset: [HTTPField.Name]

    /// Everything that can be wrong with files, names and passwords is found here, before anything is sent.
    /// - Parameter first: of the same command's first URL: what it has opened and asked for is used again.
    init(_ options: CallOptions, url: String, items: RequestContent, after first: CallPlan? = nil) throws {
        self.options = options
        fields = items.fields
        unset = items.unset
        // One that is invalid is told when it is to be sent, and the request decides about dot segments.
        let uri = try? TargetURI(parsing: url, keepingDotSegments: true)
        let hostField = items.fields.first { $0.name.canonicalName == "host" }
        let host = hostField?.value ?? uri?.authority ?? "localhost"
        session = try OpenSession(options.session, host: host, isSecure: uri?.isSecure ?? false)
        tls = try first?.tls ?? options.tls.asking()

        let kind = options.auth.authType
        if let text = options.auth.auth {
            given = try Credentials(kind ?? .basic, asking: text, of: host)
        } else if let kind {
            guard let text = uri?.credentials, kind != .bearer else {
                throw UsageProblem("--auth-type \(kind.rawValue) needs --auth.")
            }
            given = Credentials(kind, text)
        } else {
            given = uri?.credentials.map { Credentials(.basic, $0) }
        }
        // What stands in a URL the library sends by itself, and instead of anything else.
        let isOfURL = options.auth.auth == nil && kind == nil && given != nil
        self.url = isOfURL || uri?.userinfo == nil ? url : uri?.string ?? url
        credentials = isOfURL ? nil : try given ?? session?.credentials()
        jar =
            try session?.jar(given: items.fields, domain: uri?.host ?? host) ?? first?.jar
            ?? Self.openJar(options.session.cookieJar)
    }

    /// Whether one client can serve both: of one command, they differ only by credentials, which are of each URL's host, and by
    /// sessions.
    func agrees(with other: CallPlan) -> Bool { credentials == other.credentials && jar === other.jar }

    /// The jar of the file that was named, or one for this run: for redirects, since a login answers with a cookie and the
    /// way to its page.
    private static func openJar(_ path: String?) throws -> CookieJar {
        guard let path else { return CookieJar() }
        let jar = try CookieJar(file: path) { Diagnostics.say("\(path): \($0)") }
        // Not only when a cookie is to be kept: by then the login has been used up.
        let folder = FilePath.folder(of: FilePath.resolved(path))
        guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("the cookie jar \(path) cannot be written") }
        return jar
    }

    /// The session's fields: of the client, so that they stay at its origin.
    private var sessionFields: HTTPFields { session?.fields(given: fields, unset: unset) ?? HTTPFields() }

    /// - Parameter own: the fields of the request's items and body; what the tool adds of itself is only a default.
    func fields(_ own: HTTPFields) -> HTTPFields {
        let kept = sessionFields
        var result = HTTPFields()
        for field in own where fields.contains(field.name) || !kept.contains(field.name) { result.append(field) }
        // The others are in the session's jar, which sends them.
        if session != nil { result[.cookie] = Session.unnamedCookies(in: result) }
        return result
    }

    /// - Parameter runs: how many requests the client is for.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        options.apply(to: &configuration, ofRuns: runs)
        tls.apply(to: &configuration.tls)
        configuration.cookies = .jar(jar)
        configuration.headers = sessionFields
        if let credentials {
            configuration.authentication = credentials.authentication
        } else if !options.auth.ignoreNetrc, Self.hasNetrc {
            configuration.authentication = .netrc()
        }
    }

    /// Looked for here, so that nobody without one pays for the reading.
    private static var hasNetrc: Bool {
        if let path = getenv("NETRC"), path.pointee != 0 { return true }
        guard let home = getenv("HOME") else { return false }
        return access(String(cString: home) + "/.netrc", F_OK) == 0
    }

    /// Keeps what the session is to know from now on.
    func keep() throws(SystemError) { try session?.keep(fields, given, jar) }
}

#endif

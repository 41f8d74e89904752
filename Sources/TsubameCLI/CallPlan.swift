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
    private let session: (file: SessionFile, old: Session?, isChanged: Bool)?
    private let items: RequestContent
    /// As the Host field has it.
    private let host: String

    /// Everything that can be wrong with files, names and passwords is found here, before anything is sent.
    init(_ options: CallOptions, url: String, items: RequestContent) throws {
        self.options = options
        self.items = items
        // One that is invalid is told when it is to be sent.
        let uri = try? TargetURI(parsing: url)
        let hostField = items.fields.first { $0.name.canonicalName == "host" }
        host = hostField?.value ?? uri?.authority ?? "localhost"
        session = try Self.open(options.session, host)
        tls = try options.tls.asking()

        let kind = options.auth.authType
        if let text = options.auth.auth {
            credentials = try Credentials(kind ?? .basic, asking: text, of: host)
            self.url = uri?.userinfo == nil ? url : uri?.string ?? url
        } else if let kind {
            guard let text = uri?.credentials, kind != .bearer else {
                throw UsageProblem("--auth-type \(kind.rawValue) needs --auth.")
            }
            credentials = Credentials(kind, text)
            self.url = uri?.string ?? url
        } else {
            // The URL's own are the library's affair, and come before those of the session.
            credentials = uri?.userinfo == nil ? try session?.old?.credentials(for: host) : nil
            self.url = url
        }
        jar = try Self.openJar(options.session, session?.old)
        guard let session, let name = uri?.host else { return }
        for cookie in Session.cookies(in: items.fields, host: name) {
            do throws(CallError) {
                try jar.set(cookie)
            } catch {
                throw session.file.problem(error.reason)
            }
        }
    }

    private static func open(
        _ options: SessionOptions, _ host: String
    ) throws -> (file: SessionFile, old: Session?, isChanged: Bool)? {
        guard let name = options.session ?? options.sessionReadOnly else { return nil }
        let file = try SessionFile(name, host: host)
        let bare = Origin("http://\(host)")?.host ?? host
        let old = try file.load(host: bare)
        // As HTTPie has it: a session that is only read is made all the same.
        let isChanged = options.session != nil || old == nil
        if isChanged { try file.prepare() }
        return (file, old, isChanged)
    }

    /// The jar of the file that was named, or one for this run: for redirects, since a login answers with a cookie and the
    /// way to its page.
    private static func openJar(_ options: SessionOptions, _ session: Session?) throws -> CookieJar {
        guard let path = options.cookieJar else {
            let jar = CookieJar()
            for cookie in session?.cookies ?? [] {
                do throws(CallError) {
                    try jar.set(cookie)
                } catch {
                    let file = options.session ?? options.sessionReadOnly ?? ""
                    throw CallError(.file, "the session file \(file) cannot be used: \(error.reason)")
                }
            }
            return jar
        }
        let jar = try CookieJar(file: path) { Diagnostics.say("\(path): \($0)") }
        // Not only when a cookie is to be kept: by then the login has been used up.
        let target = OutputFile.resolved(path)
        let folder = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("the cookie jar \(path) cannot be written") }
        return jar
    }

    // MARK: The request

    /// - Parameter own: the fields of the request's items and body.
    func fields(_ own: HTTPFields) -> HTTPFields {
        guard let session else { return own }
        var fields =
            session.old?.fields(before: own, given: items.fields, unset: items.unset, host: host) ?? own
        // They are in the jar.
        fields[fields: .cookie] = []
        return fields
    }

    func apply(to configuration: inout Configuration) {
        options.apply(to: &configuration)
        tls.apply(to: &configuration.tls)
        configuration.cookies = .jar(jar)
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

    // MARK: Afterwards

    /// Keeps what the session is to know.
    func keep() throws(SystemError) {
        guard let session, session.isChanged else { return }
        var new = session.old ?? Session()
        new.take(items.fields, host: host)
        if let credentials = keptCredentials {
            new.auth = Session.Auth(type: credentials.kind.rawValue, text: credentials.text, host: host)
        }
        new.cookies = jar.cookies
        try session.file.save(new)
    }

    /// Those that were given by hand, in whatever place.
    private var keptCredentials: Credentials? {
        if options.auth.auth != nil || options.auth.authType != nil { return credentials }
        return (try? TargetURI(parsing: url))?.credentials.map { Credentials(.basic, $0) }
    }
}

#endif

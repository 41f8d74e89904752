// RequestSettings: the options of a request that a printed one keeps.

import Tsubame
import TsubameRequestFiles

/// The settings that other programs have as well, and the names of options that they do not have.
struct RequestSettings {
    var follows = false
    var isInsecure = false
    /// nil for the usual number.
    var maximumRedirects: Int?
    var keepsDotSegments = false
    /// Whether the request is for the server itself, with the target `*`.
    var asksServer = false
    var timeout: Duration?
    var connectTimeout: Duration?
    /// `none` for a direct connection.
    var proxy: String?
    /// Whether the body is sent without its length.
    var isChunked = false
    /// `user:password`, if the credentials wait for a challenge.
    var digest: String?
    /// Whether they may also be sent as Basic, if the server asks for that.
    var acceptsBasic = false
    /// The options that are left out, as they are spelled.
    private(set) var losses: [String] = []
    /// The fields that are not sent, although a program would send them by itself.
    var unset: [String] = []
    /// The parts of a form, if it has files.
    var parts: [FileEntry.Part] = []
    /// Further options of curl, with their values.
    private var curlOptions: [String] = []

    init() {}

    /// - Parameters:
    ///   - plan: the plan of the request's call.
    ///   - isSecure: whether the request is for https, which decides about the proxy.
    init(_ plan: CallPlan, isSecure: Bool) {
        let call = plan.options
        follows = call.repetition.follow
        if follows, call.repetition.maxRedirects != RepetitionOptions().maxRedirects {
            maximumRedirects = call.repetition.maxRedirects
        }
        timeout = call.deadlines.timeout?.duration
        connectTimeout = call.deadlines.connectTimeout?.duration
        (digest, acceptsBasic) = (plan.challenged?.text, plan.challenged?.kind == .any)
        var hasRoots = call.tls.cacert != nil
        switch call.tls.verify {
        case .yes: break
        case .no: isInsecure = true
        case .file: hasRoots = true
        }
        proxy = ProxyChoice.url(of: call.connection.proxy, isSecure: isSecure)
        let connection = call.connection
        let others: [(String, Bool)] = [
            ("--retry", call.repetition.retry > 0), ("--cacert", hasRoots),
            ("--cert", call.tls.cert != nil),
            ("--tls-min and --tls-max", call.tls.tlsMin != nil || call.tls.tlsMax != nil),
            ("--ciphers", call.tls.ciphers.suites != nil), ("--resolve", !connection.resolve.isEmpty),
            ("--unix-socket", connection.unixSocket != nil), ("--interface", connection.interface != nil),
            ("--http-version", connection.httpVersion ?? .negotiated != .negotiated),
            ("--noproxy", !connection.noProxy.isEmpty),
            ("--proxy-auth-type digest", connection.proxyAuthType == .digest),
            ("-4 and -6", connection.ipv4 || connection.ipv6),
            ("--cookie-jar", call.session.cookieJar != nil), ("--max-filesize", call.limits.maxFilesize != nil),
            ("--max-headers", call.limits.maxHeaders != nil),
            ("--tls-timeout", call.deadlines.tlsTimeout != nil), ("--head-timeout", call.deadlines.headTimeout != nil),
            ("--idle-timeout", call.deadlines.idleTimeout != nil),
            ("--pool-timeout", call.deadlines.poolTimeout != nil),
        ]
        losses = others.filter(\.1).map(\.0)
    }

    /// Notes an option that a printed request does not have.
    mutating func leaveOut(_ option: String) { losses.append(option) }

    /// Seconds, with a fraction if there is one.
    private static func seconds(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        let thousandths = rest / 1_000_000_000_000_000
        return thousandths == 0 ? "\(seconds)" : "\(seconds).\(String(thousandths + 1_000).dropFirst())"
    }

    /// The words of curl, each quoted for a shell.
    var curlWords: [String] {
        var words: [String] = []
        if follows { words.append("--location") }
        if let maximumRedirects { words += ["--max-redirs", "\(maximumRedirects)"] }
        if keepsDotSegments { words.append("--path-as-is") }
        if isInsecure { words.append("--insecure") }
        if let timeout { words += ["--max-time", Self.seconds(timeout)] }
        if let connectTimeout { words += ["--connect-timeout", Self.seconds(connectTimeout)] }
        if let proxy { words += ["--proxy", ShellWord.quoted(proxy == "none" ? "" : proxy)] }
        if let digest { words += [acceptsBasic ? "--anyauth" : "--digest", "--user", ShellWord.quoted(digest)] }
        if isChunked { words += ["--header", "'Transfer-Encoding: chunked'"] }
        // The line says by itself that there is no type, and curl asks for no codings.
        for name in unset where !["content-type", "accept-encoding"].contains(name.lowercased()) {
            words += ["--header", ShellWord.quoted("\(name):")]
        }
        words += curlOptions
        for part in parts {
            switch part.content {
            case .text(let text):
                guard let type = part.contentType else {
                    words += ["--form-string", ShellWord.quoted("\(part.name.source)=\(text.source)")]
                    break
                }
                let value = "\(part.name.source)=\"\(Self.escaped(text.source))\";type=\(type.source)"
                words += ["--form", ShellWord.quoted(value)]
            case .file(let path):
                let filename = part.filename.map { ";filename=\"\(Self.escaped($0.source))\"" } ?? ""
                let type = (part.contentType.map { ";type=\($0.source)" } ?? "") + filename
                words += ["--form", ShellWord.quoted("\(part.name.source)=@\"\(Self.escaped(path.source))\"\(type)")]
            }
        }
        return words
    }

    /// The text between quotation marks of `--form`.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    var toolWords: [String] {
        var words: [String] = []
        if follows { words.append("--follow") }
        if let maximumRedirects { words.append("--max-redirects=\(maximumRedirects)") }
        if keepsDotSegments { words.append("--path-as-is") }
        if isInsecure { words.append("--verify=no") }
        if let timeout { words.append("--timeout=\(Self.seconds(timeout))") }
        if let connectTimeout { words.append("--connect-timeout=\(Self.seconds(connectTimeout))") }
        if let proxy { words.append(ShellWord.quoted("--proxy=\(proxy)")) }
        if let digest {
            words += ["--auth-type=\(acceptsBasic ? "any" : "digest")", ShellWord.quoted("--auth=\(digest)")]
        }
        if isChunked { words.append("--chunked") }
        return words
    }

    /// Arguments of `requests.request` in Python.
    var pythonArguments: [String] {
        var arguments = ["allow_redirects=\(follows ? "True" : "False")"]
        if isInsecure { arguments.append("verify=False") }
        if let timeout = timeout ?? connectTimeout { arguments.append("timeout=\(Self.seconds(timeout))") }
        if let proxy {
            // An empty text also counts before all_proxy of the environment.
            let text = Request.pythonLiteral(proxy == "none" ? "" : proxy)
            arguments.append("proxies={\"http\": \(text), \"https\": \(text)}")
        }
        if let digest {
            let (user, password) = Self.pair(digest)
            arguments.append(
                "auth=requests.auth.HTTPDigestAuth(\(Request.pythonLiteral(user)), \(Request.pythonLiteral(password)))")
        }
        return arguments
    }

    /// Lines that configure a client in Swift.
    var swiftLines: [String] {
        var lines: [String] = []
        if !follows { lines.append("$0.redirects = .off") }
        if let maximumRedirects { lines.append("$0.redirects = .follow(max: \(maximumRedirects))") }
        if isInsecure { lines.append("$0.connection.tls.verification = .dangerouslyOff") }
        if let timeout { lines.append("$0.timeouts.total = .seconds(\(Self.seconds(timeout)))") }
        if let connectTimeout { lines.append("$0.timeouts.connect = .seconds(\(Self.seconds(connectTimeout)))") }
        if let proxy {
            lines.append("$0.connection.proxy = \(proxy == "none" ? ".none" : ".url(\(Request.literal(proxy)))")")
        }
        if let digest {
            let (user, password) = Self.pair(digest)
            lines.append(
                "$0.authentication = .\(acceptsBasic ? "challenged" : "digest")(user: \(Request.literal(user)), password: \(Request.literal(password)))"
            )
        }
        return lines
    }

    /// Options of an entry that curl has under the same name, without a value.
    private static let curlFlags: Set = [
        "compressed", "http1.0", "http1.1", "http2", "http2-prior-knowledge", "ipv4", "ipv6", "netrc", "netrc-optional",
    ]
    /// The same, with a value.
    private static let curlValues: Set = ["resolve", "connect-to", "noproxy"]
    /// The same, with the path of a file.
    private static let curlPaths: Set = ["cacert", "cert", "key", "unix-socket", "netrc-file", "output"]
    /// Options that ``take(_:in:)`` reads.
    private static let taken: Set = [
        "location", "max-redirs", "path-as-is", "insecure", "proxy", "max-time", "connect-timeout", "digest",
        "no-header",
    ]
    /// Options that the request has already, or that say only how the exchange is shown.
    static let made: Set = ["user", "basic", "header", "variable", "verbose", "very-verbose", "verbosity"]

    /// Takes the options of an entry that a line for curl keeps, and notes those that it does not keep.
    /// - Parameter folder: the folder of the entry's file, where its paths begin.
    mutating func take(_ entry: FileEntry, in folder: RequestFolder) {
        func value(_ name: String) -> String? { entry.allOptions.last { $0.name == name }?.value.plain }
        for option in entry.options where !Self.made.contains(option.name) {
            let plain = option.value.plain
            if let plain, Self.curlFlags.contains(option.name) {
                if plain == "true" { curlOptions.append("--\(option.name)") }
            } else if let plain, Self.curlValues.contains(option.name) {
                curlOptions += ["--\(option.name)", ShellWord.quoted(plain)]
            } else if let plain, Self.curlPaths.contains(option.name) {
                let isRead = !["unix-socket", "output"].contains(option.name)
                let path = isRead ? folder.existingPath(plain) : folder.path(plain)
                curlOptions += ["--\(option.name)", ShellWord.quoted(path)]
            } else if plain == nil || !Self.taken.contains(option.name) {
                losses.append("the option \(option.name) of \(entry.method) \(entry.url.source)")
            }
        }
        unset = entry.options.filter { $0.name == "no-header" }.compactMap(\.value.plain)
        connectTimeout = value("connect-timeout").flatMap { try? EntryOptions.duration($0, unit: .seconds(1)) }
        follows = value("location") == "true"
        if follows { maximumRedirects = value("max-redirs").flatMap { Int($0) } }
        keepsDotSegments = value("path-as-is") == "true"
        isInsecure = value("insecure") == "true"
        proxy = value("proxy")
        timeout = value("max-time").flatMap { try? EntryOptions.duration($0, unit: .seconds(1)) }
        if value("digest") == "true" {
            digest = value("user")
            if digest == nil {
                losses.append("the credentials of \(entry.method) \(entry.url.source), which answer a challenge")
            }
        }
        parts = entry.parts.allSatisfy(\.isPlain) ? entry.parts.map { $0.inFolder(folder) } : []
    }

    /// The fields that are not sent, without that of the codings: a printed request names those for which it asks.
    private var askedFields: [String] { unset.filter { $0.lowercased() != "accept-encoding" } }

    /// The fields that stay, for languages that cannot leave them out.
    var lostFields: [String] { askedFields.map(Self.lostField) }

    /// The target `*`, for languages that have only URLs.
    var lostTarget: [String] { asksServer ? ["--request-target *"] : [] }

    /// The framing of the body, for languages that choose it.
    var lostFraming: [String] { isChunked ? ["--chunked"] : [] }

    /// The options that files of requests do not have. Hurl knows no direct connection.
    var lostInFiles: [String] {
        losses + lostTarget + lostFraming + lostBasic + (proxy == "none" ? ["--proxy none"] : [])
    }

    /// The credentials that may be sent as Basic, for languages that choose one scheme.
    private var lostBasic: [String] { acceptsBasic ? ["--auth-type any, which becomes digest"] : [] }

    /// curl always sends the type of a form.
    var lostInCurl: [String] {
        parts.isEmpty ? [] : unset.filter { $0.lowercased() == "content-type" }.map(Self.lostField)
    }

    private static func lostField(_ name: String) -> String { "the item \(name):, which sends no such field" }

    /// The options that Python's package has not.
    var lostInPython: [String] {
        (maximumRedirects.map { ["--max-redirects \($0)"] } ?? []) + (keepsDotSegments ? ["--path-as-is"] : [])
            + lostTarget + lostFraming + lostBasic
    }

    /// The items of the tool's command line.
    var toolItems: [String] { unset.map { ShellWord.quoted("\($0):") } }

    /// Sets the options of an entry.
    func apply(to entry: inout FileEntry) {
        func add(_ name: String, _ value: String) {
            entry.options.append(FileEntry.Option(name: name, value: TemplateText(value), place: entry.place))
        }
        if follows { add("location", "true") }
        if let maximumRedirects { add("max-redirs", "\(maximumRedirects)") }
        if keepsDotSegments { add("path-as-is", "true") }
        if isInsecure { add("insecure", "true") }
        if let timeout { add("max-time", Self.milliseconds(timeout)) }
        if let connectTimeout { add("connect-timeout", Self.milliseconds(connectTimeout)) }
        if let proxy, proxy != "none" { add("proxy", proxy) }
        if let digest {
            add("user", digest)
            add("digest", "true")
        }
        for name in askedFields {
            add("no-header", name)
            entry.fields.removeAll { $0.name.source.lowercased() == name.lowercased() }
        }
        guard !parts.isEmpty else { return }
        entry.parts = parts
        entry.body = nil
        entry.fields.removeAll { $0.name.source.lowercased() == "content-type" }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        return rest == 0 ? "\(seconds)s" : "\(seconds * 1_000 + rest / 1_000_000_000_000_000)ms"
    }

    private static func pair(_ text: String) -> (user: String, password: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}

extension FileEntry.Part {
    /// The part with a path that begins in the working folder.
    fileprivate func inFolder(_ folder: RequestFolder) -> FileEntry.Part {
        guard case .file(let path) = content, let plain = path.plain else { return self }
        return FileEntry.Part(
            name: name, content: .file(TemplateText(folder.path(plain))), contentType: contentType, filename: filename,
            place: place)
    }
}

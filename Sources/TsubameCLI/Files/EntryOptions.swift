// EntryOptions: the options that an entry of a file sets for itself.

import Tsubame
import TsubameRequestFiles

/// The options with their values. Their names are those of Hurl. The lines that begin with `# @` in `.http` files are
/// read as options, too.
struct EntryOptions {
    var follows = false
    var maximumRedirects = 50
    /// nil for no limit.
    var retries: Int? = 0
    var retryInterval = Duration.seconds(1)
    var delay = Duration.zero
    var isSkipped = false
    var repeats = 1
    var keepsDotSegments = false
    var usesCookies = true
    /// Whether content codings are asked for.
    var isCompressed = false
    /// Whether a JSONPath always gives a list.
    var keepsLists = false
    /// The names of fields that are not sent.
    var unset: [String] = []
    var fields: [(name: String, value: String)] = []
    var user: String?
    /// `aws:amz:region:service`, if the request is signed with the user's key.
    var signatureScope: String?
    /// The file that receives the body of the response.
    var output: String?
    /// Whether an output does not replace a file.
    var keepsOutputs = false
    private var isInsecure = false
    private var version: ConnectionSettings.HTTPVersionChoice?
    private var total: Duration?
    private var connect: Duration?
    private var proxy: String?
    private var noProxy: [String] = []
    private var netrc: String?
    private var family: AddressFamily?
    private var unixSocket: String?
    private var roots: String?
    private(set) var usesDigest = false
    private var certificate: String?
    private var key: String?
    /// Addresses in place of others; both with their ports.
    private var resolve: [(host: String, address: String)] = []

    /// Options of Hurl about its own output.
    private static let silent: Set = ["verbose", "very-verbose", "verbosity", "pretty", "no-pretty"]

    /// - Parameters:
    ///   - defaults: the options of the command line, before those of the entry.
    ///   - variables: the option `variable` sets one of them.
    init(
        of entry: FileEntry, _ defaults: [(name: String, value: String)], _ variables: inout FileVariables
    ) throws(EntryProblem) {
        try set(entry.standardOptions, &variables)
        for option in defaults {
            do throws(ValueProblem) {
                try set(option.name, option.value, &variables)
            } catch {
                throw EntryProblem(entry.place, "--option: \(error.reason)")
            }
        }
        try set(entry.options, &variables)
    }

    /// Finds a wrong option of the command line, before anything is sent.
    static func check(_ defaults: [(name: String, value: String)]) throws(UsageProblem) {
        var variables = FileVariables()
        let entry = FileEntry(place: FilePlace(line: 1, column: 1), method: "GET", url: TemplateText())
        do throws(EntryProblem) {
            _ = try EntryOptions(of: entry, defaults, &variables)
        } catch {
            throw UsageProblem("\(error.reason).")
        }
    }

    private mutating func set(
        _ options: [FileEntry.Option], _ variables: inout FileVariables
    ) throws(EntryProblem) {
        for option in options {
            do throws(ValueProblem) {
                try set(option.name, variables.text(of: option.value), &variables)
            } catch {
                throw EntryProblem(option.place, error.reason)
            }
        }
    }

    private mutating func set(
        _ name: String, _ value: String, _ variables: inout FileVariables
    ) throws(ValueProblem) {
        switch name {
        case "location", "location-trusted": follows = try Self.bool(value)
        case "max-redirs": maximumRedirects = try Self.count(value) ?? 10_000
        case "retry": retries = try Self.count(value)
        case "retry-interval": retryInterval = try Self.duration(value)
        case "delay": delay = try Self.duration(value)
        case "skip": isSkipped = try Self.bool(value)
        case "repeat":
            guard let count = try Self.count(value) else { throw ValueProblem("an endless repeat would never end") }
            repeats = count
        case "insecure": isInsecure = try Self.bool(value)
        case "compressed": isCompressed = try Self.bool(value)
        case "path-as-is": keepsDotSegments = try Self.bool(value)
        case "cookies": usesCookies = try Self.bool(value)
        case "http1.0": version = try Self.bool(value) ? .http10 : version
        case "http1.1": version = try Self.bool(value) ? .http11 : version
        case "http2": version = try Self.bool(value) ? .negotiated : version
        case "http2-prior-knowledge": version = try Self.bool(value) ? .http2 : version
        case "ipv4": family = try Self.bool(value) ? .ipv4 : family
        case "ipv6": family = try Self.bool(value) ? .ipv6 : family
        case "no-header": unset.append(value)
        case "no-jsonpath-coercion": keepsLists = try Self.bool(value)
        case "no-cookie-store": usesCookies = try !Self.bool(value)
        case "no-proxy", "noproxy": noProxy = value.split(separator: ",").map { String($0).trimmed }
        case "netrc-file": netrc = value
        case "netrc", "netrc-optional": netrc = try Self.bool(value) ? "" : nil
        case "max-time": total = try Self.duration(value, unit: .seconds(1))
        case "connect-timeout": connect = try Self.duration(value, unit: .seconds(1))
        case "proxy": proxy = value
        case "unix-socket": unixSocket = value
        case "user": user = value
        case "aws-sigv4": signatureScope = value
        case "digest": usesDigest = try Self.bool(value)
        case "basic": break
        case "cacert": roots = value
        case "cert": certificate = value
        case "key": key = value
        case "output": (output, keepsOutputs) = (value, false)
        case "output-new": (output, keepsOutputs) = (value, true)
        case "resolve":
            do throws(UsageProblem) {
                let override = try AddressOverride(parsing: value)
                resolve.append((override.host, override.address))
            } catch {
                throw ValueProblem(error.description)
            }
        case "connect-to":
            let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, !parts.contains("") else {
                throw ValueProblem("connect-to is written host:port:otherhost:otherport")
            }
            resolve.append(("\(parts[0].lowercased()):\(parts[1])", "\(parts[2]):\(parts[3])"))
        case "header":
            guard let colon = value.firstIndex(of: ":") else { throw ValueProblem("a header is written name: value") }
            fields.append((String(value[..<colon]).trimmed, String(value[value.index(after: colon)...]).trimmed))
        case "variable":
            guard let equals = value.firstIndex(of: "="), case let name = String(value[..<equals]).trimmed,
                !name.isEmpty
            else { throw ValueProblem("a variable is written name=value") }
            let text = String(value[value.index(after: equals)...]).trimmed
            variables.set(name, FileValue(typed: text))
        case _ where Self.silent.contains(name): break
        default:
            throw ValueProblem(
                "the option \(name) is not supported\(NearestName.question(name, in: FileEntry.Option.names.sorted()))")
        }
    }

    private static func bool(_ text: String) throws(ValueProblem) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw ValueProblem("“\(text)” is neither true nor false")
        }
    }

    /// nil for -1, which is no limit.
    private static func count(_ text: String) throws(ValueProblem) -> Int? {
        guard let count = Int(text), (-1...1_000_000_000).contains(count) else {
            throw ValueProblem("“\(text)” is no number, and not -1 for no limit")
        }
        return count < 0 ? nil : count
    }

    /// `500ms`, `2s`, `1m`, or a number of units.
    static func duration(
        _ text: String, unit: Duration = .milliseconds(1)
    ) throws(ValueProblem) -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        if let count = Int64(digits), count <= 1_000_000_000 {
            switch text.dropFirst(digits.count) {
            case "": return unit * Int(count)
            case "ms": return .milliseconds(count)
            case "s": return .seconds(count)
            case "m": return .seconds(count * 60)
            case "h": return .seconds(count * 3_600)
            default: break
            }
        }
        throw ValueProblem("“\(text)” is no duration, such as 500ms")
    }

    /// - Parameter folder: the folder of the file, where relative paths begin.
    func apply(to configuration: inout Configuration, folder: RequestFolder) {
        configuration.redirects = follows ? .follow(max: maximumRedirects) : .off
        configuration.limits.exchanges = max(configuration.limits.exchanges, (follows ? maximumRedirects : 0) + 20)
        if !usesCookies { configuration.cookies = .off }
        if let total {
            // A limit for the whole call replaces the default limits of its parts.
            (configuration.timeouts.total, configuration.timeouts.head, configuration.timeouts.idle) = (total, nil, nil)
        }
        if let connect { configuration.timeouts.connect = connect }
        // The run decodes by itself, because checks also look at the body as it was received.
        configuration.decoding = .off
        if let version { configuration.connection.httpVersion = version }
        if proxy == "none" {
            configuration.connection.proxy = .none
        } else if let proxy {
            configuration.connection.proxy = .url(proxy.contains("://") ? proxy : "http://\(proxy)")
        }
        if !noProxy.isEmpty { configuration.connection.proxy = configuration.connection.proxy.except(noProxy) }
        if let family { configuration.connection.addressFamily = family }
        if let unixSocket { configuration.connection.unixSocket = .file(folder.path(unixSocket)) }
        for override in resolve { configuration.connection.resolve[override.host] = override.address }
        if isInsecure { configuration.connection.tls.verification = .dangerouslyOff }
        if let roots { configuration.connection.tls.roots = .file(folder.existingPath(roots)) }
        if let certificate {
            let (name, passphrase) = CurlLine.certificate(certificate)
            let path = folder.existingPath(name)
            configuration.connection.tls.identity = .files(
                certificate: path, key: key.map(folder.existingPath) ?? path, passphrase: passphrase)
        }
        let names = unset.compactMap { HTTPField.Name($0) }
        if !names.isEmpty { configuration.wireInterceptors.append(UnsetFields(names: names)) }
        if let netrc { configuration.authentication = .netrc(netrc.isEmpty ? nil : folder.existingPath(netrc)) }
        if let user, signatureScope == nil {
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let password = parts.count > 1 ? parts[1] : ""
            configuration.authentication =
                usesDigest ? .digest(user: parts[0], password: password) : .basic(user: parts[0], password: password)
        }
    }
}

/// The reason why an entry could not be run, at its place.
struct EntryProblem: Error, Sendable {
    let place: FilePlace
    let reason: String

    init(_ place: FilePlace, _ reason: String) { (self.place, self.reason) = (place, reason) }
}

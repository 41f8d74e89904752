// Configuration: everything that can be set on a client, as values with defaults.

public import HTTPTypes
public import Logging
public import TsubameCore
public import TsubameEngine
public import TsubameWire

/// How a client behaves. Set in the closure of `Client.init` and of ``Client/with(_:)``.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") {
///     $0.timeouts.total = .seconds(20)
///     $0.cookies = .memory
///     $0.redirects = .follow(max: 5)
/// }
/// ```
public struct Configuration: Sendable {
    /// Fields added to every request that does not set them itself. They stay at home: a request to another origin than
    /// the client's own goes without them. Without a base URL, the URL that is asked for is home.
    public var headers = HTTPFields()
    /// The deadlines of every call, where its request sets none of its own.
    public var timeouts = Timeouts()
    /// How much of what comes from a server is accepted.
    public var limits = Limits()
    /// Which redirects are followed.
    public var redirects = RedirectPolicy.follow(max: 20)
    /// Whether cookies are kept; off unless set.
    public var cookies = CookiePolicy.off
    /// Whether responses are kept and used again; off unless set.
    public var cache = ResponseCachePolicy.off
    /// The credentials for the client's own origin; none unless set.
    public var authentication = Authentication.none
    /// What servers that want Digest have said; shared by the client's views.
    let digests = DigestMemory()
    /// Whether content codings are asked for and undone.
    public var decoding = DecodingPolicy.automatic
    /// What is sent again after a failure: requests that may be repeated, when their connection failed, unless set.
    public var retry = RetryPolicy.connectionFailures
    /// Whether hosts that ask for it are reached by https only; kept in memory unless set.
    public var hsts = HSTSPolicy.memory
    /// How many calls run at once and how many begin in a time; not limited unless set.
    public var traffic = TrafficPolicy.unlimited
    /// Where calls are logged: their ends at `info`, failures at `warning`, decisions at `debug`, all else at `trace`.
    /// Nowhere unless set. Credentials and secrets are withheld.
    public var logger: Logger?
    /// Your own hooks and arounds, outermost: each sees a call once.
    public var interceptors: [any Interceptor] = []
    /// Your own, innermost: each sees every request that is really sent, redirects included.
    public var wireInterceptors: [any Interceptor] = []
    /// Origins that get the client's fields and credentials like its own.
    public var allowedOrigins: Set<Origin> = []
    /// How connections are made: TLS, address overrides, pool.
    public var connection = ConnectionSettings()
    /// The charset of texts that name none, by a byte order mark or in Content-Type; UTF-8 unless set.
    public var defaultCharset: Charset?
    /// How JSON is written and read; Foundation's defaults unless set.
    public var json = JSONCoding.standard
    /// What delays are counted on, such as the one before a request is sent again; tests turn one by hand. Deadlines are
    /// always real time.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Names of parameters and fields, in lower case, whose values no text of a call or an error shows; one is secret if
    /// its name contains one of these. See ``Redaction/secrets`` for `auth` and `sig`.
    public var secrets = Redaction.standard.secrets

    /// The defaults.
    public init() {}

    /// With what a client and its views share.
    var prepared: Configuration {
        var copy = self
        copy.traffic = traffic.prepared(clock)
        return copy
    }

    /// How TLS is done; the same as `connection.tls`.
    public var tls: ConnectionSettings.TLS {
        get { connection.tls }
        set { connection.tls = newValue }
    }

    /// Which proxy requests go through; the same as `connection.proxy`.
    public var proxy: ProxyPolicy {
        get { connection.proxy }
        set { connection.proxy = newValue }
    }

    /// Where the addresses of names come from; the same as `connection.resolver`.
    public var resolver: NameResolver {
        get { connection.resolver }
        set { connection.resolver = newValue }
    }

    /// Addresses used instead of asking the resolver; the same as `connection.resolve`.
    public var resolve: [String: String] {
        get { connection.resolve }
        set { connection.resolve = newValue }
    }
}

extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is set, one thing a line, with credentials withheld.
    public var description: String {
        customMirror.children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Only what may be shown: interceptors by their names, fields without their secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "headers": headers.map { "\($0.name.rawName): \(Redaction(secrets: secrets).value(of: $0))" },
                "timeouts": timeouts, "limits": limits, "redirects": redirects, "cookies": cookies,
                "cache": cache,
                "authentication": authentication, "retry": retry, "hsts": hsts,
                "traffic": traffic, "decoding": decoding, "interceptors": interceptors.map(\.name),
                "wireInterceptors": wireInterceptors.map(\.name), "allowedOrigins": allowedOrigins,
                "connection": connection,
            ], displayStyle: .struct)
    }
}

// Configuration: everything that can be set on a client, as values with defaults.

public import HTTPTypes
public import Logging
public import TsubameCore
public import TsubameWire

/// The settings of a client. Set them in the closure of `Client.init` or of ``Client/with(_:)``.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") {
///     $0.timeouts.total = .seconds(20)
///     $0.cookies = .memory
///     $0.redirects = .follow(max: 5)
/// }
/// ```
public struct Configuration: Sendable {
    /// Fields that the client adds to every request that does not set them itself.
    ///
    /// A request to another origin than the client's own goes without them. For a client without a base URL, the
    /// origin of the requested URL counts as its own.
    public var headers = RequestHeaders()
    /// The deadlines of every call. A request may set its own.
    public var timeouts = Timeouts()
    /// How much the client accepts from a server.
    public var limits = Limits()
    /// The redirects that the client follows. The default is up to 20 in a call.
    public var redirects = RedirectPolicy.follow(max: 20)
    /// Where the client keeps cookies. The default is off.
    public var cookies = CookiePolicy.off
    /// Where the client keeps responses to use them again. The default is off.
    public var cache = ResponseCachePolicy.off
    /// The credentials for the client's own origin. The default is none.
    public var authentication = Authentication.none
    /// The Digest challenges that servers have sent. The client's views share them.
    let digests = DigestMemory()
    /// Whether the client asks for content codings and decodes them.
    public var decoding = DecodingPolicy.automatic
    /// Which failed requests the client sends again. By default, requests that may be repeated are retried when their
    /// connection fails.
    public var retry = RetryPolicy.connectionFailures
    /// Whether the client uses https only for hosts that ask for it. By default it remembers these hosts in memory.
    public var hsts = HSTSPolicy.memory
    /// How many calls may run at once, and how many may begin in a given time. The default is unlimited.
    public var traffic = TrafficPolicy.unlimited
    /// The logger for this client's calls. The default is nil: nothing is logged.
    ///
    /// The end of a call is logged at `info`, its failure at `warning`, decisions at `debug`, and everything else at
    /// `trace`. Credentials and secrets are withheld.
    public var logger: Logger?
    /// Your interceptors and message hooks, the outermost first. Each sees a call once.
    public var interceptors: [any Interceptor] = []
    /// Your interceptors and message hooks closest to the network. Each sees every request that is sent, including
    /// redirects.
    public var wireInterceptors: [any Interceptor] = []
    /// Other origins that receive the client's fields and credentials. The origin of the base URL receives them, also by
    /// https if HSTS upgrades it.
    public var allowedOrigins: Set<Origin> = []
    /// How connections are made: TLS, address overrides, pool.
    public var connection = ConnectionSettings()
    /// The charset of texts that name none, neither by a byte order mark, nor in Content-Type, nor in HTML by
    /// `<meta charset>`. The default is UTF-8.
    public var defaultCharset: Charset?
    /// How JSON is encoded and decoded. The default is Foundation's.
    public var json = JSONCoding.standard
    /// The clock of delays, such as the one before a retry. Tests use a clock that they advance by hand. Deadlines
    /// always follow real time.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Parts of the names of parameters and fields whose values are secret, in lower case. No text of a call or an
    /// error shows the value of a parameter or field whose name contains one of them. ``Redaction/secrets`` describes
    /// the exceptions for `auth` and `sig`.
    ///
    /// A request that a redirect or an interceptor leads to another origin loses the fields with such a name, except
    /// `Idempotency-Key`. The standard parts always count for that.
    public var secrets = Redaction.standard.secrets

    /// Creates a configuration with the defaults.
    public init() {}

    /// The configuration with the state that a client and its views share.
    var prepared: Configuration {
        var copy = self
        copy.traffic = traffic.prepared(clock)
        return copy
    }
}

extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The settings, one on each line, with credentials withheld.
    public var description: String {
        customMirror.children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The settings without secrets. Interceptors appear by their names.
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

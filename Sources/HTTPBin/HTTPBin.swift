// HTTPBin: an httpbin-compatible server inside the process, its settings and the ways to run it.
#if Server

/// An HTTP/1.1 and HTTP/2 server for testing clients, compatible with `httpbin` (value-equal JSON). Its own endpoints
/// are `/sse`, `/jsonl`, `/euc-jp`, `/timeline/{user}.xml`, `/login`, `/me`, `/keyvalue`, `/upload`, `/uploads`,
/// `/trailers`, `/early-hints`, `/slow-headers`, `/truncate/{n}`, `/query` and `/authority.pem`. `GET /` lists all endpoints.
///
/// With TLS the server offers HTTP/2 by ALPN. Without TLS it speaks HTTP/2 to a client that sends HTTP/2's connection
/// preface, on the same port (RFC 9113 section 3.3). The endpoints are the same. Where an endpoint breaks an HTTP/1.1
/// connection, it resets an HTTP/2 stream. A head that arrives byte by byte over HTTP/1.1 arrives late over HTTP/2.
///
/// Any number of servers may run in one process. Each keeps its own sessions and connections.
/// ```swift
/// let server = try await HTTPBin.start()
/// print(server.url)                        // http://127.0.0.1:40123
/// await server.stop()
/// ```
public struct HTTPBin: Sendable {
    /// The address or name to listen on. The default, `127.0.0.1`, is not reachable from other machines.
    public var host: String

    /// The TCP port to listen on. With 0 the system chooses a free port.
    public var port: Int

    /// The server's certificate and key for HTTPS. By default the server speaks HTTP.
    public var tls: Identity?

    /// Whether the server speaks HTTP/2 with clients that ask for it; true by default. A connection carries up to 100
    /// streams at once.
    public var http2: Bool

    /// The longest request body, in bytes, that an endpoint reads before it answers 413; 64 MiB by default. `/upload`
    /// has no limit, because it does not store the body. `/uploads` keeps 16 MiB in all.
    public var bodyLimit: Int

    /// The names and passwords that `/login` accepts; by default only ``sampleAccount``.
    public var accounts: [String: String]

    /// The number of bytes of a request's body that a ``RequestRecord`` keeps; 64 KiB by default.
    public var recordLimit: Int

    /// Called with every request after its last byte has arrived, for any response. The closure runs on the
    /// connection's event loop and must return soon. A request that breaks off is not reported.
    public var onRequest: (@Sendable (RequestRecord) -> Void)?

    /// Called with every step of every exchange, such as the head of a request and the end of a response. The closure runs on
    /// several threads and must return soon.
    public var onExchange: (@Sendable (ExchangeEvent) -> Void)?

    /// An account whose password needs percent-encoding for nearly every character that is special in a form.
    public static let sampleAccount = (name: "swallow", password: "p@ss w&rd=100%+燕;/?#[]")

    /// Creates the settings of a server. The server opens its port in ``start()`` or ``run(onListening:)``.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: Identity? = nil,
        http2: Bool = true,
        bodyLimit: Int = 64 * 1024 * 1024,
        accounts: [String: String] = [sampleAccount.name: sampleAccount.password],
        recordLimit: Int = 64 * 1024,
        onRequest: (@Sendable (RequestRecord) -> Void)? = nil
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.http2 = http2
        self.bodyLimit = bodyLimit
        self.accounts = accounts
        self.recordLimit = recordLimit
        self.onRequest = onRequest
    }

    /// Starts a server with default settings and returns when it listens.
    ///
    /// - Throws: ``HTTPBinError`` if the port is out of range, the server cannot listen on the address, or the identity
    ///   is invalid.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, tls: Identity? = nil
    ) async throws -> RunningHTTPBin {
        try await HTTPBin(host: host, port: port, tls: tls).start()
    }

    /// Starts a server with these settings and returns when it listens.
    ///
    /// - Throws: ``HTTPBinError`` if the port is out of range, the server cannot listen on the address, or the identity
    ///   is invalid.
    public func start() async throws -> RunningHTTPBin {
        guard (0...65535).contains(port) else { throw HTTPBinError.invalidPort(port) }
        return try await RunningHTTPBin(self)
    }

    /// Serves until the calling task is cancelled, then closes everything and returns.
    ///
    /// - Parameter onListening: called once, with the port on which the server listens.
    /// - Throws: ``HTTPBinError`` if the port is out of range, the server cannot listen on the address, or the identity
    ///   is invalid.
    public func run(onListening: @Sendable (Int) -> Void) async throws {
        let server = try await start()
        onListening(server.port)
        await withTaskCancellationHandler {
            await server.waitUntilClosed()
        } onCancel: {
            server.close()
        }
    }
}

#endif

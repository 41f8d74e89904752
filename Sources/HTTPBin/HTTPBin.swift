// An httpbin-compatible server inside the process: what it is told, and the ways to run it.
#if Server

/// A server of HTTP/1.1 and HTTP/2 to try clients on, compatible with `httpbin` (value-equal JSON) and with some
/// endpoints of its own: `/sse`, `/jsonl`, `/euc-jp`, `/timeline/{user}.xml`, `/login`, `/me`, `/keyvalue`,
/// `/upload`, `/uploads`, `/trailers`, `/early-hints`, `/slow-headers` and `/truncate/{n}`. `GET /` lists them all.
///
/// HTTPS offers HTTP/2 by ALPN; without TLS a client that begins with HTTP/2's connection preface is spoken to in HTTP/2,
/// on the same port (RFC 9113 section 3.3). The endpoints are the same. Where one breaks the connection of HTTP/1.1 it
/// resets the stream of HTTP/2, and a head that comes byte by byte there comes late here.
///
/// Any number of servers may run in one process; each keeps its own sessions and connections.
/// ```swift
/// let server = try await HTTPBin.start()
/// print(server.url)                        // http://127.0.0.1:40123
/// await server.stop()
/// ```
public struct HTTPBin: Sendable {
    /// The address or name to listen on. The default, `127.0.0.1`, cannot be reached from other machines.
    public var host: String

    /// The TCP port to listen on; 0 lets the system choose a free one.
    public var port: Int

    /// What the server proves itself with if it is to speak HTTPS; by default it speaks HTTP.
    public var tls: Identity?

    /// Whether HTTP/2 is spoken with clients that want it; by default it is. A connection carries up to 100 streams at once.
    public var http2: Bool

    /// The longest request body, in bytes, that an endpoint reads before it answers 413; 64 MiB by default.
    /// `/upload` has no limit, since it keeps nothing.
    public var bodyLimit: Int

    /// The names and passwords that `/login` accepts; by default only ``sampleAccount``.
    public var accounts: [String: String]

    /// How many bytes of a request's body a ``RequestRecord`` keeps; 64 KiB by default.
    public var recordLimit: Int

    /// Called with every request once it has been received to its last byte, whatever the answer will be.
    /// It runs on the connection's event loop and must return soon. A request that breaks off is not reported.
    public var onRequest: (@Sendable (RequestRecord) -> Void)?

    /// An account whose password needs percent-encoding in nearly every character that a form can trip over.
    public static let sampleAccount = (name: "swallow", password: "p@ss w&rd=100%+燕;/?#[]")

    /// Creates the settings of a server; nothing is opened before ``start()`` or ``run(onListening:)``.
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
    /// - Throws: ``HTTPBinError`` if the port is none, the address cannot be listened on or the identity is none.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, tls: Identity? = nil
    ) async throws -> RunningHTTPBin {
        try await HTTPBin(host: host, port: port, tls: tls).start()
    }

    /// Starts a server with these settings and returns when it listens.
    ///
    /// - Throws: ``HTTPBinError`` if the port is none, the address cannot be listened on or the identity is none.
    public func start() async throws -> RunningHTTPBin {
        guard (0...65535).contains(port) else { throw HTTPBinError.invalidPort(port) }
        return try await RunningHTTPBin(self)
    }

    /// Serves until the calling task is cancelled, then closes everything and returns.
    ///
    /// - Parameter onListening: called once, with the port that is listened on.
    /// - Throws: ``HTTPBinError`` if the port is none, the address cannot be listened on or the identity is none.
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

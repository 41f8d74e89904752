// ScriptedServer: an HTTP server on a real socket that does exactly what a test's script says.
#if TestServer

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
public import Tsubame

/// A server on 127.0.0.1 that sends exact bytes at exact times, as its script says. It records every request that it
/// receives.
///
/// ```swift
/// let server = try await ScriptedServer.start(replies: [
///     .redirect(to: "/elsewhere"),
///     [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .reset],
/// ])
/// // …send requests to server.url…
/// #expect(try await server.request(1).target == "/elsewhere")
/// await server.stop()
/// ```
/// It adds nothing to the script: it neither closes after `Connection: close` nor answers `Expect` by itself. The
/// exception is input that it cannot read, such as a chunk size that is no number. The server does not answer such
/// input but closes the connection, and ``ReceivedRequest/problem`` says what was wrong. Several servers can run at
/// once, each on its own port. A server stops when its last reference is released.
///
/// Over HTTP/2, with NIO's codec, each stream is answered by itself. The server then keeps only the codec's own rules:
/// it acknowledges settings and pings, and opens windows as it reads.
public final class ScriptedServer: Sendable {
    /// An error: the server was stopped before the awaited event happened.
    public struct Stopped: Error, CustomStringConvertible {
        /// The server, and the event that was awaited.
        public let description: String
    }

    /// An error: the server was started with `keepingRequests`, and no longer keeps the request.
    public struct Forgotten: Error, CustomStringConvertible {
        let index: Int

        /// The index of the request.
        public var description: String { "ScriptedServer keeps request \(index) no longer; see keepingRequests" }
    }

    /// The server's own event loops, so that a client under test that blocks its loops does not stop its server.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    /// Buffers of a fixed size, in bytes, where the system's would grow with use. So tests can measure back-pressure.
    private static let socketBuffer = 128 << 10

    private let listener: any Channel
    private let context: ServerContext
    private let isSecure: Bool
    /// The port that the system chose.
    public let port: Int

    private init(listener: any Channel, port: Int, context: ServerContext, isSecure: Bool) {
        self.listener = listener
        self.port = port
        self.context = context
        self.isSecure = isSecure
    }

    deinit { beginStopping() }

    // MARK: Starting

    /// Starts a server whose responses are computed.
    /// - Parameters:
    ///   - port: the port to listen on, for a server that takes the place of a stopped one; with 0 the system chooses.
    ///   - tls: the identity of the server, which then speaks TLS.
    ///   - versions: the versions of HTTP that the server speaks, the preferred one first. With HTTP/2 among them, TLS
    ///     offers them by ALPN. The first bytes of a connection tell its version, also without TLS (RFC 9113 section
    ///     3.3).
    ///   - link: the delays and the throughput of the connections; with nil nothing is delayed.
    ///   - keepingBodyBytes: the number of bytes of each request's body that the server keeps; it reads and counts all.
    ///   - keepingRequests: the number of requests that the server keeps, for servers that run for long; by default all. At
    ///     this number it forgets the older half of them, except those that are still arriving.
    ///   - script: called when a whole request has arrived. It is called on an event loop and must not block; to wait,
    ///     return a reply with ``Reply/Step/wait(for:)``.
    ///   - onHead: called when the head of a request has arrived. If it returns a reply, the reply begins at once and
    ///     `script` is not called.
    ///   - onConnect: called when a connection has been accepted. A reply that it returns begins at once, before a TLS
    ///     handshake, and ends before any request is answered. Over HTTP/2 requests are answered meanwhile.
    /// - Throws: the system's error if the port is taken, or that of an identity that cannot be used.
    public static func start(
        port: Int = 0, tls: TLSIdentity? = nil, versions: [HTTPVersion] = [.http11], link: LinkConditions? = nil,
        keepingBodyBytes: Int = 1 << 20, keepingRequests: Int = .max,
        _ script: @escaping @Sendable (ReceivedRequest) -> Reply = { _ in .ok() },
        onHead: @escaping @Sendable (ReceivedRequest) -> Reply? = { _ in nil },
        onConnect: @escaping @Sendable (_ connection: Int) -> Reply? = { _ in nil }
    ) async throws -> ScriptedServer {
        try await start(
            ServerScript(onConnect: onConnect, onHead: onHead, onRequest: script), port: port, tls: tls,
            versions: versions,
            link: link, keeping: keepingBodyBytes, requests: keepingRequests)
    }

    /// Starts a server that answers with these replies, one for each request in the order of arrival, and with 500
    /// after the last. A reply that is ``Reply/early`` begins when the head has arrived.
    /// - Throws: the system's error if there is no free port, or that of an identity that cannot be used.
    public static func start(
        replies: [Reply], tls: TLSIdentity? = nil, versions: [HTTPVersion] = [.http11],
        link: LinkConditions? = nil, keepingBodyBytes: Int = 1 << 20,
        onConnect: @escaping @Sendable (_ connection: Int) -> Reply? = { _ in nil }
    ) async throws -> ScriptedServer {
        try await start(
            .queued(replies, onConnect: onConnect), port: 0, tls: tls, versions: versions, link: link,
            keeping: keepingBodyBytes)
    }

    private static func start(
        _ script: ServerScript, port: Int, tls: TLSIdentity?, versions: [HTTPVersion], link: LinkConditions?,
        keeping limit: Int,
        requests: Int = .max
    ) async throws -> ScriptedServer {
        // An unusable identity fails here, and not later in a handshake.
        _ = try tls?.makeContext(offering: versions) { _ in }
        let context = ServerContext(
            script: script, record: Watched(ServerRecord(keeping: requests)), keptBodyBytes: max(limit, 0),
            versions: versions,
            link: link)
        // One loop for the listener and all connections, so that arrivals have one order.
        let listener = try await ServerBootstrap(group: group.next())
            .serverChannelOption(.socketOption(.so_rcvbuf), value: socketBuffer)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: socketBuffer)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, tls: tls, context: context) }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return ScriptedServer(
            listener: listener, port: listener.localAddress?.port ?? 0, context: context, isSecure: tls != nil)
    }

    private static func accept(_ channel: any Channel, tls: TLSIdentity?, context: ServerContext) throws {
        let record = context.record
        let number = record.change { record -> Int? in
            guard !record.isStopped else { return nil }
            record.channels[record.accepted] = channel
            record.accepted += 1
            return record.accepted - 1
        }
        guard let number else { throw ChannelError.ioOnClosedChannel }
        channel.closeFuture.whenComplete { _ in record.change { $0.channels[number] = nil } }

        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ServerWire())
        if let link = context.link {
            let schedule = LinkConditions.Schedule(link, connection: number)
            try pipeline.addHandler(SlowLink(schedule) { record.change { $0.moves &+= 1 } })
        }
        let serverName = ServerConnectionFacts.ServerName()
        var handler: NIOSSLServerHandler?
        if let tls {
            // Each connection has its own context, because the context does not say which connection its host belongs
            // to.
            let secure = NIOSSLServerHandler(
                context: try tls.makeContext(offering: context.versions) { serverName.set($0) })
            try pipeline.addHandler(secure)
            handler = secure
        }
        let output = ConnectionOutput()
        let facts = ServerConnectionFacts(number: number, tls: handler, serverName: serverName)
        try pipeline.addHandlers([output, ServerConnection(facts, server: context, output: output)])
    }

    /// `http://127.0.0.1:` (with TLS `https://127.0.0.1:`) and the port, without a slash at the end.
    public var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)" }

    // MARK: Stopping

    /// Closes the listener and every connection, even during a reply, and returns when all are closed. Tasks that wait
    /// for a request then get ``Stopped``.
    public func stop() async {
        beginStopping()
        try? await listener.closeFuture.get()
        for channel in context.record.read({ Array($0.channels.values) }) { try? await channel.closeFuture.get() }
    }

    private func beginStopping() {
        let (record, listener) = (context.record, listener)
        record.change { $0.isStopped = true }
        listener.eventLoop.execute {
            listener.close(promise: nil)
            for channel in record.read({ Array($0.channels.values) }) {
                channel.triggerUserOutboundEvent(ServerWire.End.cutOff, promise: nil)
            }
        }
    }

    /// Runs `body` with this server and stops the server afterwards, even if `body` throws.
    ///
    /// ```swift
    /// try await ScriptedServer.start { _ in .ok("hello") }.use { server in … }
    /// ```
    public func use<R>(_ body: (ScriptedServer) async throws -> R) async throws -> R {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    // MARK: Received requests

    /// All requests whose head has arrived, in the order of arrival; the latest ones, if the server keeps only some.
    public var requests: [ReceivedRequest] { context.record.read { $0.requests } }

    /// The request with this index, once the whole request has arrived. If its connection ends before, this returns the
    /// part that has arrived.
    /// - Throws: ``WaitTimeout`` after `time`, ``Stopped`` if the server is stopped before that, ``Forgotten``,
    ///   `CancellationError`.
    public func request(_ index: Int, within time: Duration = .seconds(60)) async throws -> ReceivedRequest {
        try await request(index, time, { $0.hasEnded })
    }

    /// The request with this index once its head has arrived, with as much of its body as there is.
    /// - Throws: ``WaitTimeout`` after `time`, ``Stopped`` if the server is stopped before that, ``Forgotten``,
    ///   `CancellationError`.
    public func head(_ index: Int, within time: Duration = .seconds(60)) async throws -> ReceivedRequest {
        try await request(index, time, { _ in true })
    }

    private func request(
        _ index: Int, _ time: Duration, _ isEnough: @escaping @Sendable (ReceivedRequest) -> Bool
    ) async throws -> ReceivedRequest {
        let find: @Sendable (ServerRecord) -> ReceivedRequest? = { $0[index].flatMap { isEnough($0) ? $0 : nil } }
        try await wait(within: time, for: "request \(index), counted from 0,") {
            index < $0.forgotten || find($0) != nil
        }
        if let request = context.record.read(find) { return request }
        if index < context.record.read({ $0.forgotten }) { throw Forgotten(index: index) }
        throw stopped("request \(index) had come")
    }

    /// Waits until the condition is met or the server has stopped.
    private func wait(
        within time: Duration, for what: String, until isMet: @escaping @Sendable (ServerRecord) -> Bool
    ) async throws {
        try await context.record.wait(
            within: time, for: "\(what) at the ScriptedServer on port \(port)", seen: { $0.summary },
            until: { $0.isStopped || isMet($0) })
    }

    private func stopped(_ what: String) -> Stopped {
        Stopped(description: "ScriptedServer on port \(port) was stopped before \(what)")
    }

    // MARK: Connections and bytes

    /// The number of open connections.
    public var openConnections: Int { context.record.read { $0.channels.count } }

    /// The number of connections that have been accepted, open or not.
    public var acceptedConnections: Int { context.record.read { $0.accepted } }

    /// Waits until exactly `count` connections are open. The server counts a connection once it has accepted it.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError`; ``Stopped`` if the server is stopped and the number is
    ///   never reached.
    public func waitUntil(openConnections count: Int, within time: Duration = .seconds(60)) async throws {
        // The next connection may come before this task runs again, so the number is not looked at a second time.
        let isReached = Mutex(false)
        try await context.record.wait(
            within: time, for: "\(count) open connections at the ScriptedServer on port \(port)",
            seen: { $0.summary },
            until: { record in
                guard record.channels.count == count else { return record.isStopped && record.channels.isEmpty }
                isReached.withLock { $0 = true }
                return true
            })
        guard isReached.withLock({ $0 }) else { throw stopped("\(count) connections were open") }
    }

    /// Waits until at least `count` connections have been accepted.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError`; ``Stopped`` if the server is stopped before that.
    public func waitUntil(acceptedConnections count: Int, within time: Duration = .seconds(60)) async throws {
        try await wait(within: time, for: "\(count) connections") { $0.accepted >= count }
        guard acceptedConnections >= count else { throw stopped("\(count) connections were accepted") }
    }

    /// The number of bytes of request bodies that have arrived, on all connections, without the framing of chunks.
    public var acceptedBodyBytes: Int { context.record.read { $0.acceptedBodyBytes } }

    /// The number of bytes that ``Reply/Step/repeating(_:count:)`` and ``Reply/Step/generated(_:)`` have handed to the
    /// socket, on all connections. The socket's own buffer takes up to 256 KiB that the client has not read.
    public var sentBodyBytes: Int { context.record.read { $0.sentBodyBytes } }

    /// Waits until at least `count` bytes of request bodies have arrived.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError`; ``Stopped`` if the server is stopped before that.
    public func waitUntil(acceptedBodyBytes count: Int, within time: Duration = .seconds(60)) async throws {
        try await wait(within: time, for: "\(count) bytes of request bodies") { $0.acceptedBodyBytes >= count }
        guard acceptedBodyBytes >= count else { throw stopped("\(count) bytes of request bodies had arrived") }
    }

    /// Waits until at least `count` bytes of response bodies have been handed to the socket.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError`; ``Stopped`` if the server is stopped before that.
    public func waitUntil(sentBodyBytes count: Int, within time: Duration = .seconds(60)) async throws {
        try await wait(within: time, for: "\(count) bytes of response bodies") { $0.sentBodyBytes >= count }
        guard sentBodyBytes >= count else { throw stopped("\(count) bytes of response bodies were sent") }
    }

    /// Waits until the client blocks a body by not reading, and no byte has moved on any connection for `time`. A test
    /// of back-pressure calls this before it looks at ``sentBodyBytes``. The absence of bytes is no event, hence the
    /// time; while bytes move, the wait continues.
    /// - Throws: ``WaitTimeout`` if no body is blocked within `limit`, and also if bytes still move then.
    ///   `CancellationError`; ``Stopped`` if the server is stopped before that.
    public func waitUntilBlocked(for time: Duration = .milliseconds(200), within limit: Duration = .seconds(60))
        async throws
    {
        let record = context.record
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        while true {
            try await wait(within: limit, for: "a body that the client does not read") { !$0.blocked.isEmpty }
            let before = record.read { $0.moves }
            try await Task.sleep(for: time)
            let (isBlocked, isStopped, now) = record.read { (!$0.blocked.isEmpty, $0.isStopped, $0.moves) }
            if isStopped { throw stopped("a body was blocked") }
            if isBlocked, now == before { return }
            guard clock.now < end else {
                throw WaitTimeout(
                    description: "waited \(limit) for \(time) without a byte at the ScriptedServer on port \(port); "
                        + "so far: \(record.read { $0.summary })")
            }
        }
    }
}
#endif

// FramePeer: an HTTP/2 server that follows a script, frame by frame.

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing
import Tsubame

@testable import TsubameTesting

/// A server on 127.0.0.1 for behaviour that well-behaved servers do not show, and for tests that are exact to the
/// frame. It shares no codec with the library: its HPACK is NIOHPACK's.
///
/// ```swift
/// let peer = try await FramePeer.start { connection in
///     let request = try await connection.nextRequest()
///     try await connection.sendHeaders(request.stream, [(":status", "200")])
///     try await connection.reset(request.stream, 0x2)
/// }
/// try await serving(peer) { peer, client in … }
/// ```
/// Each connection runs the script once, in the context of the test, so that `#expect` works there. A connection stays
/// open when its script has returned. By itself the peer sends its SETTINGS and acknowledges the client's SETTINGS and
/// PINGs. It gives no windows back.
final class FramePeer: Sendable {
    typealias Script = @Sendable (FrameConnection) async throws -> Void

    /// A frame that no client may send. It fails the test.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private struct Record: Sendable {
        var connections: [FrameConnection] = []
        /// The open channels by number.
        var channels: [Int: any Channel] = [:]
        var isStopped = false
    }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let listener: any Channel
    private let record: Watched<Record>
    private let script: Script
    private let ready: AsyncStream<FrameConnection>
    private let readyContinuation: AsyncStream<FrameConnection>.Continuation
    private let isSecure: Bool
    let port: Int

    private init(
        _ listener: any Channel, _ record: Watched<Record>, _ script: @escaping Script,
        _ ready: (stream: AsyncStream<FrameConnection>, continuation: AsyncStream<FrameConnection>.Continuation),
        isSecure: Bool
    ) {
        self.listener = listener
        self.record = record
        self.script = script
        self.ready = ready.stream
        readyContinuation = ready.continuation
        self.isSecure = isSecure
        port = listener.localAddress?.port ?? 0
    }

    deinit { beginStopping() }

    /// - Parameters:
    ///   - settings: the settings that the peer sends on each new connection. With nil the script sends everything
    ///     itself, acknowledgements too.
    ///   - tls: the identity of the peer, which then speaks TLS.
    ///   - protocols: the protocols that the peer then offers by ALPN.
    static func start(
        settings: [(UInt16, UInt32)]? = [], tls: TLSIdentity? = nil, protocols: [String] = ["h2"],
        _ script: @escaping Script
    ) async throws -> FramePeer {
        let record = Watched(Record())
        let context = try tls.map { try makeContext($0, protocols) }
        let ready = AsyncStream<FrameConnection>.makeStream()
        let listener = try await ServerBootstrap(group: group.next())
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [continuation = ready.continuation] channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try accept(channel, context, record)
                    let receiver = FrameReceiver(connection, settings: settings) { connection in
                        if let settings { connection.answer(.settings(settings)) }
                        continuation.yield(connection)
                    }
                    try channel.pipeline.syncOperations.addHandler(receiver)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FramePeer(listener, record, script, ready, isSecure: tls != nil)
    }

    private static func makeContext(_ identity: TLSIdentity, _ protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatesPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    private static func accept(
        _ channel: any Channel, _ context: NIOSSLContext?, _ record: Watched<Record>
    ) throws -> FrameConnection {
        let connection = record.change { record -> FrameConnection? in
            guard !record.isStopped else { return nil }
            let connection = FrameConnection(number: record.connections.count, channel)
            record.connections.append(connection)
            record.channels[connection.number] = channel
            return connection
        }
        guard let connection else { throw ChannelError.ioOnClosedChannel }
        channel.closeFuture.whenComplete { _ in record.change { $0.channels[connection.number] = nil } }
        try channel.pipeline.syncOperations.addHandler(ServerWire())
        if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
        return connection
    }

    /// `http://127.0.0.1:` (with TLS: `https://localhost:`) and the port.
    var url: String { isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    // MARK: Running and stopping

    /// Runs the script on each connection while `body` runs, then closes all connections. An error of a script fails
    /// the test, unless the error says that its connection has ended.
    func use<R>(_ body: (FramePeer) async throws -> R) async throws -> R {
        let (ready, script) = (ready, script)
        // A child task has the test's context.
        let scripts = Task {
            await withDiscardingTaskGroup { group in
                for await connection in ready { group.addTask { await Self.run(script, connection) } }
            }
        }
        let result: Result<R, any Error>
        do { result = .success(try await body(self)) } catch { result = .failure(error) }
        await stop()
        scripts.cancel()
        await scripts.value
        for violation in connections.compactMap(\.violation) { Issue.record(violation) }
        return try result.get()
    }

    private static func run(_ script: Script, _ connection: FrameConnection) async {
        do {
            try await script(connection)
        } catch is FrameConnection.Ended {
        } catch is Violation {
        } catch is CancellationError {
        } catch {
            Issue.record(error, "the script of connection \(connection.number)")
        }
    }

    private func beginStopping() {
        let (record, listener) = (record, listener)
        record.change { $0.isStopped = true }
        readyContinuation.finish()
        listener.eventLoop.execute {
            listener.close(promise: nil)
            for channel in record.read({ Array($0.channels.values) }) {
                channel.triggerUserOutboundEvent(FrameConnection.cutOff, promise: nil)
            }
        }
    }

    private func stop() async {
        beginStopping()
        try? await listener.closeFuture.get()
        for channel in record.read({ Array($0.channels.values) }) { try? await channel.closeFuture.get() }
    }

    // MARK: Connections

    /// Every connection that was made, in order.
    var connections: [FrameConnection] { record.read { $0.connections } }

    var acceptedConnections: Int { record.read { $0.connections.count } }

    var openConnections: Int { record.read { $0.channels.count } }

    /// The connection with this number, as soon as it is made.
    func connection(_ number: Int) async throws -> FrameConnection {
        try await record.wait { $0.connections.count > number || $0.isStopped }
        return try #require(connections.dropFirst(number).first, "connection \(number) was never made")
    }

    func waitUntil(openConnections count: Int) async throws {
        try await record.wait { $0.channels.count == count || $0.isStopped }
    }
}

extension PeerFrame {
    static func settings(_ settings: [(UInt16, UInt32)]) -> PeerFrame {
        PeerFrame(.settings, settings.flatMap { $0.bigEndianBytes + $1.bigEndianBytes })
    }
}

/// Starts a peer, runs `body` while the script runs for each connection, and stops the peer.
func withFramePeer<R>(
    settings: [(UInt16, UInt32)]? = [], tls: TLSIdentity? = nil, protocols: [String] = ["h2"],
    _ script: @escaping FramePeer.Script, client body: (FramePeer) async throws -> R
) async throws -> R {
    try await FramePeer.start(settings: settings, tls: tls, protocols: protocols, script).use(body)
}

/// Runs `body` with the peer and a client of it. Afterwards no call may run, no connection may be leased, and, once the
/// client is closed, none may be open at either end.
func serving<R>(
    _ peer: FramePeer, base: String? = nil, _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (FramePeer, Client) async throws -> R
) async throws -> R {
    try await peer.use { peer in
        let result = try await withClient(base ?? peer.url, configure) { try await body(peer, $0) }
        try await peer.waitUntil(openConnections: 0)
        return result
    }
}

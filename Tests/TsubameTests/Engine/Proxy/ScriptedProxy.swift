// ScriptedProxy: a proxy on a real socket, of any kind, with faults where a test asks for them.

import NIOCore
import NIOPosix
import NIOSSL
import Tsubame

@testable import TsubameTesting

/// A proxy on 127.0.0.1 that speaks HTTP (forwarding and CONNECT), SOCKS 4, 4a and 5, as each client does. It records
/// every byte that it receives.
///
/// It reaches only the servers of its `routes`, all on this machine. The test defines the meaning of each name.
final class ScriptedProxy: Sendable {
    /// Called at each moment; with nil the proxy acts as usual. It runs on an event loop and must not block.
    typealias Script = @Sendable (_ moment: ProxyMoment, _ connection: Int) -> [ProxyStep]?

    struct Stopped: Error {}

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let listener: any Channel
    private let context: ProxyContext
    let port: Int

    private init(listener: any Channel, port: Int, context: ProxyContext) {
        self.listener = listener
        self.port = port
        self.context = context
    }

    deinit { beginStopping() }

    /// - Parameters:
    ///   - routes: for each `host:port` a port of 127.0.0.1.
    ///   - tls: the identity of the proxy, which then speaks TLS.
    ///   - credentials: the `user:password` that every client must send; for SOCKS 4 the user alone.
    ///   - drips: whether each byte of the proxy's own messages is sent in a separate write.
    static func start(
        routes: [String: Int] = [:], tls: TLSIdentity? = nil, credentials: String? = nil, drips: Bool = false,
        _ script: @escaping Script = { _, _ in nil }
    ) async throws -> ScriptedProxy {
        let context = ProxyContext(
            record: Watched(ProxyRecord()), routes: routes, credentials: credentials, drips: drips, script: script)
        let listener = try await ServerBootstrap(group: group.next())
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, tls: tls, context: context) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedProxy(listener: listener, port: listener.localAddress?.port ?? 0, context: context)
    }

    private static func accept(_ channel: any Channel, tls: TLSIdentity?, context: ProxyContext) throws {
        let record = context.record
        let number = record.change { record -> Int? in
            guard !record.isStopped else { return nil }
            record.channels[record.connections.count] = channel
            record.connections.append(ProxyRecord.Connection())
            return record.connections.count - 1
        }
        guard let number else { throw ChannelError.ioOnClosedChannel }
        channel.closeFuture.whenComplete { _ in record.change { $0.channels[number] = nil } }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ServerWire())
        if let tls {
            let secure = try tls.makeContext(offering: [.http11]) { name in
                record.change { $0.connections[number].serverName = name }
            }
            try pipeline.addHandler(NIOSSLServerHandler(context: secure))
        }
        try pipeline.addHandler(ProxySession(number: number, context: context, hasTLS: tls != nil))
    }

    /// The proxy's URL with a scheme, and with `user:password` if given.
    func url(_ kind: ProxyKind, _ userinfo: String? = nil) -> String {
        "\(kind.rawValue)://\(userinfo.map { $0 + "@" } ?? "")127.0.0.1:\(port)"
    }

    // MARK: Stopping

    func stop() async {
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

    func use<R>(_ body: (ScriptedProxy) async throws -> R) async throws -> R {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    // MARK: Received requests and bytes

    /// All requests, in the order of arrival.
    var requests: [ProxyRequest] { context.record.read { $0.requests } }

    /// The request with this index, as soon as it has arrived.
    func request(_ index: Int) async throws -> ProxyRequest {
        try await context.record.wait { $0.requests.count > index || $0.isStopped }
        let requests = requests
        guard requests.indices.contains(index) else { throw Stopped() }
        return requests[index]
    }

    var openConnections: Int { context.record.read { $0.channels.count } }

    var acceptedConnections: Int { context.record.read { $0.connections.count } }

    func waitUntil(openConnections count: Int) async throws {
        try await context.record.wait { $0.channels.count == count || $0.isStopped }
        guard openConnections == count else { throw Stopped() }
    }

    func waitUntil(acceptedConnections count: Int) async throws {
        try await context.record.wait { $0.connections.count >= count || $0.isStopped }
        guard acceptedConnections >= count else { throw Stopped() }
    }

    /// The bytes that the proxy itself received on a connection, without its own TLS and without tunnelled bytes.
    func received(_ connection: Int = 0) -> [UInt8] { read(connection)?.received ?? [] }

    /// The client's bytes through the tunnel of a connection.
    func tunnelled(_ connection: Int = 0) -> [UInt8] { read(connection)?.tunnelled ?? [] }

    /// All bytes that clients sent on any connection.
    var allBytes: [UInt8] { context.record.read { $0.connections.flatMap { $0.received + $0.tunnelled } } }

    /// The host that the client named in the proxy's own TLS handshake (SNI).
    func serverName(_ connection: Int = 0) -> String? { read(connection)?.serverName }

    private func read(_ connection: Int) -> ProxyRecord.Connection? {
        context.record.read { $0.connections.indices.contains(connection) ? $0.connections[connection] : nil }
    }
}

/// The events at a proxy so far.
struct ProxyRecord: Sendable {
    struct Connection: Sendable {
        var received: [UInt8] = []
        var tunnelled: [UInt8] = []
        var serverName: String?
    }

    var requests: [ProxyRequest] = []
    var connections: [Connection] = []
    /// The open connections by number.
    var channels: [Int: any Channel] = [:]
    var isStopped = false
}

/// The state that the connections of one proxy share.
struct ProxyContext: Sendable {
    /// The number of tunnelled bytes that are kept.
    static let kept = 64 << 10

    let record: Watched<ProxyRecord>
    let routes: [String: Int]
    let credentials: String?
    let drips: Bool
    let script: ScriptedProxy.Script
}

/// Runs `body` with an origin, a proxy that knows it under some names, and a client that uses the proxy. Afterwards
/// nothing may be open at any of them.
/// - Parameters:
///   - names: each `host:port` under which the proxy finds the origin.
///   - base: the client's base URL.
///   - credentials: the credentials that the proxy requires and the client sends.
///   - userinfo: the same in the form of the proxy's URL, if the credentials need an encoding.
func proxying<R>(
    _ origin: ScriptedServer, as names: [String], base: String? = "http://a.example", by kind: ProxyKind = .http,
    credentials: String? = nil, userinfo: String? = nil, drips: Bool = false,
    script: @escaping ScriptedProxy.Script = { _, _ in nil }, configure: (inout Configuration) -> Void = { _ in },
    _ body: (ScriptedServer, ScriptedProxy, Client) async throws -> R
) async throws -> R {
    let routes = Dictionary(uniqueKeysWithValues: names.map { ($0, origin.port) })
    let proxy = try await ScriptedProxy.start(
        routes: routes, tls: kind == .https ? .localhost : nil, credentials: credentials, drips: drips, script)
    return try await proxy.use { proxy in
        let result = try await serving(
            origin, base: base,
            {
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.proxyTLS.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.proxy = .url(proxy.url(kind, userinfo ?? credentials))
                configure(&$0)
            }
        ) { try await body($0, proxy, $1) }
        try await proxy.waitUntil(openConnections: 0)
        return result
    }
}

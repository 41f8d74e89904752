// Listener: accepts connections and hands each to Hummingbird.

#if Inspector
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Hummingbird's own server hands connections over through a sequence, and traps if it stops while one is in it. Here each
/// connection gets its task while it is being accepted.
final class Listener: Sendable {
    typealias Answer = @Sendable (ServerRequest, any Channel) async throws -> ServerResponse

    private struct State {
        var isClosed = false
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    private final class Connections: Sendable {
        let state = Mutex(State())

        func add(_ channel: any Channel) {
            let isClosed = state.withLock { state in
                state.open[ObjectIdentifier(channel)] = channel
                return state.isClosed
            }
            channel.closeFuture.whenComplete { _ in
                self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
            }
            if isClosed { channel.close(promise: nil) }
        }

        func closeAll() {
            let open = state.withLock { state in
                state.isClosed = true
                return state.open.values
            }
            for channel in open { channel.close(promise: nil) }
        }
    }

    /// The most connections at once. A page takes six.
    private static let mostConnections = 64
    /// The time after which a connection without a whole request is closed. Feeds are requests in progress.
    private static let idleTimeout = TimeAmount.seconds(20)

    let port: Int
    private let channel: any Channel
    private let connections: Connections

    init(host: String, port: Int, answer: @escaping Answer) async throws {
        let connections = Connections()
        let logger = Logger(label: "TsubameInspector", factory: { _ in SwiftLogNoOpLogHandler() })
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                let response = try await answer(request, channel)
                try await writer.write(response: response.head, body: response.body)
            }, configuration: .init(idleTimeout: Self.idleTimeout))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                let count = connections.state.withLock { $0.open.count }
                guard count <= Self.mostConnections else { return channel.close() }
                return http.setup(channel: channel, logger: logger).map { value in
                    Task.detached { await http.handle(value: value, logger: logger) }
                }.map { _ in }
            }
            .bind(host: host, port: port)
            .get()
        self.port = channel.localAddress?.port ?? port
        self.connections = connections
    }

    deinit { close() }

    func close() {
        channel.close(promise: nil)
        connections.closeAll()
    }

    func stop() async {
        close()
        try? await channel.closeFuture.get()
        for connection in connections.state.withLock({ Array($0.open.values) }) {
            try? await connection.closeFuture.get()
        }
    }
}
#endif

// RawClient: sends bytes to a server, receives bytes, and reports how the connection ended.

import NIOCore
import NIOPosix
import NIOSSL
import TsubamePlatform
@testable import TsubameTesting

/// A client that knows nothing of HTTP.
final class RawClient: Sendable {
    enum End: Sendable, Hashable {
        /// By FIN; with TLS, after a close_notify.
        case closed
        case reset
        /// TLS without a close_notify.
        case truncated
        case failed(String)
    }

    struct State: Sendable {
        var received: [UInt8] = []
        var reads = 0
        /// The server will send no more.
        var isAtEnd = false
        var end: End?
    }

    private let channel: any Channel
    private let state: Watched<State>

    private init(_ channel: any Channel, _ state: Watched<State>) {
        self.channel = channel
        self.state = state
    }

    /// - Parameter name: the host to name and to expect in TLS; nil to expect the address.
    static func connect(
        to server: ScriptedServer, tls roots: String? = nil, name: String? = nil, isPaused: Bool = false
    ) async throws -> RawClient {
        let state = Watched(State())
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: !isPaused)
            .channelOption(.allowRemoteHalfClosure, value: roots == nil)
            .channelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let roots {
                        var configuration = TLSConfiguration.makeClientConfiguration()
                        configuration.trustRoots = .certificates(
                            try NIOSSLCertificate.fromPEMBytes(Array(roots.utf8)))
                        let context = try NIOSSLContext(configuration: configuration)
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        return RawClient(channel, state)
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes)).get()
    }

    /// Hands bytes over without waiting for the socket to take them.
    func sendLater(_ bytes: [UInt8]) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    func pauseReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func resumeReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// Everything received, once there are `count` bytes or no more will arrive.
    func received(_ count: Int) async throws -> String {
        try await state.wait { $0.received.count >= count || $0.isAtEnd }
        return text
    }

    /// Everything received, once the server will send no more.
    func receivedAll() async throws -> String {
        try await state.wait { $0.isAtEnd }
        return text
    }

    /// Everything received, once it ends with this text.
    func received(endingIn end: String) async throws -> String {
        let wanted = Array(end.utf8)
        try await state.wait { $0.received.suffix(wanted.count).elementsEqual(wanted) || $0.isAtEnd }
        return text
    }

    var bytes: [UInt8] { state.read { $0.received } }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether this side can still send.
    var isOpen: Bool { state.read { $0.end == nil } }

    /// How the server ended the connection, or its sending direction, once it has.
    func end() async throws -> End {
        try await state.wait { $0.isAtEnd }
        return state.read { $0.end } ?? .closed
    }

    func close() async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let state: Watched<State>
        private var failure: End?

        init(_ state: Watched<State>) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Self.unwrapInboundIn(data)
            state.change {
                $0.received += bytes.readableBytesView
                $0.reads += 1
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { state.change { $0.isAtEnd = true } }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if case .uncleanShutdown = error as? NIOSSLError {
                failure = failure ?? .truncated
            } else if let error = error as? IOError, error.errnoCode == ECONNRESET {
                failure = failure ?? .reset
            } else {
                failure = failure ?? .failed("\(error)")
            }
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            let end = failure ?? .closed
            state.change {
                $0.isAtEnd = true
                $0.end = end
            }
        }
    }
}

// CloseNotifyTests: a server that says the end of TLS, though its connection stays open.

import NIOCore
import NIOPosix
import Synchronization
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct CloseNotifyTests {
    @Test func `a connection that ends in the read of its last answer carries no other request`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            guard request.target == "/first" else { return .ok("early or second") }
            return [.wait(for: gate), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"), .close]
        }
        try await server.use { server in
            try await Self.ask(by: server.port, gate)
            #expect(server.acceptedConnections == 2 && server.requests.count == 3)
        }
    }

    @Test func `over HTTP/2 such a connection takes no other stream either`() async throws {
        let gate = Gate()
        // One stream at once, so that the second request waits.
        let peer = try await FramePeer.start(settings: [(3, 1)], tls: .localhost) { connection in
            while true {
                let request = try await connection.nextRequest()
                guard request[":path"] == "/first" else {
                    try await connection.respond(request.stream, text: "early or second")
                    continue
                }
                try await gate.wait()
                try await connection.respond(request.stream, text: "first")
                return await connection.close()
            }
        }
        try await peer.use { peer in
            try await Self.ask(by: peer.port, gate)
            #expect(peer.acceptedConnections == 2)
        }
    }

    /// Asks twice by way of a relay. The second request waits for the connection of the first, whose answer comes late and
    /// with the end of TLS.
    private static func ask(by port: Int, _ gate: Gate) async throws {
        let relay = try await LateRelay(to: port)
        let client = Client("https://localhost:\(relay.port)") {
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
            $0.connection.connectionsPerOrigin = 1
            $0.retry = .off
        }
        // An answer follows the peer's SETTINGS, which limit the streams of the connection.
        #expect(try await client.get("early").text() == "early or second")
        let first = Task { try await client.get("first").text() }
        try await client.waitUntil { $0.running == 1 && $0.leased == 1 }
        let second = Task { try await client.post("second", body: .text("x")).text() }
        try await client.waitUntil { $0.waiting == 1 }
        relay.beLate()
        gate.open()
        #expect(try await first.value == "first")
        #expect(try await second.value == "early or second")
        try await relay.stop()
    }
}

/// Passes bytes on. Late bytes of the first connection's server are kept until the server has ended its direction, and then
/// passed on in one piece, without the end.
private final class LateRelay: Sendable {
    final class Switch: Sendable {
        let isOn = Atomic(false)
    }

    private let isLate: Switch
    private let listener: any Channel

    var port: Int { listener.localAddress?.port ?? 0 }

    init(to port: Int) async throws {
        let (isLate, isOpen) = (Switch(), Switch())
        self.isLate = isLate
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                let isFirst = !isOpen.isOn.exchange(true, ordering: .relaxed)
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(
                                Passing(to: client) { isFirst && isLate.isOn.load(ordering: .relaxed) })
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Passing(to: server) { false })
                        client.setOption(.autoRead, value: true).whenComplete { _ in }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func beLate() { isLate.isOn.store(true, ordering: .relaxed) }

    func stop() async throws { try await listener.close().get() }
}

private final class Passing: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let isLate: () -> Bool
    private var kept = ByteBuffer()

    init(to other: any Channel, isLate: @escaping () -> Bool) {
        self.other = other
        self.isLate = isLate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isLate() { kept.writeBuffer(&bytes) } else { other.writeAndFlush(bytes, promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed = event as? ChannelEvent, kept.readableBytes > 0 else { return }
        other.writeAndFlush(kept, promise: nil)
        kept.clear()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if kept.readableBytes > 0 { other.writeAndFlush(kept, promise: nil) }
        if !isLate() { other.close(promise: nil) }
    }
}

// FaultProxy: a TCP relay that breaks connections at random moments, from a seed.
#if TestServer

import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TsubameTesting

/// Relays every connection to a server, and breaks some of them.
final class FaultProxy: Sendable {
    /// An event that a connection suffers when a piece of bytes has arrived.
    enum Fault: String, CaseIterable {
        /// The rest of the piece is lost, and both connections are closed.
        case cut
        /// The rest of the piece is lost, and both connections are reset.
        case reset
        /// Nothing arrives any more, in both directions, but the connections stay open.
        case drop
        /// The piece and all after it arrive up to 100 ms later.
        case delay
        /// One bit is wrong. Only TLS notices that, so only connections with TLS get it.
        case corrupt
    }

    /// How often each fault has happened.
    private let counts = Mutex<[Fault: Int]>([:])
    private let listener: Mutex<(any Channel)?> = Mutex(nil)

    /// The number of faults so far, by kind.
    var faults: [Fault: Int] { counts.withLock { $0 } }

    /// Starts a relay to a port of this machine.
    /// - Parameters:
    ///   - chance: the probability that a fault happens to a piece of bytes.
    ///   - hasTLS: whether bits may be changed.
    /// - Returns: the port of the relay.
    func start(to port: Int, chance: Double, hasTLS: Bool, seed: UInt64) async throws -> Int {
        let connections = Atomic<UInt64>(0)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { [self] client in
                let number = connections.wrappingAdd(1, ordering: .relaxed).newValue
                let plan = FaultPlan(chance: chance, hasTLS: hasTLS, seed: seed &+ number &* 0x1_0001) { [self] fault in
                    counts.withLock { $0[fault, default: 0] += 1 }
                }
                return relay(client, to: port, plan)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.listener.withLock { $0 = listener }
        return listener.localAddress?.port ?? 0
    }

    private func relay(_ client: any Channel, to port: Int, _ plan: FaultPlan) -> EventLoopFuture<Void> {
        // Both channels are on one loop, so they share the plan without a lock.
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { server in
                let plan = NIOLoopBound(plan, eventLoop: client.eventLoop)
                try client.pipeline.syncOperations.addHandler(RelayHandler(to: server, plan.value))
                try server.pipeline.syncOperations.addHandler(RelayHandler(to: client, plan.value))
                server.read()
            }
    }
}

/// The faults of one connection. Confined to its event loop.
final class FaultPlan {
    private let chance: Double
    private let kinds: [FaultProxy.Fault]
    private let note: (FaultProxy.Fault) -> Void
    private var random: SplitMix64
    /// Whether nothing arrives any more.
    private(set) var isDropped = false

    init(chance: Double, hasTLS: Bool, seed: UInt64, note: @escaping (FaultProxy.Fault) -> Void) {
        self.chance = chance
        self.note = note
        kinds = FaultProxy.Fault.allCases.filter { $0 != .corrupt || hasTLS }
        random = SplitMix64(state: seed)
    }

    /// The fault that happens to a piece of this length, and where in the piece.
    func next(length: Int) -> (fault: FaultProxy.Fault, offset: Int)? {
        guard !isDropped, Double.random(in: 0..<1, using: &random) < chance,
            let fault = kinds.randomElement(using: &random)
        else { return nil }
        isDropped = fault == .drop
        note(fault)
        return (fault, Int.random(in: 0..<max(length, 1), using: &random))
    }

    var delay: TimeAmount { .milliseconds(Int64.random(in: 1...100, using: &random)) }
}

/// One direction of a connection.
private final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let plan: FaultPlan

    init(to other: any Channel, _ plan: FaultPlan) {
        self.other = other
        self.plan = plan
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        guard let (fault, offset) = plan.next(length: bytes.readableBytes) else {
            return plan.isDropped ? context.read() : pass(bytes, context)
        }
        switch fault {
        case .cut, .reset:
            bytes.moveWriterIndex(to: bytes.readerIndex + offset)
            end(after: bytes, context, isReset: fault == .reset)
        case .drop: context.read()
        case .delay:
            let (later, bytes) = (NIOLoopBound(context, eventLoop: context.eventLoop), bytes)
            context.eventLoop.assumeIsolated().scheduleTask(in: plan.delay) { self.pass(bytes, later.value) }
        case .corrupt:
            let index = bytes.readerIndex + offset
            if let byte = bytes.getInteger(at: index, as: UInt8.self) { bytes.setInteger(byte ^ 0x10, at: index) }
            pass(bytes, context)
        }
    }

    /// Reads on when the other side has taken the bytes.
    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        other.writeAndFlush(bytes).assumeIsolated().whenComplete { _ in context.value.read() }
    }

    private func end(after bytes: ByteBuffer, _ context: ChannelHandlerContext, isReset: Bool) {
        let channels = [other, context.channel]
        other.writeAndFlush(bytes).whenComplete { _ in
            for channel in channels {
                if isReset, let socket = channel as? any SocketOptionProvider {
                    _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                }
                channel.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The bytes written before must arrive.
        let other = other
        other.writeAndFlush(ByteBuffer()).whenComplete { _ in other.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif

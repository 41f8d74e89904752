// SocketChannel: a channel of SwiftNIO on a socket of the library's own.

import NIOCore
import TsubamePlatform
import TsubameSockets

/// Gives the bytes of a socket to a pipeline, and the pipeline's bytes to the socket. TLS and the connections stand in the
/// pipeline.
///
/// The loop reports each state once. So a channel reads until the socket has no more, until it has used its budget, or until
/// its pipeline wants no more (``isReading``).
// Confined to its loop. Any thread may ask for `closeFuture` and the pipeline, which never change.
final class SocketChannel: LoopMember, @unchecked Sendable {
    enum State { case new, connecting, active, closed }

    let loop: NIOLoop
    let closePromise: EventLoopPromise<Void>
    private(set) lazy var line = ChannelPipeline(channel: self)
    /// nil once the channel is closed.
    @exclusivity(unchecked) private(set) var socket: Socket?
    private let descriptor: Int32
    @exclusivity(unchecked) private(set) var state = State.new
    @exclusivity(unchecked) private var id: MemberID?
    private var connectPromise: EventLoopPromise<Void>?

    /// Whether the pipeline takes bytes as they come (autoRead).
    @exclusivity(unchecked) var isReading = true
    /// The sizes of the reads.
    @exclusivity(unchecked) var reads = AdaptiveRecvByteBufferAllocator()
    @exclusivity(unchecked) var input = ByteBuffer()
    @exclusivity(unchecked) var hasEnded = false

    @exclusivity(unchecked) var pending = PendingWrites()
    @exclusivity(unchecked) var isWriting = false
    @exclusivity(unchecked) var takesWrites = true
    private(set) var addresses: (local: NIOCore.SocketAddress?, remote: NIOCore.SocketAddress?) = (nil, nil)

    init(_ loop: NIOLoop, _ socket: consuming Socket) {
        self.loop = loop
        descriptor = socket.descriptor
        self.socket = consume socket
        closePromise = loop.makePromise()
        // The pipeline refers to the channel; it is made on the loop, before anything else can ask for it.
        _ = line
    }

    // MARK: Connecting

    /// Connects the socket, once the handlers stand. The promise has the outcome.
    func connect(to address: TsubameSockets.SocketAddress, _ promise: EventLoopPromise<Void>) {
        // An attempt that fails at once fails the promise, too.
        connectPromise = promise
        do throws(SocketError) {
            guard let connecting = try socket?.connect(to: address) else {
                return promise.fail(ChannelError.ioOnClosedChannel)
            }
            state = .connecting
            let id = loop.loop.add(self)
            self.id = id
            line.fireChannelRegistered()
            guard state == .connecting else { return }
            try loop.loop.watch(descriptor, for: id)
            // The loop's report would come one turn later.
            if case .connected = connecting { connected() }
        } catch {
            fail(Self.ioError(error))
        }
    }

    private func connected() {
        if let error = socket?.connectionError() { return fail(Self.ioError(error)) }
        state = .active
        addresses = (
            try? socket?.localAddress().flatMap(Self.address), try? socket?.remoteAddress().flatMap(Self.address)
        )
        let promise = connectPromise
        connectPromise = nil
        line.fireChannelActive()
        promise?.succeed()
        if state == .active, pending.hasFlushed { writeOut() }
    }

    /// SwiftNIO's own error of a system call, which the rest of the engine knows.
    static func ioError(_ error: SocketError) -> IOError {
        IOError(errnoCode: error.code, reason: error.operation.rawValue)
    }

    // MARK: Events

    func ready(_ states: Readiness) {
        if state == .connecting {
            guard !states.isDisjoint(with: [.writable, .ended]) else { return }
            connected()
        }
        guard state == .active else { return }
        if states.contains(.ended) { hasEnded = true }
        // A write to a connection that has ended fails, and what the peer said before is read first.
        if states.contains(.readable) { read() }
        if states.contains(.writable), state == .active, pending.hasFlushed { writeOut() }
    }

    func deadlinePassed() {}

    /// Reads on in the loop's next turn, or writes.
    func callAgain() {
        if let id { loop.loop.callAgain(id) }
    }

    func arm(_ states: Readiness) { loop.loop.arm(descriptor, states) }

    // MARK: The end

    /// Closes the channel because of an error, which the pipeline sees first.
    func fail(_ error: any Error) {
        guard state != .closed else { return }
        if state == .active { line.fireErrorCaught(error) }
        close(error, nil)
    }

    /// Closes the socket in the loop's next turn. TLS has said that it ends, and the peer's answer is not awaited.
    func closeSoon() { loop.execute { self.close(ChannelError.ioOnClosedChannel, nil) } }

    func close(_ error: any Error, _ promise: EventLoopPromise<Void>?) {
        guard state != .closed else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        let before = state
        state = .closed
        if let id {
            loop.loop.unwatch(descriptor)
            loop.loop.remove(id)
        }
        socket = nil
        id = nil
        let failed = pending.removeAll()
        let connect = connectPromise
        connectPromise = nil
        for promise in failed { promise.fail(error) }
        promise?.succeed()
        connect?.fail(error)
        if before == .active { line.fireChannelInactive() }
        if before != .new { line.fireChannelUnregistered() }
        // A handler may be in the middle of something.
        loop.execute {
            self.removeHandlers(pipeline: self.line)
            self.closePromise.succeed()
        }
    }

    // MARK: Addresses

    private static func address(_ address: TsubameSockets.SocketAddress) -> NIOCore.SocketAddress? {
        switch address {
        case .unix(let path): try? NIOCore.SocketAddress(unixDomainSocketPath: path)
        case .ipv4, .ipv6:
            address.withSystemForm { form, _ in
                form.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                    Int32(form.pointee.sa_family) == AF_INET6
                        ? NIOCore.SocketAddress(six.pointee)
                        : form.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                            NIOCore.SocketAddress($0.pointee)
                        }
                }
            }
        }
    }
}

extension TsubameSockets.SocketAddress {
    /// - Returns: nil for a Unix-domain socket without a path.
    init?(_ address: NIOCore.SocketAddress) {
        var storage = sockaddr_storage()
        address.withSockAddr { form, size in
            withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(start: form, count: min(size, bytes.count)))
            }
        }
        self.init(storage)
    }
}

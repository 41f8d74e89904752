// SocketChannel: the bytes of one connection, plain or through TLS, on a socket of the library's own.

import NIOCore
import NIOSSL
import TsubamePlatform
import TsubameSockets

/// Gives the bytes of a socket to a receiver, and the receiver's bytes to the socket.
///
/// A plain connection reads and writes its socket here and nowhere else. TLS is a filter: NIOSSL's handler stands in a
/// pipeline of SwiftNIO, whose head is the socket and whose tail is the receiver. There is no pipeline without TLS.
///
/// The loop reports each state once. So a channel reads until the socket has no more, until it has used its budget, or until
/// its receiver wants no more (``isReading``).
// Confined to its loop. NIOSSL asks for the pipeline on the loop, too.
final class SocketChannel: LoopMember, @unchecked Sendable {
    enum State { case new, connecting, active, closed }

    /// The names by which the loop and the system know it.
    struct Registration {
        let descriptor: Int32
        var id: MemberID?
        /// Whether a call in the loop's next turn is asked for.
        var isCalledAgain = false
    }

    struct Input {
        var isOn = true
        var size = ReadSize()
        var budget = ReadBudget()
        /// For bytes that TLS decrypts.
        var encrypted = ByteBuffer()
        var hasEnded = false
        /// Whether a read is under way.
        var isInRead = false
        /// Whether bytes were reported before the connection stood.
        var cameEarly = false
        /// The reader of the socket in place of the channel.
        var loan: (any ChannelLoan)?
    }

    struct Output {
        var pending = PendingWrites()
        /// Whether a write is under way.
        var isWriting = false
        /// Whether the receiver is sending through TLS, which may find a fault. The receiver is told that later.
        var isInSend = false
        var isWritable = true
        /// The error of a write that broke the connection. The system tells it once, and a read then finds an end.
        var error: SocketError?
    }

    let loop: NIOLoop
    /// The pipeline of TLS.
    private(set) lazy var pipeline = ChannelPipeline(channel: self)
    /// Whether the bytes go through the pipeline.
    @exclusivity(unchecked) private(set) var isSecured = false
    /// The owner of the received bytes. A channel that closes lets go of it.
    @exclusivity(unchecked) var receiver: (any ChannelReceiver)?
    /// nil once the channel is closed.
    @exclusivity(unchecked) private(set) var socket: Socket?
    @exclusivity(unchecked) private(set) var state = State.new
    @exclusivity(unchecked) var registration: Registration
    private var whenConnected: ((any Error)?) -> Void = { _ in }
    /// Called once, when the socket is closed.
    private let whenClosed: () -> Void
    private var closePromise: EventLoopPromise<Void>?
    @exclusivity(unchecked) var input = Input()
    @exclusivity(unchecked) var output = Output()

    init(_ loop: NIOLoop, _ socket: consuming Socket, whenClosed: @escaping () -> Void) {
        self.loop = loop
        self.whenClosed = whenClosed
        registration = Registration(descriptor: socket.descriptor)
        self.socket = consume socket
    }

    /// Puts TLS between the socket, which is connected, and the receiver, and begins the handshake. A second one runs inside
    /// the first. The reader sees the encrypted bytes first.
    func addTLS(_ handler: NIOSSLClientHandler, behind reader: ServerHelloReader) throws {
        isSecured = true
        try pipeline.syncOperations.addHandler(reader)
        try pipeline.syncOperations.addHandler(handler)
        try pipeline.syncOperations.addHandler(HandshakeReport(reader))
    }

    /// Whether the receiver takes bytes as they come.
    var isReading: Bool { input.isOn }
    /// Whether the socket has ended in at least one direction, though bytes may be left to read.
    var hasEnded: Bool { input.hasEnded }
    /// Whether few bytes wait for the socket. The receiver is told when they become few (``ChannelReceiver/becameWritable()``).
    var isWritable: Bool { output.isWritable }

    // MARK: Connecting

    /// Connects the socket.
    /// - Parameter done: called once on the loop, with the error if there is one.
    func connect(to address: SocketAddress, _ done: @escaping ((any Error)?) -> Void) {
        whenConnected = done
        do throws(SocketError) {
            guard let connecting = try socket?.connect(to: address) else {
                return tellConnected(ChannelError.ioOnClosedChannel)
            }
            state = .connecting
            let id = loop.loop.add(self)
            registration.id = id
            try loop.loop.watch(registration.descriptor, for: id)
            // The loop's report would come one turn later.
            if case .connected = connecting { connected(nil) }
        } catch {
            fail(Self.ioError(error))
        }
    }

    private func connected(_ error: SocketError?) {
        if let error { return fail(Self.ioError(error)) }
        state = .active
        tellConnected(nil)
        if state == .active, output.pending.hasFlushed { writeOut() }
    }

    private func tellConnected(_ error: (any Error)?) {
        let done = whenConnected
        whenConnected = { _ in }
        done(error)
    }

    /// SwiftNIO's own error of a system call, which the rest of the engine knows.
    static func ioError(_ error: SocketError) -> IOError {
        IOError(errnoCode: error.code, reason: error.operation.rawValue)
    }

    // MARK: Events

    func calledAgain() {
        registration.isCalledAgain = false
        ready([.readable, .writable])
    }

    func ready(_ states: Readiness) {
        if state == .connecting {
            guard states.isWritable || states.hasEnded else {
                // A poller may report bytes on their own, before it reports that the connection stands.
                input.cameEarly = true
                return
            }
            // The report of an attempt that has failed says that the connection has ended.
            connected(states.hasEnded ? socket?.connectionError() : nil)
            if input.cameEarly, !states.isReadable, state == .active { read() }
        }
        guard state == .active else { return }
        if states.hasEnded { input.hasEnded = true }
        // A write to a connection that has ended fails, and what the peer said before is read first.
        // Bytes for which it is called again come in that call.
        if states.isReadable, !registration.isCalledAgain { read() }
        if states.isWritable, state == .active, output.pending.hasFlushed { writeOut() }
    }

    /// Sets when the receiver is told that its deadline has passed; ``MonotonicClock/never`` clears it.
    @inline(__always)
    func setDeadline(_ due: MonotonicTime) {
        if let id = registration.id { loop.loop.setDeadline(of: id, to: due) }
    }

    func deadlinePassed() { receiver?.deadlinePassed() }

    /// Reads on in the loop's next turn, or writes.
    func callAgain() {
        guard !registration.isCalledAgain, let id = registration.id else { return }
        registration.isCalledAgain = true
        loop.loop.callAgain(id)
    }

    // MARK: Writing

    /// More bytes than this wait for the socket: the receiver should write no more.
    private static let highMark = 64 << 10
    /// Fewer bytes than this wait again.
    private static let lowMark = 32 << 10

    /// Sends the bytes, through TLS if there is TLS.
    /// - Parameter promise: succeeds when the socket has taken them.
    @inline(__always)
    func send(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>? = nil) {
        if isSecured {
            // Sending may bring the word that the channel takes more, and with it this again.
            let wasInSend = output.isInSend
            output.isInSend = true
            pipeline.syncOperations.writeAndFlush(NIOAny(buffer), promise: promise)
            output.isInSend = wasInSend
        } else if promise == nil, output.pending.isEmpty, state == .active, output.error == nil {
            sendAtOnce(buffer)
        } else {
            write(buffer, promise)
            flush()
        }
    }

    /// Sends bytes that are there only during the call. There is no TLS.
    @inline(__always)
    func send(_ bytes: UnsafeRawBufferPointer) {
        guard output.pending.isEmpty, state == .active, output.error == nil else {
            return send(ByteBuffer(bytes: bytes))
        }
        switch socket?.write(bytes) ?? .wouldBlock {
        case .bytes(let count):
            if count < bytes.count { sendLater(bytes, from: count) }
        case .wouldBlock: sendLater(bytes, from: 0)
        case .failed(let error): writeFailed(error)
        }
    }

    private func sendLater(_ bytes: UnsafeRawBufferPointer, from count: Int) {
        write(ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: bytes[count...])), nil)
        flush()
    }

    /// Gives the bytes to the socket, which takes at once what it can. The rest waits.
    private func sendAtOnce(_ buffer: ByteBuffer) {
        switch buffer.withUnsafeReadableBytes({ socket?.write($0) ?? .wouldBlock }) {
        case .bytes(let count):
            guard count < buffer.readableBytes else { return }
            var rest = buffer
            rest.moveReaderIndex(forwardBy: count)
            write(rest, nil)
            flush()
        case .wouldBlock:
            write(buffer, nil)
            flush()
        case .failed(let error): writeFailed(error)
        }
    }

    /// Keeps bytes for the socket until the next ``flush()``.
    func write(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        guard state != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        output.pending.append(buffer, promise)
        if output.pending.byteCount > Self.highMark { output.isWritable = false }
    }

    func flush() {
        output.pending.flush()
        if state == .active { writeOut() }
    }

    /// Writes until the socket takes no more, and then arms it.
    private func writeOut() {
        // A promise that is fulfilled here may write and flush: the loop below takes that along.
        guard !output.isWriting, output.error == nil else { return }
        output.isWriting = true
        defer { output.isWriting = false }
        var done: [EventLoopPromise<Void>] = []
        // One of them may have found the connection broken.
        while state == .active, output.error == nil, output.pending.hasFlushed {
            let outcome = output.pending.withPieces { socket?.write($0) ?? .wouldBlock }
            switch outcome {
            case .bytes(let count):
                output.pending.remove(count, &done)
                for promise in done { promise.succeed() }
                done.removeAll(keepingCapacity: true)
                tellWritability()
            case .wouldBlock: return loop.loop.arm(registration.descriptor, .writable)
            case .failed(let error): return writeFailed(error)
            }
        }
    }

    /// Whether the connection was broken when bytes were to be sent. It then takes no more.
    var hasFailedWriting: Bool { output.error != nil || state == .closed }

    private func writeFailed(_ error: SocketError) {
        output.error = error
        input.hasEnded = true
        // The peer may have said why before it closed, and its bytes can still be read. A read that runs does so. Otherwise
        // the loop's next turn does, since the receiver is not told while it sends.
        if !input.isInRead { callAgain() }
    }

    private func tellWritability() {
        guard !output.isWritable, output.pending.byteCount < Self.lowMark, state == .active else { return }
        output.isWritable = true
        receiver?.becameWritable()
    }

    // MARK: The end

    /// Made once, since an error costs an allocation.
    private static let closedError: any Error = ChannelError.ioOnClosedChannel

    /// Closes the channel. TLS tells the peer that it ends, and the peer's answer is not awaited.
    func end() {
        guard isSecured, state != .closed else { return close(Self.closedError) }
        pipeline.close(mode: .all, promise: nil)
        loop.execute { self.close(Self.closedError) }
    }

    /// Closes the channel because of an error, which the receiver sees first.
    func fail(_ error: any Error) {
        guard state != .closed else { return }
        if state == .active {
            if isSecured { pipeline.fireErrorCaught(error) } else { receiver?.failed(error) }
        }
        close(error)
    }

    /// Tells the receiver of a fault of TLS.
    func tellFailed(_ error: any Error) {
        guard let receiver else { return }
        if output.isInSend { loop.assumeIsolated().execute { receiver.failed(error) } } else { receiver.failed(error) }
    }

    /// Closes the socket now.
    func close(_ error: any Error) {
        guard state != .closed else { return }
        let before = state
        state = .closed
        if let id = registration.id {
            loop.loop.unwatch(registration.descriptor)
            loop.loop.remove(id)
        }
        registration.id = nil
        closeSocket()
        for promise in output.pending.removeAll() { promise.fail(error) }
        tellConnected(error)
        if isSecured, before == .active { pipeline.fireChannelInactive() }
        let receiver = receiver
        self.receiver = nil
        if before == .active {
            if output.isInSend { loop.assumeIsolated().execute { receiver?.closed() } } else { receiver?.closed() }
        }
        closePromise?.succeed()
        // A handler may be in the middle of something.
        if isSecured { loop.execute { self.removeHandlers(pipeline: self.pipeline) } }
    }

    /// Closes the socket, or shuts it down until the read of another thread is done.
    private func closeSocket() {
        let loan = input.loan
        input.loan = nil
        guard loan?.revoke({ self.releaseSocket() }) ?? true else { return Socket.endBoth(registration.descriptor) }
        releaseSocket()
    }

    private func releaseSocket() {
        socket = nil
        whenClosed()
    }

    // MARK: The state of the connection

    /// The number of written bytes that the peer has not taken yet, as far as the system tells.
    var untakenBytes: Int { output.pending.byteCount + (socket?.untakenBytes() ?? 0) }

    /// nil once the channel is closed.
    var isEstablished: Bool? { socket?.isEstablished() }

    // MARK: Lending

    /// Open until the channel is closed, and until a loan is taken back.
    var descriptor: Int32 { registration.descriptor }

    /// Whether another thread may read the socket: the channel has paused, has no TLS, and has written everything.
    var canLend: Bool { !isSecured && state == .active && !input.isOn && output.pending.isEmpty && output.error == nil }

    /// Lets another thread read the socket. The loop is not told of it meanwhile, since each report would wake the loop.
    func lend(to loan: any ChannelLoan) {
        input.loan = loan
        loop.loop.unwatch(registration.descriptor)
    }

    /// The other thread reads no more.
    func takeBack() {
        input.loan = nil
        guard let id = registration.id else { return }
        do throws(SocketError) {
            try loop.loop.watch(registration.descriptor, for: id)
        } catch {
            fail(Self.ioError(error))
        }
    }

    /// The other thread has found the end of the socket, or an error.
    func endAfterLoan(_ error: SocketError?) {
        input.hasEnded = true
        if let error { fail(Self.ioError(error)) } else { close(ChannelError.eof) }
    }

    /// SwiftNIO wants every channel to have it. Succeeds when the socket is closed.
    var closeFuture: EventLoopFuture<Void> {
        if let closePromise { return closePromise.futureResult }
        let promise = loop.makePromise(of: Void.self)
        closePromise = promise
        if state == .closed { promise.succeed() }
        return promise.futureResult
    }
}

// ReplyRunner: performs the steps of the replies of one connection, one after the other.
#if TestServer

internal import NIOCore

/// Confined to the event loop of its connection.
final class ReplyRunner {
    /// A request's turn to be answered. Requests that arrive early wait for their turn.
    final class Turn {
        /// The reply; nil until the script has been asked.
        var reply: Reply?
        /// Whether the request has been received to its end.
        var isWhole: Bool
        /// Whether the request is HEAD, so that the response has no body.
        var isHead = false

        init(_ reply: Reply?, isWhole: Bool) {
            self.reply = reply
            self.isWhole = isWhole
        }
    }

    /// A body that is being sent.
    private struct Flow {
        var next: () -> ByteBuffer?
        /// The number of bytes that the socket has not taken yet.
        var inFlight = 0
        var isAtEnd = false
    }

    /// The number of bytes of a body that NIO may hold before the socket has taken them.
    private static let window = 64 << 10

    private let channel: any Channel
    private let number: Int
    private let record: Watched<ServerRecord>
    private let hasTLS: Bool
    private var turns: [Turn] = []
    private var position = 0
    /// Whether a step is in progress; `finish` continues after it.
    private var isBusy = false
    private var awaitsRequest = false
    /// Whether the connection can read no more requests.
    private var hasGivenUp = false
    private var flow: Flow?
    private var isPumpDue = false
    private var leaveGate: (@Sendable () -> Void)?
    private var hasEnded = false
    /// Whether bytes have gone either way, so that a TLS handshake, if there is one, is over.
    var hasMoved = false

    init(_ channel: any Channel, number: Int, record: Watched<ServerRecord>, hasTLS: Bool) {
        self.channel = channel
        self.number = number
        self.record = record
        self.hasTLS = hasTLS
    }

    func add(_ turn: Turn) {
        turns.append(turn)
        proceed()
    }

    /// Performs the steps that can be performed now.
    func proceed() {
        if awaitsRequest, turns.first?.isWhole == true {
            awaitsRequest = false
            finish()
            return
        }
        while !isBusy, !hasEnded, let turn = turns.first, let steps = turn.reply?.steps {
            if position < steps.count {
                isBusy = true
                perform(steps[position].kind, for: turn)
            } else {
                turns.removeFirst()
                position = 0
            }
        }
    }

    /// The input cannot be read any further, so this closes the connection after the replies that have begun or are
    /// due. A reply that waits for the rest of its request would wait for ever, so it is broken off.
    func giveUp() {
        hasGivenUp = true
        if awaitsRequest { return end(by: .cutOff) }
        add(Turn(.close, isWhole: true))
    }

    /// The connection has ended.
    func end() {
        hasEnded = true
        leaveGate?()
        leaveGate = nil
        flow = nil
        turns = []
        setBlocked(false)
    }

    private func finish() {
        guard !hasEnded else { return }
        isBusy = false
        position += 1
        proceed()
    }

    private func perform(_ step: Reply.Step.Kind, for turn: Turn) {
        switch step {
        case .bytes(let bytes): write([bytes])
        case .content(let bytes): write(turn.isHead ? [] : [bytes])
        case .pieces(let pieces): write(pieces[...])
        case .repeating(let piece, let count):
            start(Self.repeating(channel.allocator.buffer(bytes: piece), count: count))
        case .generated(let piece):
            var index = 0
            let allocator = channel.allocator
            start {
                defer { index += 1 }
                return piece(index).map { allocator.buffer(bytes: $0) }
            }
        case .wait(let gate):
            let loop = channel.eventLoop
            let runner = NIOLoopBound(self, eventLoop: loop)
            leaveGate = gate.whenOpen {
                loop.execute {
                    runner.value.leaveGate = nil
                    runner.value.finish()
                }
            }
        case .wholeRequest:
            if turn.isWhole { finish() } else if hasGivenUp { end(by: .cutOff) } else { awaitsRequest = true }
        case .stopReading: setReading(false)
        case .resumeReading: setReading(true)
        case .readOnce:
            channel.read()
            finish()
        case .stall: break
        case .halfClose:
            let done = channel.eventLoop.makePromise(of: Void.self)
            channel.close(mode: .output, promise: done)
            done.futureResult.assumeIsolated().whenComplete { _ in self.finish() }
        case .close:
            guard hasTLS, hasMoved else { return end(by: .cutOff) }
            let done = channel.eventLoop.makePromise(of: Void.self)
            channel.close(mode: .output, promise: done)
            done.futureResult.assumeIsolated().whenComplete { _ in self.end(by: .cutOff) }
        case .cutOff: end(by: .cutOff)
        case .reset: end(by: .reset)
        }
    }

    private func end(by end: ServerWire.End) {
        channel.triggerUserOutboundEvent(end, promise: nil)
    }

    private func setReading(_ isOn: Bool) {
        try? channel.syncOptions?.setOption(.autoRead, value: isOn)
        finish()
    }

    // MARK: Bytes

    /// Writes each piece on its own, a turn of the event loop apart.
    private func write(_ pieces: ArraySlice<[UInt8]>) {
        guard let piece = pieces.first else {
            finish()
            return
        }
        send(channel.allocator.buffer(bytes: piece)) {
            // Not at once, because thousands of pieces would nest as many calls.
            self.channel.eventLoop.assumeIsolated().execute { self.write(pieces.dropFirst()) }
        }
        channel.flush()
    }

    private func send(_ bytes: ByteBuffer, then done: @escaping () -> Void) {
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.write(bytes, promise: written)
        // A write that failed belongs to a connection that has ended or is about to.
        written.futureResult.assumeIsolated().whenSuccess {
            self.hasMoved = true
            self.record.change { $0.moves &+= 1 }
            if !self.hasEnded { done() }
        }
    }

    // MARK: Bodies

    private static func repeating(_ piece: ByteBuffer, count: Int?) -> () -> ByteBuffer? {
        guard piece.readableBytes > 0 else { return { nil } }
        var left = count
        return {
            guard let rest = left else { return piece }
            guard rest > 0 else { return nil }
            let length = min(rest, piece.readableBytes)
            left = rest - length
            return piece.getSlice(at: piece.readerIndex, length: length)
        }
    }

    private func start(_ next: @escaping () -> ByteBuffer?) {
        // The response to HEAD has no body.
        flow = Flow(next: turns.first?.isHead == true ? { nil } : next)
        pump()
    }

    /// Writes as much as the window holds. It continues in a later turn of the event loop, when the socket has taken
    /// bytes.
    private func pump() {
        guard !hasEnded, var flow else { return }
        var pieces: [ByteBuffer] = []
        while !flow.isAtEnd, flow.inFlight < Self.window {
            if let piece = flow.next() {
                flow.inFlight += max(piece.readableBytes, 1)
                pieces.append(piece)
            } else {
                flow.isAtEnd = true
            }
        }
        self.flow = flow
        for piece in pieces {
            send(piece) {
                let count = piece.readableBytes
                self.record.change { $0.sentBodyBytes += count }
                self.flow?.inFlight -= max(count, 1)
                self.pumpSoon()
            }
        }
        channel.flush()
        setBlocked((self.flow?.inFlight ?? 0) > 0)
        finishFlow()
    }

    private func pumpSoon() {
        guard !isPumpDue, flow?.isAtEnd == false else { return finishFlow() }
        isPumpDue = true
        channel.eventLoop.assumeIsolated().execute {
            self.isPumpDue = false
            self.pump()
        }
    }

    private func finishFlow() {
        guard let flow, flow.isAtEnd, flow.inFlight == 0 else { return }
        self.flow = nil
        setBlocked(false)
        finish()
    }

    private func setBlocked(_ isBlocked: Bool) {
        let number = number
        guard record.read({ $0.blocked.contains(number) }) != isBlocked else { return }
        record.change { record in
            if isBlocked { record.blocked.insert(number) } else { record.blocked.remove(number) }
        }
    }
}
#endif

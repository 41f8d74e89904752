// ReplyRunner: performs the steps of the replies of one connection, or of one HTTP/2 stream, one after the other.
#if TestServer

internal import NIOCore
internal import TsubamePlatform

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
        /// The number of bytes of the request's body that have arrived.
        var bodyByteCount = 0

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

    /// The connection, or its HTTP/2 stream.
    private let channel: any Channel
    private let writer: ReplyWriter
    private let output: ConnectionOutput
    private let record: Watched<ServerRecord>
    private let hasTLS: Bool
    /// Whether the connection speaks HTTP/2 alone, although no stream is there yet.
    private let speaksHTTP2: Bool
    private var turns: [Turn] = []
    private var position = 0
    /// Whether a step is in progress; `finish` continues after it.
    private var isBusy = false
    /// The number of bytes of the request's body that a step waits for.
    private var awaitedBody: Int?
    /// The numbers of bytes of content that may still be sent, and the marks at which the reply continues then.
    private var limits: [(bytes: Int, mark: UniqueNumber)] = []
    /// Whether `proceed` is running. A step that is done at once must not nest another call.
    private var isProceeding = false
    /// Whether the connection can read no more requests.
    private var hasGivenUp = false
    private var flow: Flow?
    private var isPumpDue = false
    private var leaveGate: (@Sendable () -> Void)?
    private var pause: Scheduled<Void>?
    private var hasEnded = false
    /// - Parameter channel: the connection, or its HTTP/2 stream.
    init(
        _ channel: any Channel, writer: ReplyWriter, output: ConnectionOutput, record: Watched<ServerRecord>,
        hasTLS: Bool, speaksHTTP2: Bool = false
    ) {
        self.channel = channel
        self.writer = writer
        self.output = output
        self.record = record
        self.hasTLS = hasTLS
        self.speaksHTTP2 = speaksHTTP2
    }

    func add(_ turn: Turn) {
        turns.append(turn)
        proceed()
    }

    /// Performs the steps that can be performed now.
    func proceed() {
        if let count = awaitedBody, let turn = turns.first {
            guard turn.isWhole || turn.bodyByteCount >= count else { return }
            awaitedBody = nil
            finish()
            return
        }
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        while !isBusy, !hasEnded, let turn = turns.first, let steps = turn.reply?.steps {
            if position < steps.count {
                isBusy = true
                perform(steps[position].kind, for: turn)
            } else {
                turns.removeFirst()
                position = 0
                limits = []
                // Last, because it can end the channel.
                writer.end {}
            }
        }
    }

    /// The input cannot be read any further, so this closes the connection after the replies that have begun or are
    /// due. A reply that waits for the rest of its request would wait for ever, so it is broken off.
    func giveUp() {
        hasGivenUp = true
        if awaitedBody != nil { return end(by: .cutOff) }
        add(Turn(.close, isWhole: true))
    }

    /// The stream has ended. Steps that follow the end of a stream's response go on.
    func endOfStream() {
        if !writer.hasEndedStream { end() }
    }

    /// The connection has ended.
    func end() {
        hasEnded = true
        leaveGate?()
        leaveGate = nil
        pause?.cancel()
        pause = nil
        flow = nil
        turns = []
        setBlocked(false)
    }

    private func finish() {
        guard !hasEnded else { return }
        isBusy = false
        position += 1
        if let limit = limits.first(where: { $0.bytes == 0 }) {
            limits = []
            let steps = turns.first?.reply?.steps ?? []
            position = steps[position...].firstIndex { $0.isMark(limit.mark) } ?? steps.count
        }
        proceed()
    }

    private func perform(_ step: Reply.Step.Kind, for turn: Turn) {
        switch step {
        case .bytes(let bytes): write([.raw([bytes])])
        case .pieces(let pieces): write(pieces.map { .raw([$0]) }[...])
        case .together(let pieces): write([.raw(pieces)])
        case .head(let head): write([.head(head)])
        case .content(let bytes):
            if turn.isHead { finish() } else { write([.content(allowed(bytes))]) }
        case .chunk(let bytes):
            if turn.isHead { finish() } else { write([.chunk(bytes, sending: allowed(bytes).count)]) }
        case .lastChunk(let trailers):
            if turn.isHead { finish() } else { write([.lastChunk(trailers)]) }
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
        case .pause(let time):
            pause = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(max(time, .zero))) {
                self.pause = nil
                self.finish()
            }
        case .requestBody(let count): wait(forBody: count, of: turn)
        case .wholeRequest: wait(forBody: .max, of: turn)
        case .stopReading: setReading(false)
        case .resumeReading: setReading(true)
        case .readOnce:
            channel.read()
            finish()
        case .stall: break
        case .halfClose: output.closeOutput { self.finish() }
        case .close:
            guard hasTLS, output.hasMoved else { return end(by: .cutOff) }
            output.closeOutput { self.end(by: .cutOff) }
        case .cutOff: end(by: .cutOff)
        case .reset: end(by: .reset)
        case .resetStream(let code):
            guard writer.isHTTP2 else { return end(by: .reset) }
            write([.resetStream(code)])
        case .goAway(let code, let lastStream):
            if writer.isHTTP2 {
                write([.goAway(code, lastStream: lastStream)])
            } else if speaksHTTP2 {
                write([.raw([HTTP2Prelude.settings, HTTP2Prelude.goAway(code, lastStream: lastStream ?? 0)])])
            } else {
                end(by: .cutOff)
            }
        case .endStream: writer.end { self.finish() }
        case .outputLimit(let count):
            output.limit = count
            finish()
        case .contentLimit(let count, let mark):
            limits.append((count, mark))
            finish()
        case .mark:
            limits = []
            finish()
        }
    }

    private func wait(forBody count: Int, of turn: Turn) {
        if turn.isWhole || turn.bodyByteCount >= count {
            finish()
        } else if hasGivenUp {
            end(by: .cutOff)
        } else {
            awaitedBody = count
        }
    }

    private func end(by end: ServerWire.End) { output.end(by: end) }

    /// The bytes that the limit of the content allows; the others are left out.
    private func allowed(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes.prefix(allowed(bytes.count)))
    }

    /// How many of so many bytes of content may be sent, which all limits then count.
    private func allowed(_ count: Int) -> Int {
        let allowed = limits.reduce(count) { min($0, $1.bytes) }
        for index in limits.indices { limits[index].bytes -= allowed }
        return allowed
    }

    private var isAtLimit: Bool { limits.contains { $0.bytes == 0 } }

    private func setReading(_ isOn: Bool) {
        try? channel.syncOptions?.setOption(.autoRead, value: isOn)
        finish()
    }

    // MARK: Bytes

    /// Writes each part on its own, a turn of the event loop apart.
    private func write(_ parts: ArraySlice<ReplyWriter.Part>) {
        guard let part = parts.first else {
            finish()
            return
        }
        send(part) { _ in
            // Not at once, because thousands of parts would nest as many calls.
            self.channel.eventLoop.assumeIsolated().execute { self.write(parts.dropFirst()) }
        }
        writer.flush()
    }

    /// - Parameter done: called when the socket has taken the bytes, or cannot take them, as after the end of a stream. The
    ///   steps after a failed write are performed; they may end the connection.
    private func send(_ part: ReplyWriter.Part, then done: @escaping (_ isWritten: Bool) -> Void) {
        let written = channel.eventLoop.makePromise(of: Void.self)
        writer.write(part, promise: written)
        written.futureResult.assumeIsolated().whenComplete { result in
            let isWritten = if case .success = result { true } else { false }
            if isWritten { self.record.change { $0.moves &+= 1 } }
            if !self.hasEnded { done(isWritten) }
        }
    }

    // MARK: Bodies

    private func allowed(_ piece: ByteBuffer) -> ByteBuffer {
        piece.getSlice(at: piece.readerIndex, length: allowed(piece.readableBytes)) ?? piece
    }

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
            if let piece = flow.next().map({ allowed($0) }), !isAtLimit || piece.readableBytes > 0 {
                flow.inFlight += max(piece.readableBytes, 1)
                pieces.append(piece)
            } else {
                flow.isAtEnd = true
            }
        }
        self.flow = flow
        for piece in pieces {
            send(.buffer(piece)) { isWritten in
                let count = piece.readableBytes
                if isWritten {
                    self.record.change { $0.sentBodyBytes += count }
                } else {
                    self.flow?.isAtEnd = true
                }
                self.flow?.inFlight -= max(count, 1)
                self.pumpSoon()
            }
        }
        writer.flush()
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
        let id = ObjectIdentifier(self)
        guard record.read({ $0.blocked.contains(id) }) != isBlocked else { return }
        record.change { record in
            if isBlocked { record.blocked.insert(id) } else { record.blocked.remove(id) }
        }
    }
}

extension Reply.Step {
    fileprivate func isMark(_ mark: UniqueNumber) -> Bool {
        if case .mark(mark) = kind { true } else { false }
    }
}
#endif

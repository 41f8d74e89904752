// BodySender: brings the body of a request to its connection, piece by piece, as fast as the socket takes it.

import HTTPTypes
import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Pulls the pieces in a task of its own into an outbox, which the loop empties whenever the connection takes more: so many
/// pieces cost one wake-up and one write.
// All but `outbox` is confined to the connection's loop.
final class BodySender: @unchecked Sendable {
    /// Larger pieces are cut: what is told as progress should not come in lumps. The reader waits while as much lies in
    /// the outbox.
    private static let writtenAtOnce = 256 << 10

    /// Everything was read; the piece that completes the declared length is still to be sent.
    struct End: Sendable {
        let last: Bytes?
        let trailers: HTTPFields?
        /// The lines of the trailer section.
        let trailerLines: [UInt8]
    }

    private struct Outbox: Sendable {
        var pieces: [Bytes] = []
        var bytes = 0
        var end: End?
        /// The loop has been told that there is something.
        var isAnnounced = false
        var isStopped = false
        var waiter: UnsafeContinuation<Bool, Never>?
    }

    private let reader: any BodyReader
    private let length: Int64?
    private let exchange: Exchange
    private let loop: any EventLoop
    private let outbox = Mutex(Outbox())
    /// Where the pieces go; nil after the end, since the connection refers to its sender, too.
    private var target: (sender: RequestSender, framing: any RequestFraming)?
    private var task: Task<Void, Never>?
    /// Something lies in the outbox and the socket is full.
    private var isBlocked = false
    private var isComplete = false
    private var lastEvent: MonotonicTime = 0
    private var shown: ObservedBeginning

    init(
        _ reader: any BodyReader, length: Int64?, exchange: Exchange, sender: RequestSender,
        framing: any RequestFraming
    ) {
        self.reader = reader
        self.length = length
        self.exchange = exchange
        shown = ObservedBeginning(limit: exchange.outgoing.shownBytes)
        target = (sender, framing)
        loop = exchange.loopPool.loop
    }

    // MARK: On the loop

    func start() {
        task = Task(executorPreference: exchange.call.options.executor) { await self.run() }
    }

    func stop() {
        target = nil
        task?.cancel()
        task = nil
        let waiter = outbox.withLock { outbox in
            outbox.isStopped = true
            outbox.pieces = []
            outbox.end = nil
            defer { outbox.waiter = nil }
            return outbox.waiter
        }
        waiter?.resume(returning: false)
    }

    func becameWritable() {
        guard isBlocked else { return }
        isBlocked = false
        drain()
    }

    /// Sends what lies in the outbox, unless the connection is full.
    private func drain() {
        guard let target else { return }
        guard target.framing.takesBody else { return isBlocked = true }
        let (pieces, end, waiter) = outbox.withLock { outbox in
            defer {
                outbox.pieces = []
                outbox.bytes = 0
                outbox.end = nil
                outbox.isAnnounced = false
                outbox.waiter = nil
            }
            return (outbox.pieces, outbox.end, outbox.waiter)
        }
        // The reader goes on while this is written.
        waiter?.resume(returning: true)
        if !pieces.isEmpty { send(pieces, to: target.framing) }
        if let end { finish(end) }
    }

    private func send(_ pieces: [Bytes], to framing: any RequestFraming) {
        let count = pieces.reduce(0) { $0 + $1.count }
        for piece in pieces { tell(shown.next(piece)) }
        // An observer may have cancelled the call.
        if exchange.outgoing.isObserved, exchange.isCancelled { return }
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.moved(Int64(count)) }
        framing.send(pieces, promise: promise)
    }

    /// Tells a part of the body to the observers that want it.
    private func tell(_ shown: ObservedBeginning.Piece?) {
        if let shown { exchange.call.emit(.requestBody(shown.bytes, at: shown.offset)) }
    }

    private func moved(_ count: Int64) {
        guard let target else { return }
        let now = MonotonicClock.now
        exchange.bodyMoved(count)
        target.framing.bodyMoved(at: now)
        guard exchange.outgoing.isObserved else { return }
        guard isComplete || now &- lastEvent >= 50_000_000 else { return }
        lastEvent = now
        let bytes = exchange.progress.sentBytes
        exchange.call.emit(.sending(TransferProgress(bytes: bytes, total: isComplete ? bytes : length)))
    }

    private func finish(_ end: End) {
        guard let target else { return }
        // Earlier pieces have to go first.
        guard target.framing.takesBody else {
            outbox.withLock { $0.end = end }
            return isBlocked = true
        }
        tell(end.last.flatMap { shown.next($0) } ?? shown.end())
        if exchange.outgoing.isObserved, exchange.isCancelled { return }
        let count = Int64(end.last?.count ?? 0)
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            // The exchange may have ended since.
            guard let target = self.target else { return }
            self.isComplete = true
            self.moved(count)
            target.sender.bodySent(of: self.exchange, on: target.framing)
        }
        target.framing.send(end, promise: promise)
    }

    private func fail(_ error: CallError) {
        if target != nil { exchange.fail(error) }
    }

    // MARK: In the task

    private func run() async {
        do throws(CallError) {
            let pieces = CheckedPieces(reader, length: length)
            var last: Bytes?
            while let piece = try await pieces.next() {
                var rest = piece.bytes
                while rest.count > Self.writtenAtOnce {
                    guard await offer(rest.slice(0..<Self.writtenAtOnce)) else { return }
                    rest = rest.slice(Self.writtenAtOnce..<rest.count)
                }
                if piece.completesLength {
                    last = rest
                } else {
                    guard await offer(rest) else { return }
                }
            }
            let trailers = exchange.outgoing.request.body.trailers.map { $0() }
            complete(End(last: last, trailers: trailers, trailerLines: try lines(trailers)))
        } catch {
            abort(error)
        }
    }

    private func lines(_ fields: HTTPFields?) throws(CallError) -> [UInt8] {
        guard let fields else { return [] }
        do throws(WireError) {
            return try TrailerSection.lines(of: fields)
        } catch {
            throw CallError(error, phase: .sendingBody)
        }
    }

    /// Puts a piece into the outbox, and waits while that is full; false if nothing more is wanted.
    private func offer(_ piece: Bytes) async -> Bool {
        let (isStopped, isNews, isFull) = outbox.withLock { outbox in
            guard !outbox.isStopped else { return (true, false, false) }
            outbox.pieces.append(piece)
            outbox.bytes += piece.count
            defer { outbox.isAnnounced = true }
            return (false, !outbox.isAnnounced, outbox.bytes >= Self.writtenAtOnce)
        }
        if isStopped { return false }
        if isNews { loop.execute { self.drain() } }
        guard isFull else { return true }
        return await withUnsafeContinuation { continuation in
            let goesOn: Bool? = outbox.withLock { outbox in
                if outbox.isStopped { return false }
                if outbox.bytes < Self.writtenAtOnce { return true }
                outbox.waiter = continuation
                return nil
            }
            if let goesOn { continuation.resume(returning: goesOn) }
        }
    }

    private func complete(_ end: End) {
        let isNews = outbox.withLock { outbox in
            outbox.end = end
            defer { outbox.isAnnounced = true }
            return !outbox.isAnnounced
        }
        if isNews { loop.execute { self.drain() } }
    }

    /// The failure need not wait for what comes before it.
    private func abort(_ error: CallError) {
        loop.execute { self.fail(error) }
    }
}

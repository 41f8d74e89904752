// BodySender: brings the body of a request to its connection, piece by piece, as fast as the socket takes it.

import HTTPTypes
import NIOCore
import Synchronization
import TsubameCore
import TsubameWire

/// Pulls the pieces in a task of its own into an outbox, which the loop empties whenever the socket takes more: so many
/// pieces cost one wake-up and one write.
// All but `outbox` is confined to the connection's loop.
final class BodySender: @unchecked Sendable {
    /// Larger pieces are cut: what is told as progress should not come in lumps. The reader waits while as much lies in
    /// the outbox.
    private static let writtenAtOnce = 256 << 10

    /// Everything was read; the piece that completes the declared length is still to be sent.
    private struct End: Sendable {
        let last: Bytes?
        /// The lines of the trailer section.
        let trailers: [UInt8]
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
    private let isChunked: Bool
    private let exchange: Exchange
    private weak var connection: Connection?
    private let loop: any EventLoop
    private let outbox = Mutex(Outbox())
    private var task: Task<Void, Never>?
    /// Something lies in the outbox and the socket is full.
    private var isBlocked = false
    private var isStopped = false
    private var isComplete = false
    private var lastEvent: MonotonicTime = 0
    private var shown = GatheredBytes()

    init(_ reader: any BodyReader, length: Int64?, exchange: Exchange, connection: Connection) {
        self.reader = reader
        self.length = length
        isChunked = length == nil || exchange.request.body.trailers != nil
        self.exchange = exchange
        self.connection = connection
        loop = exchange.shard.loop
    }

    // MARK: On the loop

    func start() {
        task = Task(executorPreference: exchange.call.executor) { await self.run() }
    }

    func stop() {
        isStopped = true
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

    /// Sends what lies in the outbox, in one write, unless the socket is full.
    private func drain() {
        guard !isStopped, let connection else { return stop() }
        guard connection.isWritable else { return isBlocked = true }
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
        if !pieces.isEmpty { write(pieces, on: connection) }
        if let end { finish(end) }
    }

    private func write(_ pieces: [Bytes], on connection: Connection) {
        let count = pieces.reduce(0) { $0 + $1.count }
        let overhead = isChunked ? pieces.count * 32 : 0
        var buffer = ByteBufferAllocator().buffer(capacity: count + overhead)
        for piece in pieces {
            write(piece, to: &buffer)
            show(piece)
        }
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.moved(Int64(count)) }
        connection.write(buffer, of: exchange, promise: promise)
    }

    private func write(_ piece: Bytes, to buffer: inout ByteBuffer) {
        if isChunked { buffer.writeChunkHeader(piece.count) }
        piece.withUnsafeBytes { _ = buffer.writeBytes($0) }
        if isChunked { buffer.writeStaticString("\r\n") }
    }

    private func show(_ piece: Bytes) {
        let rest = exchange.shownBytes - shown.count
        if rest > 0 { shown.append(piece.slice(0..<rest)) }
    }

    private func moved(_ count: Int64) {
        exchange.sentBytes += count
        connection?.bodyMoved(of: exchange)
        guard exchange.isObserved else { return }
        let now = MonotonicClock.now
        guard isComplete || now &- lastEvent >= 50_000_000 else { return }
        lastEvent = now
        let bytes = exchange.sentBytes
        exchange.call.emit(.sending(Progress(bytes: bytes, total: isComplete ? bytes : length)))
    }

    /// The body's end: the piece that completes the declared length, or the last chunk.
    private func finish(_ end: End) {
        guard !isStopped, let connection else { return }
        let last = end.last
        var buffer =
            length == 0 && !isChunked
            ? connection.output
            : ByteBufferAllocator().buffer(capacity: (last?.count ?? 0) + end.trailers.count + 48)
        if let last, last.count > 0 {
            write(last, to: &buffer)
            show(last)
        }
        if isChunked {
            buffer.writeStaticString("0\r\n")
            buffer.writeBytes(end.trailers)
            buffer.writeStaticString("\r\n")
        }
        let count = Int64(last?.count ?? 0)
        let promise = loop.makePromise(of: Void.self)
        // It succeeds when the socket has the bytes, so before the answer to them can be read.
        promise.futureResult.assumeIsolated().whenSuccess {
            guard let connection = self.connection else { return }
            self.isComplete = true
            self.moved(count)
            if self.exchange.shownBytes > 0 { self.exchange.call.emit(.requestBody(self.shown.joined())) }
            connection.bodySent(of: self.exchange)
        }
        connection.write(buffer, of: exchange, promise: promise)
    }

    private func fail(_ reason: String, _ error: (any Error)?) {
        guard !isStopped else { return }
        stop()
        if let error = error as? CallError {
            exchange.fail(error)
        } else {
            exchange.fail(CallError(.requestBody, reason, phase: .sendingBody, underlying: error))
        }
    }

    // MARK: In the task

    private func run() async {
        do {
            var taken: Int64 = 0
            // The piece that completes the declared length waits until the reader has said that nothing follows: a body
            // that is too long must not reach the server as a complete request.
            var last: Bytes?
            while let piece = try await reader.next() {
                if piece.count == 0 { continue }
                taken += Int64(piece.count)
                if let length, taken > length || last != nil {
                    return abort("the body is longer than the \(length) bytes that were declared")
                }
                var rest = piece
                while rest.count > Self.writtenAtOnce {
                    guard await offer(rest.slice(0..<Self.writtenAtOnce)) else { return }
                    rest = rest.slice(Self.writtenAtOnce..<rest.count)
                }
                if taken == length {
                    last = rest
                } else {
                    guard await offer(rest) else { return }
                }
            }
            if let length, taken != length {
                return abort("the body has \(taken) bytes and \(length) were declared")
            }
            complete(End(last: last, trailers: try exchange.request.body.trailers.map { try trailers($0()) } ?? []))
        } catch {
            abort("the body could not be read: \(error)", error)
        }
    }

    private func trailers(_ fields: HTTPFields) throws(CallError) -> [UInt8] {
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
    private func abort(_ reason: String, _ error: (any Error)? = nil) {
        loop.execute { self.fail(reason, error) }
    }
}

extension ByteBuffer {
    fileprivate mutating func writeChunkHeader(_ count: Int) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { RequestEncoder.chunkHeader(count, into: $0) }
    }
}

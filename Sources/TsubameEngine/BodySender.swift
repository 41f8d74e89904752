// BodySender: brings the body of a request to its connection, piece by piece, as fast as the socket takes it.

import NIOCore
import TsubameCore
import TsubameWire

/// Pulls the pieces in a task of its own and writes them on the loop, waiting while the socket is full.
// `waiter`, `task` and the counts are confined to the connection's loop.
final class BodySender: @unchecked Sendable {
    /// Larger pieces are cut: what is told as progress should not come in lumps.
    private static let writtenAtOnce = 256 << 10

    private let reader: any BodyReader
    private let length: Int64?
    private let exchange: Exchange
    private weak var connection: Connection?
    private let loop: any EventLoop
    private var task: Task<Void, Never>?
    private var waiter: UnsafeContinuation<Bool, Never>?
    private var isStopped = false
    private var isComplete = false
    private var lastEvent: MonotonicTime = 0
    private var shown = GatheredBytes()

    init(_ reader: any BodyReader, length: Int64?, exchange: Exchange, connection: Connection) {
        self.reader = reader
        self.length = length
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
        waiter?.resume(returning: false)
        waiter = nil
    }

    func becameWritable() {
        waiter?.resume(returning: true)
        waiter = nil
    }

    private func write(_ piece: Bytes, _ continuation: UnsafeContinuation<Bool, Never>) {
        guard !isStopped, let connection else { return continuation.resume(returning: false) }
        var buffer = ByteBufferAllocator().buffer(capacity: piece.count + 32)
        if length == nil { buffer.writeChunkHeader(piece.count) }
        piece.withUnsafeBytes { _ = buffer.writeBytes($0) }
        if length == nil { buffer.writeStaticString("\r\n") }
        show(piece)
        let count = Int64(piece.count)
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.moved(count) }
        connection.write(buffer, of: exchange, promise: promise)
        if isStopped {
            continuation.resume(returning: false)
        } else if connection.isWritable {
            continuation.resume(returning: true)
        } else {
            waiter = continuation
        }
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
    private func finish(_ last: Bytes?) {
        guard !isStopped, let connection else { return }
        var buffer = length == 0 ? connection.output : ByteBufferAllocator().buffer(capacity: (last?.count ?? 0) + 8)
        last?.withUnsafeBytes { _ = buffer.writeBytes($0) }
        if length == nil { buffer.writeStaticString("0\r\n\r\n") }
        if let last { show(last) }
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
                    guard await write(rest.slice(0..<Self.writtenAtOnce)) else { return }
                    rest = rest.slice(Self.writtenAtOnce..<rest.count)
                }
                if taken == length {
                    last = rest
                } else {
                    guard await write(rest) else { return }
                }
            }
            if let length, taken != length {
                return abort("the body has \(taken) bytes and \(length) were declared")
            }
            loop.execute { [last] in self.finish(last) }
        } catch {
            abort("the body could not be read: \(error)", error)
        }
    }

    /// False if nothing more is wanted.
    private func write(_ piece: Bytes) async -> Bool {
        await withUnsafeContinuation { continuation in
            loop.execute { self.write(piece, continuation) }
        }
    }

    private func abort(_ reason: String, _ error: (any Error)? = nil) {
        loop.execute { self.fail(reason, error) }
    }
}

extension ByteBuffer {
    fileprivate mutating func writeChunkHeader(_ count: Int) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { RequestEncoder.chunkHeader(count, into: $0) }
    }
}

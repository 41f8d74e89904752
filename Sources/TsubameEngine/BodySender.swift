// BodySender: brings the body of a request to its connection, piece by piece, as fast as the socket takes it.

import NIOCore
import TsubameCore
import TsubameWire

/// Pulls the pieces in a task of its own and writes them on the loop, waiting while the socket is full.
// `waiter`, `task` and the counts are confined to the connection's loop.
final class BodySender: @unchecked Sendable {
    private let reader: any BodyReader
    private let length: Int64?
    private let exchange: Exchange
    private weak var connection: Connection?
    private let loop: any EventLoop
    private var task: Task<Void, Never>?
    private var waiter: UnsafeContinuation<Bool, Never>?
    private var isStopped = false
    private var writtenBytes: Int64 = 0
    private var movedBytes: Int64 = 0
    private var lastEvent: MonotonicTime = 0

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
        writtenBytes += Int64(piece.count)
        if let length, writtenBytes > length {
            continuation.resume(returning: false)
            return fail("the body is longer than the \(length) bytes that were declared", nil)
        }
        var buffer = loop.allocator(capacity: piece.count + 32)
        if length == nil { buffer.writeChunkHeader(piece.count) }
        piece.withUnsafeBytes { _ = buffer.writeBytes($0) }
        if length == nil { buffer.writeStaticString("\r\n") }
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

    private func moved(_ count: Int64) {
        movedBytes += count
        connection?.bodyMoved(of: exchange)
        guard exchange.isObserved else { return }
        let now = MonotonicClock.now
        guard movedBytes == length || now &- lastEvent >= 50_000_000 else { return }
        lastEvent = now
        exchange.call.emit(.sending(Progress(bytes: movedBytes, total: length)))
    }

    private func finish() {
        guard !isStopped, let connection else { return }
        if let length, writtenBytes != length {
            return fail("the body has \(writtenBytes) bytes and \(length) were declared", nil)
        }
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            guard let connection = self.connection else { return }
            if self.length == nil, self.exchange.isObserved {
                self.exchange.call.emit(.sending(Progress(bytes: self.movedBytes, total: self.movedBytes)))
            }
            connection.bodySent(of: self.exchange)
        }
        var buffer = loop.allocator(capacity: 8)
        if length == nil { buffer.writeStaticString("0\r\n\r\n") }
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
            while let piece = try await reader.next() {
                if piece.count == 0 { continue }
                let goesOn = await withUnsafeContinuation { continuation in
                    loop.execute { self.write(piece, continuation) }
                }
                if !goesOn { return }
            }
            loop.execute { self.finish() }
        } catch {
            loop.execute { self.fail("the body could not be read: \(error)", error) }
        }
    }
}

extension EventLoop {
    fileprivate func allocator(capacity: Int) -> ByteBuffer { ByteBufferAllocator().buffer(capacity: capacity) }
}

extension ByteBuffer {
    fileprivate mutating func writeChunkHeader(_ count: Int) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { RequestEncoder.chunkHeader(count, into: $0) }
    }
}

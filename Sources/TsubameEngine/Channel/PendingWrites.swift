// PendingWrites: the bytes that a channel was given and its socket has not taken.

import DequeModule
import NIOCore
import TsubamePlatform
import TsubameSockets

/// The writes in their order, and the promise of each. Nothing of it knows the socket.
struct PendingWrites {
    private struct Write {
        var bytes: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    /// The most pieces of one system call.
    private static let piecesAtOnce = 64

    private var writes = Deque<Write>()
    /// The writes that are to go out; the others wait for a flush.
    private var flushed = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { writes.isEmpty }
    var hasFlushed: Bool { flushed > 0 }

    mutating func append(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        byteCount += buffer.readableBytes
        writes.append(Write(bytes: buffer, promise: promise))
    }

    mutating func flush() { flushed = writes.count }

    /// Passes the first flushed pieces in one list.
    func withPieces<T>(_ body: (UnsafeBufferPointer<iovec>) -> T) -> T {
        let count = min(flushed, Self.piecesAtOnce)
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(count, 1)) { pieces in
            for index in 0..<count {
                // The buffers are kept by this value for as long as the pieces are used.
                writes[index].bytes.withUnsafeReadableBytes { bytes in
                    pieces.initializeElement(
                        at: index,
                        to: iovec(
                            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
                }
            }
            return body(UnsafeBufferPointer(rebasing: pieces[..<count]))
        }
    }

    /// The socket has taken bytes. Adds the promises of the writes that are complete.
    mutating func remove(_ count: Int, _ done: inout [EventLoopPromise<Void>]) {
        byteCount -= count
        var rest = count
        while flushed > 0, let first = writes.first, first.bytes.readableBytes <= rest {
            rest -= first.bytes.readableBytes
            if let promise = first.promise { done.append(promise) }
            writes.removeFirst()
            flushed -= 1
        }
        if rest > 0, !writes.isEmpty { writes[0].bytes.moveReaderIndex(forwardBy: rest) }
    }

    mutating func removeAll() -> [EventLoopPromise<Void>] {
        defer { self = PendingWrites() }
        return writes.compactMap(\.promise)
    }
}

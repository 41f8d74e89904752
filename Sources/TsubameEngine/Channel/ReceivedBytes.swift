// ReceivedBytes: the bytes of one read, on their way to a receiver.

import NIOCore
import TsubameCore
import TsubameSockets

/// The bytes of one read. They are there during the call that they are given by, and no longer. A receiver that keeps some
/// takes them by ``piece(_:)`` or copies them.
struct ReceivedBytes {
    let bytes: UnsafeRawBufferPointer
    /// The memory that holds the bytes, and its size.
    private let owner: AnyObject?
    private let capacity: Int

    /// - Parameter count: the number of bytes that a read has put into the chunk.
    init(_ chunk: MemoryChunk, count: Int) {
        bytes = UnsafeRawBufferPointer(start: chunk.base, count: count)
        owner = chunk
        capacity = MemoryChunk.capacity
    }

    /// Bytes without an owner: each piece of them is copied.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        owner = nil
        capacity = 0
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: AnyObject, capacity: Int) {
        self.bytes = bytes
        self.owner = owner
        self.capacity = capacity
    }

    /// Gives the readable bytes of a buffer, as TLS has decrypted them.
    static func of(_ buffer: ByteBuffer, _ body: (ReceivedBytes) -> Void) {
        buffer.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            body(ReceivedBytes(bytes, storage.takeUnretainedValue(), capacity: buffer.capacity))
        }
    }

    var count: Int { bytes.count }

    /// A part of the bytes to keep. A large part shares the memory, and a small one is copied, so that it does not hold much
    /// more than its size. The system gives up to 64 KiB of one packet, less a few bytes, and that is a large part.
    func piece(_ range: Range<Int>) -> Bytes {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, let base = bytes.baseAddress else {
            return Bytes()
        }
        if let owner, range.count >= capacity / 5 {
            return Bytes(owner: owner, base: base + range.lowerBound, count: range.count)
        }
        return Bytes(copying: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

// UnconsumedInput: the end of a read that its decoder could not use yet.

import NIOCore

/// Keeps the bytes for the next read, and nothing else: what was consumed before them is dropped, or the buffer would hold
/// every byte that the connection has ever received.
struct UnconsumedInput {
    private var kept: ByteBuffer?

    /// How many bytes wait for more.
    var count: Int { kept?.readableBytes ?? 0 }
    /// How much memory they hold.
    var capacity: Int { kept?.storageCapacity ?? 0 }

    /// Puts the kept bytes in front of a new read.
    @inline(__always)
    mutating func prepend(to read: inout ByteBuffer) {
        if kept != nil { join(&read) }
    }

    private mutating func join(_ read: inout ByteBuffer) {
        guard var joined = kept else { return }
        kept = nil
        if joined.readerIndex > 0 {
            var rest = joined
            joined = ByteBufferAllocator().buffer(capacity: rest.readableBytes + read.readableBytes)
            joined.writeBuffer(&rest)
        }
        // A head that comes byte by byte is appended in place.
        joined.writeBuffer(&read)
        read = joined
    }

    /// Keeps what follows the first `consumed` bytes of a read.
    mutating func keep(_ read: consuming ByteBuffer, after consumed: Int) {
        guard consumed < read.readableBytes else { return }
        read.moveReaderIndex(forwardBy: consumed)
        kept = read
    }
}

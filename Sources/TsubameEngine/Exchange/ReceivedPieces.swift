// ReceivedPieces: the parts of a body that one read held, given on as one piece.

import NIOCore
import TsubameCore

/// A chunked body comes in as many parts as it has chunks, which can be of a byte each; what is handed on, counted and
/// kept is one piece a read.
struct ReceivedPieces {
    private var first: Range<Int>?
    private var joined: ByteBuffer?

    mutating func add(_ range: Range<Int>, of buffer: ByteBuffer) {
        guard let first else { return self.first = range }
        var target: ByteBuffer
        if let known = joined {
            target = known
            joined = nil
        } else {
            target = ByteBufferAllocator().buffer(capacity: buffer.readableBytes - first.lowerBound)
            target.append(first, of: buffer)
        }
        target.append(range, of: buffer)
        joined = target
    }

    /// What has come together; nil if nothing has.
    mutating func take(from buffer: ByteBuffer) -> Bytes? {
        defer { (first, joined) = (nil, nil) }
        if let joined { return joined.bytes(0..<joined.readableBytes) }
        return first.map { buffer.bytes($0) }
    }
}

extension ByteBuffer {
    /// The bytes at `range` of the readable ones: shared with the buffer, or copied if they are a small part of it.
    func bytes(_ range: Range<Int>) -> Bytes {
        withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard range.lowerBound >= 0, range.upperBound <= bytes.count, let base = bytes.baseAddress else {
                return Bytes()
            }
            if range.count < capacity / 4 { return Bytes(copying: UnsafeRawBufferPointer(rebasing: bytes[range])) }
            return Bytes(owner: storage.takeUnretainedValue(), base: base + range.lowerBound, count: range.count)
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(_ range: Range<Int>, of buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { bytes in
            guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return }
            _ = writeBytes(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }
}

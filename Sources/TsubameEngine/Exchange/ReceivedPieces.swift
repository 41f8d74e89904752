// ReceivedPieces: the parts of a body that one read held, given on as one piece.

import TsubameCore

/// A chunked body comes in as many parts as it has chunks, which can be of a byte each. The receiver of the body gets one piece
/// for each read.
struct ReceivedPieces {
    private var first: Range<Int>?
    /// All parts, if there are several.
    private var joined: BytesBuilder?

    mutating func add(_ range: Range<Int>, of read: ReceivedBytes) {
        guard range.lowerBound >= 0, range.upperBound <= read.count else { return }
        guard let first else { return self.first = range }
        if joined == nil {
            joined = BytesBuilder(capacity: read.count - first.lowerBound)
            joined?.append(UnsafeRawBufferPointer(rebasing: read.bytes[first]))
        }
        joined?.append(UnsafeRawBufferPointer(rebasing: read.bytes[range]))
    }

    /// Everything that has come together; nil if there is nothing.
    mutating func take(from read: ReceivedBytes) -> Bytes? {
        defer { (first, joined) = (nil, nil) }
        return joined?.finish() ?? first.map { read.piece($0) }
    }
}

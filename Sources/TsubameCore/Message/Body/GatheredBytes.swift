// GatheredBytes: collects the pieces of a body.

/// Keeps pieces until they are joined. Small pieces are copied into one buffer at once. Otherwise a body in pieces of
/// one byte would take a hundred times its size.
package struct GatheredBytes: Sendable {
    private static let smallBytes = 4 << 10

    private var pieces: [Bytes] = []
    private var small: [UInt8] = []
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ piece: Bytes) {
        count += piece.count
        if piece.count >= Self.smallBytes {
            flush()
            pieces.append(piece)
        } else if count == piece.count {
            // Most bodies are one piece, which is not copied.
            pieces.append(piece)
        } else {
            if let last = pieces.last, small.isEmpty, last.count < Self.smallBytes {
                pieces.removeLast()
                last.withUnsafeBytes { small.append(contentsOf: $0) }
            }
            piece.withUnsafeBytes { small.append(contentsOf: $0) }
        }
    }

    private mutating func flush() {
        guard !small.isEmpty else { return }
        pieces.append(Bytes(small))
        small = []
    }

    /// All bytes in one piece.
    package consuming func joined() -> Bytes {
        flush()
        return Bytes(joining: pieces)
    }

    /// The pieces, with small ones merged.
    package consuming func all() -> [Bytes] {
        flush()
        return pieces
    }
}

// GatheredBytes: pieces of a body, collected.

/// Keeps pieces until they are joined. Small ones are copied into one buffer at once: kept as they come, a body in pieces
/// of a byte would take a hundred times its size.
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
            // Most bodies are one piece.
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

    /// All of it in one.
    package consuming func joined() -> Bytes {
        flush()
        return Bytes(joining: pieces)
    }

    /// The pieces, fewer than there were.
    package consuming func all() -> [Bytes] {
        flush()
        return pieces
    }
}

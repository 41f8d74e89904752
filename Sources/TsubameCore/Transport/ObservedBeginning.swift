// ObservedBeginning: the beginning of a body, which observers receive piece by piece.

/// Cuts the pieces of one body down to the bytes that observers ask for.
package struct ObservedBeginning: Sendable {
    /// The part of a piece that observers receive.
    package struct Piece: Sendable {
        package let bytes: Bytes
        /// The number of bytes of the body before this piece.
        package let offset: Int
    }

    private let limit: Int
    private var count = 0
    private var hasBegun = false

    /// - Parameter limit: the number of bytes that observers ask for.
    package init(limit: Int) { self.limit = limit }

    /// - Returns: what observers receive of the body's next piece; nil if they have enough.
    @inline(__always)
    package mutating func next(_ piece: Bytes) -> Piece? { count < limit ? cut(piece) : nil }

    private mutating func cut(_ piece: Bytes) -> Piece? {
        if piece.isEmpty { return nil }
        let shown = Piece(bytes: piece.part(0..<limit - count), offset: count)
        count += shown.bytes.count
        hasBegun = true
        return shown
    }

    /// - Returns: an empty piece if the body had no bytes; otherwise nil.
    package mutating func end() -> Piece? {
        guard limit > 0, !hasBegun else { return nil }
        hasBegun = true
        return Piece(bytes: Bytes(), offset: 0)
    }
}

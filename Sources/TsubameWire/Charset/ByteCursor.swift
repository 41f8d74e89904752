// ByteCursor: a position in bytes, which never moves past their end.

struct ByteCursor {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the next byte and moves past it; nil at the end.
    mutating func next() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset &+= 1 }
        return bytes[offset]
    }

    /// Moves back by one byte.
    mutating func stepBack() {
        if offset > 0 { offset &-= 1 }
    }

    /// Moves back to an earlier position.
    mutating func stepBack(to place: Int) {
        if (0...offset).contains(place) { offset = place }
    }

    /// Returns the ASCII bytes from here on and moves past them.
    mutating func nextASCII() -> UnsafeRawBufferPointer {
        let start = offset
        // Most text on the web is mostly ASCII, so comparing eight bytes at a time is worth it.
        while bytes.count &- offset >= 8,
            bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] < 0x80 { offset &+= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }
}

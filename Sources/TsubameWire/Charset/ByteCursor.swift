// A place in bytes that moves over them and never past their end.

struct ByteCursor {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte, which is then behind; nil at the end.
    mutating func next() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset &+= 1 }
        return bytes[offset]
    }

    /// Makes the byte before this place the next one again.
    mutating func stepBack() {
        if offset > 0 { offset &-= 1 }
    }

    /// Makes the byte at a place that is behind the next one again.
    mutating func stepBack(to place: Int) {
        if (0...offset).contains(place) { offset = place }
    }

    /// The bytes of ASCII from here on, which are then behind.
    mutating func nextASCII() -> UnsafeRawBufferPointer {
        let start = offset
        // Most text of the web is ASCII for the greater part: eight bytes at a time are worth it.
        while bytes.count &- offset >= 8,
            bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] < 0x80 { offset &+= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }
}

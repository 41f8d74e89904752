// Bytes of an encoding to text.

/// What reading bytes as text gave.
package struct DecodedText: Sendable, Hashable {
    /// The text; each wrong sequence is one U+FFFD.
    package let text: String

    /// Where the first wrong sequence begins, in bytes; nil if there is none.
    package let malformedOffset: Int?
}

extension Charset {
    /// The text of bytes in this encoding, with U+FFFD for each wrong sequence.
    ///
    /// An error takes as many bytes as WHATWG's decoders let it take: a byte of ASCII after a lead byte is never lost.
    /// A sequence that ends too early at the end of the bytes is an error, too. No byte order mark is looked for, but
    /// in ``utf16``. Any bytes will do, and the time is linear in their number.
    package func decode(_ bytes: some Collection<UInt8>) -> DecodedText {
        bytes.withContiguousStorageIfAvailable { decode(bytes: UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { decode(bytes: $0) }
    }

    private func decode(bytes: UnsafeRawBufferPointer) -> DecodedText {
        if self == .utf8 { return decodeUTF8(bytes) }
        var cursor = ByteCursor(bytes)
        var builder = TextBuilder(capacity: bytes.count)
        switch self {
        case .utf8: break
        case .utf16: decodeUTF16(&cursor, into: &builder)
        case .utf16LittleEndian: decodeUTF16(&cursor, bigEndian: false, into: &builder)
        case .utf16BigEndian: decodeUTF16(&cursor, bigEndian: true, into: &builder)
        case .isoLatin1: decodeISOLatin1(&cursor, into: &builder)
        case .windows1252: decodeWindows1252(&cursor, into: &builder)
        case .shiftJIS: decodeShiftJIS(&cursor, into: &builder)
        case .eucJP: decodeEUCJP(&cursor, into: &builder)
        }
        return builder.decoded
    }
}

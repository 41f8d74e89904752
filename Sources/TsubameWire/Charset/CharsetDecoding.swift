// CharsetDecoding: converts the bytes of an encoding to text.

/// The result of reading bytes as text.
package struct DecodedText: Sendable, Hashable {
    /// The text, with U+FFFD for each wrong sequence.
    package let text: String

    /// Where the first wrong sequence begins, in bytes; nil if there is none.
    package let malformedOffset: Int?
}

extension Charset {
    /// Decodes bytes in this encoding, with U+FFFD for each wrong sequence.
    ///
    /// An error takes as many bytes as in WHATWG's decoders: an ASCII byte after a lead byte is not lost. There are two
    /// exceptions. In ``iso2022JP`` such a byte is not ASCII. At the end of ``gb18030``, a digit may belong to the
    /// sequence that was cut off. A sequence that the end of the bytes cuts off is an error, too. Only ``utf16`` looks
    /// for a byte order mark. All bytes are accepted, and the time is linear in their number.
    package func decode(_ bytes: some Collection<UInt8>) -> DecodedText {
        var state = ISO2022JPState()
        return bytes.withContiguousStorageIfAvailable {
            decode(bytes: UnsafeRawBufferPointer($0), isLast: true, state: &state).decoded
        } ?? Array(bytes).withUnsafeBytes { decode(bytes: $0, isLast: true, state: &state).decoded }
    }

    /// - Parameters:
    ///   - isLast: whether no bytes follow. If bytes follow, a sequence that the end cuts off is left to be read with
    ///     them.
    ///   - state: the state after the previous bytes.
    /// - Returns: the text, and the number of bytes that were left at the end.
    func decode(
        bytes: UnsafeRawBufferPointer, isLast: Bool, state: inout ISO2022JPState
    ) -> (decoded: DecodedText, left: Int) {
        if self == .utf8 {
            let left = isLast ? 0 : incompleteTailOfUTF8(bytes)
            return (decodeUTF8(UnsafeRawBufferPointer(rebasing: bytes.dropLast(left))), left)
        }
        var cursor = ByteCursor(bytes)
        var builder = TextBuilder(capacity: bytes.count, isLast: isLast)
        switch self {
        case .utf8: break
        case .utf16: decodeUTF16(&cursor, into: &builder)
        case .utf16LittleEndian: decodeUTF16(&cursor, bigEndian: false, into: &builder)
        case .utf16BigEndian: decodeUTF16(&cursor, bigEndian: true, into: &builder)
        case .utf32LittleEndian: decodeUTF32(&cursor, bigEndian: false, into: &builder)
        case .utf32BigEndian: decodeUTF32(&cursor, bigEndian: true, into: &builder)
        case .isoLatin1: decodeISOLatin1(&cursor, into: &builder)
        case .isoLatin2, .isoLatin3, .isoLatin4, .isoCyrillic, .isoArabic, .isoGreek, .isoHebrew, .isoHebrewLogical,
            .isoLatin6, .isoLatin7, .isoLatin8, .isoLatin9, .isoLatin10, .windows874, .windows1250, .windows1251,
            .windows1252, .windows1253, .windows1254, .windows1255, .windows1256, .windows1257, .windows1258, .ibm866,
            .koi8R, .koi8U, .macintosh, .macCyrillic:
            decodeSingleByte(&cursor, into: &builder)
        case .shiftJIS: decodeShiftJIS(&cursor, into: &builder)
        case .eucJP: decodeEUCJP(&cursor, into: &builder)
        case .iso2022JP: decodeISO2022JP(&cursor, state: &state, into: &builder)
        case .gbk, .gb18030: decodeGB18030(&cursor, into: &builder)
        case .big5: decodeBig5(&cursor, into: &builder)
        case .eucKR: decodeEUCKR(&cursor, into: &builder)
        }
        return (builder.decoded, builder.incompleteOffset.map { bytes.count - $0 } ?? 0)
    }
}

// Text as it is put together from code points, and where its bytes were wrong first.

struct TextBuilder {
    private var utf8: [UInt8] = []
    private var malformedOffset: Int?
    private let isLast: Bool

    /// Where the sequence begins that the end of the bytes has cut off, if more bytes are to come.
    private(set) var incompleteOffset: Int?

    /// - Parameters:
    ///   - capacity: how many bytes of UTF-8 to expect; there may be more.
    ///   - isLast: whether no bytes follow those that are read.
    init(capacity: Int, isLast: Bool) {
        self.isLast = isLast
        utf8.reserveCapacity(capacity)
    }

    var decoded: DecodedText {
        DecodedText(text: String(decoding: utf8, as: UTF8.self), malformedOffset: malformedOffset)
    }

    mutating func append(ascii: UnsafeRawBufferPointer) {
        utf8.append(contentsOf: ascii)
    }

    mutating func append(_ codePoint: UInt32) {
        let low = UInt8(truncatingIfNeeded: codePoint & 0x3F) | 0x80
        let middle = UInt8(truncatingIfNeeded: codePoint >> 6 & 0x3F) | 0x80
        let high = UInt8(truncatingIfNeeded: codePoint >> 12 & 0x3F) | 0x80
        switch codePoint {
        case ..<0x80:
            utf8.append(UInt8(truncatingIfNeeded: codePoint))
        case ..<0x800:
            utf8.append(UInt8(truncatingIfNeeded: codePoint >> 6) | 0xC0)
            utf8.append(low)
        case ..<0x1_0000:
            utf8.append(UInt8(truncatingIfNeeded: codePoint >> 12) | 0xE0)
            utf8.append(middle)
            utf8.append(low)
        default:
            utf8.append(UInt8(truncatingIfNeeded: codePoint >> 18 & 0x07) | 0xF0)
            utf8.append(high)
            utf8.append(middle)
            utf8.append(low)
        }
    }

    /// Stands U+FFFD for the wrong sequence that begins at `offset`.
    mutating func appendReplacement(forSequenceAt offset: Int) {
        if malformedOffset == nil { malformedOffset = offset }
        append(0xFFFD)
    }

    /// A sequence that the end of the bytes has cut off: wrong, if no more are to come.
    mutating func appendIncomplete(sequenceAt offset: Int) {
        if isLast { appendReplacement(forSequenceAt: offset) } else { incompleteOffset = offset }
    }
}

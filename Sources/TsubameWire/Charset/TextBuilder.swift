// TextBuilder: builds text from code points, and notes where the bytes were wrong first.

struct TextBuilder {
    private var utf8: [UInt8] = []
    private var malformedOffset: Int?
    private let isLast: Bool

    /// Where the sequence begins that the end of the bytes cuts off, if more bytes will follow.
    private(set) var incompleteOffset: Int?

    /// - Parameters:
    ///   - capacity: the expected number of UTF-8 bytes. There may be more.
    ///   - isLast: whether no bytes follow these.
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

    /// Appends U+FFFD for the wrong sequence that begins at `offset`.
    mutating func appendReplacement(forSequenceAt offset: Int) {
        if malformedOffset == nil { malformedOffset = offset }
        append(0xFFFD)
    }

    /// Handles a sequence that the end of the bytes cuts off. It is wrong if no more bytes follow.
    mutating func appendIncomplete(sequenceAt offset: Int) {
        if isLast { appendReplacement(forSequenceAt: offset) } else { incompleteOffset = offset }
    }
}

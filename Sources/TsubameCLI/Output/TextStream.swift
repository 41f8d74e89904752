// TextStream: decodes the text of a body that arrives in pieces.

import Tsubame

/// Decodes by the byte order mark, else the declared charset, else UTF-8. A character may be split between pieces.
struct TextStream {
    private let contentType: String?
    private var charset: Charset?
    private var decoder = StreamingDecoder(.utf8)
    /// The first bytes, until the charset is known.
    private var beginning: [UInt8] = []

    init(contentType: String?) { self.contentType = contentType }

    /// Whether the bytes are not text, because they contain a control character that text does not contain. Always
    /// false before the charset is known.
    func isBinary(_ bytes: Bytes) -> Bool {
        switch charset {
        case nil, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian: false
        default: bytes.contains { $0 < 0x07 || (0x0E...0x1A).contains($0) || (0x1C...0x1F).contains($0) }
        }
    }

    /// The text of all characters that are complete so far.
    mutating func decode(_ bytes: Bytes) -> String {
        if charset != nil { return decoder.decode(bytes) }
        beginning.append(contentsOf: bytes)
        return beginning.count < Charset.longestMark ? "" : begin()
    }

    /// The rest. Characters that are still incomplete are errors.
    mutating func finish() -> String {
        let text = charset == nil ? begin() : ""
        return text + decoder.finish()
    }

    private mutating func begin() -> String {
        let (charset, markLength) = Charset.determine(for: beginning, contentType: contentType)
        self.charset = charset
        decoder = StreamingDecoder(charset)
        defer { beginning = [] }
        return decoder.decode(beginning.dropFirst(markLength))
    }
}

// TextStream: the text of bytes that come in pieces.
#if Tool
import Tsubame

/// Decodes a body by its byte order mark, its declared charset, or as UTF-8, wherever the pieces are cut.
struct TextStream {
    private let contentType: String?
    private var charset: Charset?
    private var decoder = StreamingDecoder(.utf8)
    /// The beginning, until the charset is known.
    private var beginning: [UInt8] = []

    init(contentType: String?) { self.contentType = contentType }

    /// Whether the bytes are no text: they hold a control character that none has. Not before it is known what text it
    /// would be.
    func isBinary(_ bytes: Bytes) -> Bool {
        switch charset {
        case nil, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian: false
        default: bytes.contains { $0 < 0x07 || (0x0E...0x1A).contains($0) || (0x1C...0x1F).contains($0) }
        }
    }

    /// The text of what is whole so far.
    mutating func decode(_ bytes: Bytes) -> String {
        if charset != nil { return decoder.decode(bytes) }
        beginning.append(contentsOf: bytes)
        return beginning.count < Charset.longestMark ? "" : begin()
    }

    /// The rest: what is still not whole is wrong.
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

#endif

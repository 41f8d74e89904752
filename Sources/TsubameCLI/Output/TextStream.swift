// TextStream: decodes the text of a body that arrives in pieces.

import Tsubame

/// Decodes by the byte order mark, else the declared charset, else UTF-8. For a reader, the first bytes that are not ASCII
/// may show another charset than UTF-8. A character may be split between pieces.
struct TextStream {
    private let contentType: String?
    private var charset: Charset?
    private var decoder = StreamingDecoder(.utf8)
    /// Whether the charset may still be guessed.
    private var mayGuess: Bool
    /// The first bytes, until the charset is known.
    private var beginning: [UInt8] = []

    /// - Parameter guesses: whether the charset of a text that does not name it is guessed.
    init(contentType: String?, guesses: Bool) {
        self.contentType = contentType
        mayGuess = guesses && contentType.flatMap { MediaType($0) }?["charset"] == nil
    }

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
        if charset != nil { return decodeGuessing(bytes) }
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
        if charset != .utf8 || markLength > 0 { mayGuess = false }
        return decodeGuessing(Bytes(Array(beginning.dropFirst(markLength))))
    }

    private mutating func decodeGuessing(_ bytes: Bytes) -> String {
        // Everything before was ASCII, which is the same in every charset that is guessed.
        if mayGuess, let start = bytes.firstIndex(where: { $0 >= 0x80 }) {
            mayGuess = false
            let guess = CharsetGuess.guess(bytes[start...])
            if guess != .utf8 {
                charset = guess
                decoder = StreamingDecoder(guess)
            }
        }
        return decoder.decode(bytes)
    }
}

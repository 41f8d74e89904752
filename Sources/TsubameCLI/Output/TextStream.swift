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
    /// The bytes from the first one that is not ASCII, until they tell the charset. They are some hundreds at most.
    private var undecided: [UInt8] = []
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

    /// The text of all characters that are complete so far, and whose charset is known.
    mutating func decode(_ bytes: Bytes) -> String {
        guard mayGuess || charset == nil else { return decoder.decode(bytes) }
        if charset != nil { return decodeGuessing(Array(bytes), isWhole: false) }
        beginning.append(contentsOf: bytes)
        return beginning.count < Charset.longestMark ? "" : begin(isWhole: false)
    }

    /// The rest. Characters that are still incomplete are errors.
    mutating func finish() -> String {
        let text = charset == nil ? begin(isWhole: true) : decodeGuessing([], isWhole: true)
        return text + decoder.finish()
    }

    private mutating func begin(isWhole: Bool) -> String {
        let (charset, markLength) = Charset.determine(for: beginning, contentType: contentType)
        self.charset = charset
        decoder = StreamingDecoder(charset)
        if charset != .utf8 || markLength > 0 { mayGuess = false }
        defer { beginning = [] }
        return decodeGuessing(Array(beginning.dropFirst(markLength)), isWhole: isWhole)
    }

    private mutating func decodeGuessing(_ bytes: [UInt8], isWhole: Bool) -> String {
        guard mayGuess else { return decoder.decode(bytes) }
        undecided.append(contentsOf: bytes)
        // ASCII is the same in every charset that is guessed.
        let start = undecided.firstIndex { $0 >= 0x80 } ?? undecided.endIndex
        let ascii = decoder.decode(undecided[..<start])
        undecided.removeSubrange(..<start)
        guard !undecided.isEmpty, let guess = CharsetGuess.guess(undecided, isWhole: isWhole) else { return ascii }
        if guess != .utf8 {
            charset = guess
            decoder = StreamingDecoder(guess)
        }
        mayGuess = false
        defer { undecided = [] }
        return ascii + decoder.decode(undecided)
    }
}

// TextStream: the text of bytes that come in pieces.
#if Tool
import Tsubame

/// Decodes a body by its byte order mark, its declared charset, or as UTF-8, wherever the pieces are cut.
struct TextStream {
    private let contentType: String?
    private var charset: Charset?
    /// The beginning, until the charset is known; then what belongs to a character that is not yet whole.
    private var held: [UInt8] = []

    init(contentType: String?) { self.contentType = contentType }

    /// Whether the bytes are no text: they hold a control character that none has. Not before it is known what text it
    /// would be.
    func isBinary(_ bytes: Bytes) -> Bool {
        switch charset {
        case nil, .utf16, .utf16LittleEndian, .utf16BigEndian: false
        default: bytes.contains { $0 < 0x07 || (0x0E...0x1A).contains($0) || (0x1C...0x1F).contains($0) }
        }
    }

    /// The text of what is whole so far.
    mutating func decode(_ bytes: Bytes) -> String {
        held.append(contentsOf: bytes)
        // The longest byte order mark has three bytes.
        guard charset != nil || held.count >= 3 else { return "" }
        let charset = determined()
        let count = held.count - Self.incompleteTail(of: held, charset)
        let text = charset.decode(held[..<count]).text
        held.removeFirst(count)
        return text
    }

    /// The rest: what is still not whole is wrong.
    mutating func finish() -> String {
        guard !held.isEmpty else { return "" }
        let charset = determined()
        defer { held = [] }
        return charset.decode(held).text
    }

    private mutating func determined() -> Charset {
        if let charset { return charset }
        let (found, markLength) = Charset.determine(for: held, contentType: contentType)
        held.removeFirst(markLength)
        // Without a mark the label means this; decoding piece by piece, no later character must be taken for one.
        let charset = found == .utf16 ? .utf16LittleEndian : found
        self.charset = charset
        return charset
    }

    /// How many bytes at the end begin a character that is not yet whole.
    private static func incompleteTail(of bytes: [UInt8], _ charset: Charset) -> Int {
        switch charset {
        case .isoLatin1, .windows1252: 0
        case .utf8: incompleteTailOfUTF8(bytes)
        case .utf16, .utf16LittleEndian: incompleteTailOfUTF16(bytes, highByte: 1)
        case .utf16BigEndian: incompleteTailOfUTF16(bytes, highByte: 0)
        case .shiftJIS:
            incompleteTail(of: bytes) { lead, _ in
                (0x81...0x9F).contains(lead) || (0xE0...0xFC).contains(lead) ? 2 : 1
            }
        case .eucJP:
            incompleteTail(of: bytes) { lead, next in
                switch lead {
                case 0x8F: next.map { (0xA1...0xFE).contains($0) } ?? true ? 3 : 2
                case 0x8E, 0xA1...0xFE: 2
                default: 1
                }
            }
        }
    }

    /// - Parameter length: of the unit that begins with the first byte. Whether its last byte is taken, or read again as
    ///   ASCII, makes no difference: behind it there is no unit that has begun.
    private static func incompleteTail(of bytes: [UInt8], length: (UInt8, UInt8?) -> Int) -> Int {
        var offset = 0
        while offset < bytes.count {
            let next = offset + 1 < bytes.count ? bytes[offset + 1] : nil
            let end = offset + length(bytes[offset], next)
            if end > bytes.count { return bytes.count - offset }
            offset = end
        }
        return 0
    }

    private static func incompleteTailOfUTF8(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    /// An odd byte, and a high surrogate whose other half may follow.
    private static func incompleteTailOfUTF16(_ bytes: [UInt8], highByte: Int) -> Int {
        let odd = bytes.count % 2
        let unit = bytes.count - odd - 2
        guard unit >= 0 else { return odd }
        return (0xD8...0xDB).contains(bytes[unit + highByte]) ? odd + 2 : odd
    }
}

#endif

// XMLScanner: finds the tags, texts and other parts of an XML document.

/// Splits a document into tags, text and other parts. It stops where the document is not well-formed: where a start tag
/// has no end tag, or a construct has no end. Declarations are not interpreted.
struct XMLScanner {
    enum Kind {
        case start, end, empty, text, blank, section, other
    }

    struct Token {
        var kind: Kind
        var range: Range<Int>
        /// In a start tag: whether its element contains text, or asks to keep its white space.
        var isMixed = false
        /// In a start tag: whether its element contains an element, a comment or an instruction.
        var hasChildren = false
    }

    private static let maximumDepth = 10_000

    private let bytes: [UInt8]
    private var tokens: [Token] = []
    /// The tokens of the start tags that are still open.
    private var open: [Int] = []
    private var offset = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tokens of the well-formed part of the document.
    static func tokens(of bytes: [UInt8]) -> [Token] {
        var scanner = XMLScanner(bytes)
        while scanner.offset < bytes.count, scanner.scan() {}
        return scanner.tokens
    }

    private mutating func scan() -> Bool {
        guard bytes[offset] == UInt8(ascii: "<") else { return text() }
        if starts(with: "<!--") { return take(.other, to: "-->", from: 4) }
        if starts(with: "<![CDATA[") { return !open.isEmpty && take(.section, to: "]]>", from: 9) }
        if starts(with: "<?") { return take(.other, to: "?>", from: 2) }
        if starts(with: "<!") { return open.isEmpty && declaration() }
        return starts(with: "</") ? endTag() : startTag()
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    }

    private mutating func append(_ kind: Kind, _ end: Int) {
        if let parent = open.last {
            switch kind {
            case .text, .section: tokens[parent].isMixed = true
            case .start, .empty, .other: tokens[parent].hasChildren = true
            case .blank, .end: break
            }
        }
        tokens.append(Token(kind: kind, range: offset..<end))
        offset = end
    }

    private mutating func text() -> Bool {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let isBlank = bytes[offset..<end].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        // Outside the root element, XML allows no text.
        guard isBlank || !open.isEmpty || tokens.isEmpty && bytes[offset..<end].starts(with: [0xEF, 0xBB, 0xBF])
        else { return false }
        append(isBlank ? .blank : .text, end)
        return true
    }

    private mutating func take(_ kind: Kind, to mark: StaticString, from start: Int) -> Bool {
        let mark = mark.withUTF8Buffer { Array($0) }
        var index = offset + start
        while index + mark.count <= bytes.count {
            if bytes[index] == mark[0], bytes[index...].starts(with: mark) {
                append(kind, index + mark.count)
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func declaration() -> Bool {
        var depth = 0
        for index in offset..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0:
                append(.other, index + 1)
                return true
            default: break
            }
        }
        return false
    }

    /// The position after the `>` of the tag that begins here.
    private func endOfTag() -> Int? {
        var quote: UInt8?
        for index in offset + 1..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                return nil
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        return nil
    }

    private func name(from start: Int) -> ArraySlice<UInt8> {
        bytes[start...].prefix {
            $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=")
        }
    }

    private mutating func startTag() -> Bool {
        guard open.count < Self.maximumDepth, let end = endOfTag(), !name(from: offset + 1).isEmpty else {
            return false
        }
        let tag = bytes[offset..<end]
        if tag.dropLast().last == UInt8(ascii: "/") {
            append(.empty, end)
        } else {
            let keepsSpace = Self.keepsSpace(tag)
            append(.start, end)
            tokens[tokens.count - 1].isMixed = keepsSpace
            open.append(tokens.count - 1)
        }
        return true
    }

    /// Whether the tag contains `xml:space` (XML 1.0 section 2.10) anywhere. A false match only keeps more white space
    /// as it is.
    private static func keepsSpace(_ tag: ArraySlice<UInt8>) -> Bool {
        var rest = tag
        while let index = rest.firstIndex(of: UInt8(ascii: ":")) {
            if tag[..<index].suffix(3).elementsEqual("xml".utf8), tag[(index + 1)...].starts(with: "space".utf8) {
                return true
            }
            rest = rest[(index + 1)...]
        }
        return false
    }

    private mutating func endTag() -> Bool {
        guard let start = open.last, let end = endOfTag(),
            name(from: offset + 2) == name(from: tokens[start].range.lowerBound + 1)
        else { return false }
        open.removeLast()
        append(.end, end)
        return true
    }
}

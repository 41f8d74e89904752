// HurlScanner: the characters of a Hurl file, with the places for messages.

/// Reads characters, comments and quoted texts. The parsers of entries and of checks share one.
struct HurlScanner {
    let path: String
    private let scalars: [Unicode.Scalar]
    /// The offset of the first character of each line.
    private let lineStarts: [Int]
    private(set) var offset = 0
    /// The texts over several lines, from their first character to the one behind them.
    private(set) var verbatim: [Range<Int>] = []

    init(_ text: String, path: String) {
        self.path = path
        var all = Array(text.unicodeScalars)
        if all.first == "\u{FEFF}" { all.removeFirst() }
        scalars = all
        lineStarts = [0] + all.indices.filter { all[$0] == "\n" }.map { $0 + 1 }
    }

    var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }
    var isAtEnd: Bool { offset >= scalars.count }

    func peek(_ distance: Int) -> Unicode.Scalar? {
        offset + distance < scalars.count ? scalars[offset + distance] : nil
    }

    mutating func advance() { offset = min(offset + 1, scalars.count) }

    mutating func move(to place: Int) { offset = place }

    mutating func markVerbatim(from start: Int) { verbatim.append(start..<offset) }

    mutating func take(_ text: String) -> Bool {
        guard scalars[offset...].starts(with: text.unicodeScalars) else { return false }
        offset += text.unicodeScalars.count
        return true
    }

    func starts(with text: String) -> Bool { scalars[offset...].starts(with: text.unicodeScalars) }

    /// Takes a word that is followed by no other letter.
    mutating func takeWord(_ word: String) -> Bool {
        let start = offset
        guard take(word) else { return false }
        if let scalar = current, Self.isWord(scalar) {
            offset = start
            return false
        }
        return true
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
            || scalar == "-"
    }

    /// The letters, digits, `_` and `-` from here on.
    mutating func word() -> String {
        let start = offset
        while let scalar = current, Self.isWord(scalar) { offset += 1 }
        return text(start..<offset)
    }

    func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    /// Whether a text in quotation marks follows on this line.
    var isBeforeQuotation: Bool {
        let next = scalars[offset...].first { $0 != " " && $0 != "\t" }
        return next == "\"" || next == "`"
    }

    // MARK: Space and lines

    /// The number of blanks just before this place, without one that follows a backslash.
    var blanksBefore: Int {
        let blanks = scalars[..<offset].reversed().prefix { $0 == " " || $0 == "\t" }.count
        let isEscaped = !scalars[..<(offset - blanks)].reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
        return blanks > 0 && isEscaped ? blanks - 1 : blanks
    }

    mutating func skipSpace() { while let scalar = current, scalar == " " || scalar == "\t" { offset += 1 } }

    static func isBreak(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }

    /// Skips empty lines and comments.
    mutating func skipLines() {
        while true {
            let start = offset
            skipSpace()
            if current == "#" { skipRestOfLine() }
            guard let scalar = current else { return }
            guard Self.isBreak(scalar) else {
                offset = start
                skipSpace()
                return
            }
            offset += 1
        }
    }

    mutating func skipRestOfLine() { while let scalar = current, !Self.isBreak(scalar) { offset += 1 } }

    /// The end of a line, with a comment before it.
    mutating func endLine() throws(FileProblem) {
        skipSpace()
        if current == "#" { skipRestOfLine() }
        guard let scalar = current else { return }
        guard Self.isBreak(scalar) else { throw problem("the line should end here") }
        offset += 1
        if scalar == "\r", current == "\n" { offset += 1 }
    }

    // MARK: Problems

    func place(at offset: Int? = nil) -> FilePlace {
        let end = min(offset ?? self.offset, scalars.count)
        // The last line that begins at the offset or before it.
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= end { low = middle } else { high = middle }
        }
        return FilePlace(line: low + 1, column: end - lineStarts[low] + 1)
    }

    func problem(_ reason: String, at offset: Int? = nil) -> FileProblem {
        let end = min(offset ?? self.offset, scalars.count)
        let start = scalars[..<end].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let stop = scalars[end...].firstIndex(where: Self.isBreak) ?? scalars.count
        return FileProblem(path: path, place: place(at: offset), reason: reason, text: text(start..<stop))
    }

    // MARK: Texts

    /// Text with expressions, up to a character that ends it.
    /// - Parameters:
    ///   - isEnd: whether the text ends before this character. It is not asked about escaped characters.
    ///   - escapes: whether a backslash begins an escape.
    mutating func template(
        escapes: Bool = true, until isEnd: (Unicode.Scalar) -> Bool
    ) throws(FileProblem) -> TemplateText {
        var template = TemplateText()
        var plain = String.UnicodeScalarView()
        while let scalar = current, !isEnd(scalar) {
            if scalar == "{", peek(1) == "{" {
                if !plain.isEmpty { template.parts.append(.text(String(plain))) }
                plain.removeAll()
                template.parts.append(try expression())
            } else if scalar == "\\", escapes {
                plain.append(try escaped())
            } else {
                plain.append(scalar)
                offset += 1
            }
        }
        if !plain.isEmpty { template.parts.append(.text(String(plain))) }
        return template
    }

    /// `{{expression}}`.
    private mutating func expression() throws(FileProblem) -> TemplateText.Part {
        let start = offset
        offset += 2
        let inner = offset
        while let scalar = current, !(scalar == "}" && peek(1) == "}") {
            guard !Self.isBreak(scalar) else { break }
            offset += 1
        }
        let end = offset
        guard take("}}") else { throw problem("the braces of this expression are not closed", at: start) }
        let name = text(inner..<end).trimmed
        guard !name.isEmpty else { throw problem("there is no expression between the braces", at: start) }
        return .expression(name, place(at: start))
    }

    private mutating func escaped() throws(FileProblem) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let scalar = current else { throw problem("a backslash ends the file", at: start) }
        offset += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u":
            guard take("{") else { throw problem("a character is written \\u{1F426}", at: start) }
            let digits = offset
            while let scalar = current, scalar.properties.isASCIIHexDigit { offset += 1 }
            let number = text(digits..<offset)
            guard take("}"), number.count <= 8, let value = UInt32(number, radix: 16),
                let result = Unicode.Scalar(value)
            else { throw problem("this is no character's number", at: start) }
            return result
        case _ where Self.isWord(scalar) || Self.isBreak(scalar):
            throw problem("\\\(Self.isBreak(scalar) ? "" : String(scalar)) is no escape", at: start)
        default: return scalar
        }
    }

    /// A text in double quotation marks, in backticks, or between lines of three backticks.
    mutating func quoted() throws(FileProblem) -> TemplateText {
        let start = offset
        if starts(with: "```") { return try multiline().text }
        guard let quote = current, quote == "\"" || quote == "`" else {
            throw problem("a text in quotation marks is missing")
        }
        offset += 1
        let result = try template { $0 == quote || quote == "`" && Self.isBreak($0) }
        guard current == quote else { throw problem("the text does not end", at: start) }
        offset += 1
        return result
    }

    /// A text between ```` ``` ````, and the words after the first of them, such as `json`.
    mutating func multiline() throws(FileProblem) -> (text: TemplateText, attributes: [String]) {
        let start = offset
        offset += 3
        let line = offset
        while let scalar = current, !Self.isBreak(scalar), scalar != "`" { offset += 1 }
        let attributes = text(line..<offset).split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        // On one line, the text stands between the backticks.
        if starts(with: "```") {
            let plain = text(line..<offset)
            offset += 3
            return (TemplateText(plain), [])
        }
        if current == "\r" { offset += 1 }
        if current == "\n" { offset += 1 }
        var parts: [TemplateText.Part] = []
        while !starts(with: "```") {
            guard current != nil else { throw problem("the text between ``` does not end", at: start) }
            let isTemplate = !attributes.contains("novariable") && !attributes.contains("raw")
            let piece: TemplateText
            if isTemplate {
                piece = try template(escapes: attributes.contains("escape")) { $0 == "`" }
            } else {
                let begin = offset
                while let scalar = current, scalar != "`" { offset += 1 }
                piece = TemplateText(text(begin..<offset))
            }
            parts += piece.parts
            if current == "`", !starts(with: "```") {
                parts.append(.text("`"))
                offset += 1
            }
        }
        offset += 3
        markVerbatim(from: start)
        return (TemplateText(parts), attributes)
    }
}

extension String {
    /// Whether the text has a line end as files have it; other characters that end lines elsewhere do not count.
    var hasLineEnd: Bool { unicodeScalars.contains(where: HurlScanner.isBreak) }

    /// The text without spaces, tabs and line ends around it. A text without them is not copied.
    package var trimmed: String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        guard let start = utf8.firstIndex(where: { !isBlank($0) }) else { return "" }
        var end = utf8.endIndex
        while case let last = utf8.index(before: end), isBlank(utf8[last]) { end = last }
        return start == startIndex && end == endIndex ? self : String(self[start..<end])
    }
}

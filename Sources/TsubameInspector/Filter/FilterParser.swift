// FilterParser: reads the text of a filter.

extension TrafficFilter {
    /// - Throws: the place and the reason if the text is no filter.
    package init(_ text: String) throws(Problem) {
        var parser = FilterParser(text)
        root = try parser.filter()
    }
}

private struct FilterParser {
    typealias Node = TrafficFilter.Node
    typealias Problem = TrafficFilter.Problem

    /// How deep parentheses and negations may nest.
    private static let mostLevels = 50
    /// The tree of a filter is as deep as it has terms.
    private static let mostTerms = 200

    private let text: [Character]
    private var position = 0
    private var level = 0
    private var terms = 0

    init(_ text: String) { self.text = Array(text) }

    mutating func filter() throws(Problem) -> Node {
        skipSpaces()
        if position == text.count { return .all }
        let node = try either()
        guard position == text.count else { throw problem("a parenthesis is closed that was not opened") }
        return node
    }

    private func problem(_ reason: String) -> Problem { Problem(position: position + 1, reason: reason) }

    private var next: Character? { position < text.count ? text[position] : nil }

    private mutating func skipSpaces() { while next?.isWhitespace == true { position += 1 } }

    private mutating func skip(_ character: Character) -> Bool {
        guard next == character else { return false }
        position += 1
        skipSpaces()
        return true
    }

    private mutating func either() throws(Problem) -> Node {
        var node = try both()
        while skip("|") { node = .either(node, try both()) }
        return node
    }

    private mutating func both() throws(Problem) -> Node {
        var node = try term()
        while true {
            let isJoined = skip("&")
            guard let next, isJoined || (next != "|" && next != ")") else {
                if isJoined { throw problem("a term is missing after &") }
                return node
            }
            node = .both(node, try term())
        }
    }

    private mutating func term() throws(Problem) -> Node {
        level += 1
        defer { level -= 1 }
        guard level <= Self.mostLevels else { throw problem("the filter nests too deeply") }
        if skip("!") { return .not(try term()) }
        if skip("(") {
            let node = try either()
            guard skip(")") else { throw problem("a parenthesis is not closed") }
            return node
        }
        terms += 1
        guard terms <= Self.mostTerms else { throw problem("the filter has more than \(Self.mostTerms) terms") }
        let start = position
        let word = try word()
        skipSpaces()
        guard let (key, value) = word.parts else {
            guard !word.text.isEmpty else { throw problem("a term is missing") }
            return .text(ByteSearch(word.text))
        }
        // A URL that was pasted.
        if ["http", "https"].contains(key.lowercased()) { return .text(ByteSearch("\(key):\(value)")) }
        guard let node = Self.node(key.lowercased(), value) else {
            throw Problem(
                position: start + 1, reason: "\(key):\(value) is no term (? lists them; quotes make a word of it)")
        }
        return node
    }

    /// A word: its text, and its parts if it has a colon outside quotes. Quotes hold spaces and signs.
    private mutating func word() throws(Problem) -> (text: String, parts: (String, String)?) {
        var word = ""
        var key: String?
        while let character = next, !character.isWhitespace, !"&|()".contains(character) {
            position += 1
            switch character {
            case "\"":
                while let character = next, character != "\"" {
                    word.append(character)
                    position += 1
                }
                guard next != nil else { throw problem("a quote is not closed") }
                position += 1
            case ":" where key == nil && !word.isEmpty && word.allSatisfy(\.isLetter):
                key = word
                word = ""
            default: word.append(character)
            }
        }
        return (word, key.map { ($0, word) })
    }

    private static func node(_ key: String, _ value: String) -> Node? {
        let text = ByteSearch(value)
        switch key {
        case "method": return value.isEmpty ? nil : .method(value.uppercased())
        case "status": return status(value).map { .status($0) }
        case "host": return .host(text)
        case "path": return .path(text)
        case "type": return .type(text)
        case "header":
            let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, !name.isEmpty else { return nil }
            return .header(start: ByteSearch("\n\(name):"), value: parts.count > 1 ? ByteSearch(parts[1]) : nil)
        case "body": return .body(text)
        case "error": return .error(text)
        case "tag": return .tag(value.lowercased())
        case "version": return .version(text)
        case "duration": return comparison(value, units: ["ms": 1.0, "s": 1000.0, "": 1.0]).map { .duration($0) }
        case "size":
            return comparison(value, units: ["": 1.0, "b": 1.0, "k": 1024.0, "m": 1_048_576.0]).map { .size($0) }
        case "id": return UInt64(value).map { .id($0) }
        default: return nil
        }
    }

    /// `404`, `4xx`, or a comparison.
    private static func status(_ value: String) -> TrafficFilter.Comparison? {
        if value.lowercased().hasSuffix("xx"), value.count == 3, let digit = value.first?.wholeNumberValue {
            return TrafficFilter.Comparison(from: Double(digit * 100), to: Double(digit * 100 + 100))
        }
        return comparison(value, units: ["": 1.0])
    }

    /// A number, or `>`, `>=`, `<` or `<=` and a number, with a unit.
    private static func comparison(_ value: String, units: [String: Double]) -> TrafficFilter.Comparison? {
        let signs = value.prefix { "<>=".contains($0) }
        let rest = value.dropFirst(signs.count)
        let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), let unit = units[rest.dropFirst(digits.count).lowercased()] else {
            return nil
        }
        let from = number * unit
        switch signs {
        case "", "=": return TrafficFilter.Comparison(from: from, to: from.nextUp)
        case ">": return TrafficFilter.Comparison(from: from.nextUp, to: .infinity)
        case ">=": return TrafficFilter.Comparison(from: from, to: .infinity)
        case "<": return TrafficFilter.Comparison(from: -.infinity, to: from)
        case "<=": return TrafficFilter.Comparison(from: -.infinity, to: from.nextUp)
        default: return nil
        }
    }
}

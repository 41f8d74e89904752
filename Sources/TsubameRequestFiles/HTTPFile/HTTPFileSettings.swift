// HTTPFileSettings: the settings, checks and captures in the comments of a request.

struct HTTPFileSettings {
    /// The text of the division before the request.
    var title = ""
    var imports: [FileEntry.Field] = []
    /// Why the request cannot run.
    private var refusal: FileProblem?
    private var name: String?
    private var tags: [String] = []
    private var options: [FileEntry.Option] = []
    private var prompts: [FileEntry.Field] = []
    private var loop: FileEntry.Loop?
    private var response: ExpectedResponse?

    /// The offset of the first check or capture; nil if there is none.
    private(set) var firstCheck: Int?

    /// Keeps the first reason why the request cannot run.
    mutating func refuse(_ problem: FileProblem) { refusal = refusal ?? problem }

    mutating func addImport(_ path: String, at place: FilePlace) {
        imports.append(FileEntry.Field(name: TemplateText(path.trimmed), value: TemplateText(), place: place))
    }

    /// Reads a comment. Comments without a setting are skipped, and so are settings of editors about their windows.
    mutating func read(_ line: HTTPFileParser.Line, _ parser: inout HTTPFileParser) throws(FileProblem) {
        guard let comment = line.comment else { return }
        let place = parser.scanner.place(at: line.start)
        if comment.hasPrefix(">") {
            // The scanner stands behind the mark, so that messages show the place in the file.
            try moveBehind(">", line, &parser)
            guard let assertion = try HurlCheckParser.assertion(&parser.scanner) else {
                throw parser.scanner.problem("a check begins with a query, such as status or jsonpath \"$.id\"")
            }
            guard !assertion.text.hasLineEnd else {
                throw parser.scanner.problem("a check stands on one line; write \\n for a line end", at: line.start)
            }
            firstCheck = firstCheck ?? line.start
            withResponse(place) { $0.assertions.append(assertion) }
            return
        }
        // The name of a setting follows the mark.
        guard comment.hasPrefix("@"), let letter = comment.dropFirst().first, letter.isLetter else { return }
        let words = comment.dropFirst().split(maxSplits: 1) { $0 == " " || $0 == "\t" || $0 == "=" }.map(String.init)
        let value = words.count > 1 ? words[1].trimmed : ""
        func option(_ name: String, _ value: String) {
            options.append(
                FileEntry.Option(name: name, value: TemplateText(parsing: value, at: place), place: place))
        }
        switch words.first {
        case "name": name = value.isEmpty ? nil : value
        case "tag", "tags": tags += value.split { $0 == " " || $0 == "," }.map(String.init)
        case "import": addImport(value, at: place)
        case "prompt":
            let name = value.prefix { $0 != " " }
            prompts.append(
                FileEntry.Field(
                    name: TemplateText(String(name)), value: TemplateText(String(value.dropFirst(name.count)).trimmed),
                    place: place))
        case "loop": loop = try Self.loop(value, line, parser)
        case "capture":
            try moveBehind("@capture", line, &parser)
            guard let capture = try HurlCheckParser.capture(&parser.scanner, separator: "=") else {
                throw parser.scanner.problem("a capture is written # @capture name = jsonpath \"$.x\"")
            }
            guard !capture.text.hasLineEnd else {
                throw parser.scanner.problem("a capture stands on one line", at: line.start)
            }
            firstCheck = firstCheck ?? line.start
            withResponse(place) { $0.captures.append(capture) }
        case "no-redirect": option("location", "false")
        case "no-cookie-jar": option("cookies", "false")
        case "timeout": option("max-time", value.filter { $0 != " " })
        case "connection-timeout": option("connect-timeout", value.filter { $0 != " " })
        case let known? where FileEntry.Option.names.contains(known): option(known, value.isEmpty ? "true" : value)
        case let refused? where ["ntlm", "negotiate", "limit-rate", "pinnedpubkey"].contains(refused):
            refuse(parser.scanner.problem("the option \(refused) of Hurl is not supported", at: line.start))
        case let word?:
            // Editors have settings of their own, which mean nothing here. One wrong letter is a mistake.
            let meant = Self.names.first { Self.isMistyped(word, $0) }
            if let meant { throw parser.scanner.problem("@\(word) is no setting; is @\(meant) meant?", at: line.start) }
        case nil: break
        }
    }

    private static let names =
        FileEntry.Option.names.sorted() + [
            "capture", "import", "loop", "name", "no-cookie-jar", "no-redirect", "prompt", "timeout",
            "connection-timeout",
        ]

    /// Whether the word differs from the name in one letter, or in the order of its letters.
    private static func isMistyped(_ word: String, _ name: String) -> Bool {
        guard word.utf8.count > 4, word != name else { return false }
        if word.utf8.count == name.utf8.count, word.utf8.sorted() == name.utf8.sorted() { return true }
        let (short, long) = word.utf8.count < name.utf8.count ? (word, name) : (name, word)
        guard long.utf8.count - short.utf8.count <= 1 else { return false }
        let start = zip(short.utf8, long.utf8).prefix { $0 == $1 }.count
        let rest = short.utf8.dropFirst(short.utf8.count == long.utf8.count ? start + 1 : start)
        return rest.elementsEqual(long.utf8.dropFirst(start + 1))
    }

    /// `>> file` saves the body under a new name, and `>>! file` replaces the file. `<> file` names an earlier response and
    /// means nothing here.
    mutating func readResponseLine(
        _ line: HTTPFileParser.Line, _ parser: HTTPFileParser
    ) throws(FileProblem) -> Bool {
        let text = line.trimmed
        if text.hasPrefix("<> ") { return true }
        guard text.hasPrefix(">> ") || text.hasPrefix(">>! ") else { return false }
        let path = String(text.drop { $0 == ">" || $0 == "!" }).trimmed
        let place = parser.scanner.place(at: line.start)
        options.append(
            FileEntry.Option(
                name: text.hasPrefix(">>!") ? "output" : "output-new", value: TemplateText(parsing: path, at: place),
                place: place))
        return true
    }

    private func moveBehind(
        _ mark: String, _ line: HTTPFileParser.Line, _ parser: inout HTTPFileParser
    ) throws(FileProblem) {
        parser.scanner.move(to: line.start)
        while !parser.scanner.take(mark) {
            guard let scalar = parser.scanner.current, !HurlScanner.isBreak(scalar) else {
                throw parser.scanner.problem("this comment is no \(mark)", at: line.start)
            }
            parser.scanner.advance()
        }
        parser.scanner.skipSpace()
    }

    private mutating func withResponse(_ place: FilePlace, _ change: (inout ExpectedResponse) -> Void) {
        var expected = response ?? ExpectedResponse(place: place)
        change(&expected)
        response = expected
    }

    /// `row of rows.csv`, or a number of times; both with or without `for`.
    private static func loop(
        _ text: String, _ line: HTTPFileParser.Line, _ parser: HTTPFileParser
    ) throws(FileProblem) -> FileEntry.Loop {
        var words = text.split(separator: " ").map(String.init)
        if words.first == "for" { words.removeFirst() }
        if words.count == 1, let count = Int(words[0]), (0...1_000_000).contains(count) { return .times(count) }
        guard words.count >= 3, words[1] == "of" else {
            throw parser.scanner.problem("a loop is written # @loop row of rows.csv, or # @loop 3", at: line.start)
        }
        return .rows(name: words[0], path: words[2...].joined(separator: " "))
    }

    func apply(to entry: inout FileEntry, _ parser: HTTPFileParser) throws(FileProblem) {
        entry.name = name ?? (title.isEmpty ? nil : title)
        entry.title = title.isEmpty ? nil : title
        entry.tags = tags
        entry.prompts = prompts
        entry.loop = loop
        entry.response = response
        let standard = [("location", "true"), ("compressed", "true")].map { option in
            FileEntry.Option(name: option.0, value: TemplateText(option.1), place: entry.place)
        }
        entry.standardOptions = standard
        entry.options += options
        entry.refusal = entry.refusal ?? refusal
    }
}

// HTTPFileParser: reads a file in the format of the HTTP clients of JetBrains and VS Code.

/// The requests of an `.http` file, divided by lines that begin with `###`.
///
/// A request is an optional method, a URL and an optional version; lines with fields; an empty line; and a body up to
/// the next division. Comments before the request and after its body may hold settings (`# @name login`), checks
/// (`# > status == 200`) and captures (`# @capture token = jsonpath "$.token"`). Editors skip them.
package struct HTTPFileParser {
    /// A line, with the offset of its first character.
    struct Line {
        let start: Int
        let text: String

        var trimmed: String { text.trimmed }
        var isBlank: Bool { trimmed.isEmpty }
        /// The text of a comment behind its mark; nil if the line is no comment.
        var comment: String? {
            let text = trimmed
            if text.hasPrefix("#") { return String(text.drop { $0 == "#" }).trimmed }
            return text.hasPrefix("//") ? String(text.dropFirst(2)).trimmed : nil
        }
        var isDivision: Bool { text.hasPrefix("###") }
    }

    var scanner: HurlScanner
    var file: RequestFile
    private var lines: [Line] = []
    private var index = 0

    private init(_ text: String, path: String) {
        scanner = HurlScanner(text, path: path)
        file = RequestFile(path: path)
        var start = 0
        while !scanner.isAtEnd {
            scanner.skipRestOfLine()
            lines.append(Line(start: start, text: scanner.text(start..<scanner.offset)))
            if scanner.current == "\r" { scanner.advance() }
            if scanner.current == "\n" { scanner.advance() }
            start = scanner.offset
        }
    }

    /// - Throws: ``FileProblem`` at the first place that is wrong.
    package static func parse(_ text: String, path: String) throws(FileProblem) -> RequestFile {
        var parser = HTTPFileParser(text, path: path)
        while parser.index < parser.lines.count { try parser.readBlock() }
        return parser.file
    }

    // MARK: Blocks

    /// Everything up to the next division.
    private mutating func readBlock() throws(FileProblem) {
        var settings = HTTPFileSettings()
        if lines[index].isDivision {
            settings.title = lines[index].comment ?? ""
            index += 1
        }
        while index < lines.count, !lines[index].isDivision {
            let line = lines[index]
            if line.isBlank {
                index += 1
            } else if line.comment != nil {
                try settings.read(line, &self)
                index += 1
            } else if line.trimmed.hasPrefix("@") {
                try readVariable(line)
                index += 1
            } else {
                return try readRequest(settings)
            }
        }
        // Settings without a request, such as imports at the beginning of a file.
        file.imports += settings.imports
    }

    /// `@name = value`.
    private mutating func readVariable(_ line: Line) throws(FileProblem) {
        let text = line.trimmed.dropFirst()
        guard let equals = text.firstIndex(of: "="), case let name = String(text[..<equals]).trimmed, !name.isEmpty
        else {
            throw scanner.problem("a variable is written @name = value", at: line.start)
        }
        let value = String(text[text.index(after: equals)...]).trimmed
        let place = scanner.place(at: line.start)
        file.variables.append(
            FileEntry.Field(name: TemplateText(name), value: TemplateText(parsing: value, at: place), place: place))
    }

    private mutating func readRequest(_ settings: HTTPFileSettings) throws(FileProblem) {
        var settings = settings
        try refuseScript(lines[index])
        var entry = try requestLine()
        try readFields(of: &entry, &settings)
        var body: [Line] = []
        while index < lines.count, !lines[index].isDivision {
            body.append(lines[index])
            index += 1
        }
        try readEnd(of: &body, &settings)
        try HTTPFileBody.read(body, into: &entry, self)
        try settings.apply(to: &entry, self)
        file.imports += settings.imports
        file.entries.append(entry)
    }

    // MARK: Request line and fields

    /// `[METHOD] URL [VERSION]`, and lines below that continue the URL.
    private mutating func requestLine() throws(FileProblem) -> FileEntry {
        let line = lines[index]
        let place = scanner.place(at: line.start)
        index += 1
        var text = line.trimmed
        while index < lines.count, Self.continues(lines[index]) {
            text += lines[index].trimmed
            index += 1
        }
        var words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
        if words.count > 1, let advice = Self.foreign[words[0]] { throw scanner.problem(advice, at: line.start) }
        // VS Code also takes a method in small letters.
        if words.count > 1, Self.methods.contains(words[0].uppercased()) { words[0] = words[0].uppercased() }
        var method = "GET"
        if words.count > 1, words[0].allSatisfy({ $0.isASCII && $0.isUppercase || $0 == "-" }) {
            method = words.removeFirst()
        }
        var version: String?
        if words.count > 1, let last = words.last, last.hasPrefix("HTTP/") {
            version = last
            words.removeLast()
        }
        if ["WEBSOCKET", "GRPC", "RSOCKET"].contains(method) {
            throw scanner.problem("\(method) is no method of HTTP", at: line.start)
        }
        // A blank within a URL stands for itself, also within an expression.
        let url = words.joined(separator: " ")
        guard !url.isEmpty, !Self.methods.contains(url) else {
            throw scanner.problem("the URL is missing", at: line.start)
        }
        var entry = FileEntry(
            place: place, method: method, url: TemplateText(parsing: url, at: place).replacingBlanks)
        if let version, let option = try Self.option(of: version, line, scanner) {
            entry.options.append(FileEntry.Option(name: option, value: TemplateText("true"), place: place))
        }
        return entry
    }

    /// The first words of lines that are no requests here.
    private static let foreign = [
        "curl": "a curl line is no request here: run it by tsubame from-curl, or make a file of it by tsubame convert",
        "import": "write an import as # @import FILE",
        "run": "a run of other files is not supported; # @import FILE is",
    ]

    /// A word alone that is one of these is no URL.
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

    private static func continues(_ line: Line) -> Bool {
        let text = line.trimmed
        if text.hasPrefix("?") || text.hasPrefix("&") { return true }
        return (line.text.first == " " || line.text.first == "\t") && text.hasPrefix("/") && line.comment == nil
    }

    private static func option(
        of version: String, _ line: Line, _ scanner: HurlScanner
    ) throws(FileProblem) -> String? {
        switch version {
        case "HTTP/1.0": return "http1.0"
        case "HTTP/1.1": return "http1.1"
        case "HTTP/2", "HTTP/2.0": return "http2"
        default: throw scanner.problem("the version is HTTP/1.0, HTTP/1.1 or HTTP/2", at: line.start)
        }
    }

    private mutating func readFields(of entry: inout FileEntry, _ settings: inout HTTPFileSettings) throws(FileProblem)
    {
        while index < lines.count, !lines[index].isBlank, !lines[index].isDivision {
            let line = lines[index]
            index += 1
            if line.comment != nil {
                try settings.read(line, &self)
                continue
            }
            try refuseScript(line)
            if try settings.readResponseLine(line, self) { continue }
            guard let colon = line.text.firstIndex(of: ":"),
                case let name = String(line.text[..<colon]).trimmed, !name.isEmpty, !name.contains(" ")
            else {
                throw scanner.problem(
                    "a field is written Name: value; an empty line comes before a body", at: line.start)
            }
            let place = scanner.place(at: line.start)
            let value = String(line.text[line.text.index(after: colon)...]).trimmed
            entry.fields.append(
                FileEntry.Field(
                    name: TemplateText(parsing: name, at: place), value: TemplateText(parsing: value, at: place),
                    place: place))
        }
        while index < lines.count, lines[index].isBlank { index += 1 }
    }

    /// Takes comments, references to responses and empty lines from the end of a body.
    private mutating func readEnd(of body: inout [Line], _ settings: inout HTTPFileSettings) throws(FileProblem) {
        var end: [Line] = []
        while let line = body.last {
            if !line.isBlank, !HTTPFileSettings.isSetting(line) {
                guard try settings.readResponseLine(line, self) else { break }
            }
            body.removeLast()
            if line.comment != nil { end.append(line) }
        }
        for line in end.reversed() { try settings.read(line, &self) }
        for line in body { try refuseScript(line, isBody: true) }
    }

    /// Handlers in JavaScript would have to run to be of use.
    private func refuseScript(_ line: Line, isBody: Bool = false) throws(FileProblem) {
        let text = line.trimmed
        guard
            text.hasPrefix("> {%") || text.hasPrefix("< {%") || text.hasPrefix("> ") && text.hasSuffix(".js")
                || !isBody && text.hasPrefix("< ") && text.hasSuffix(".js")
        else { return }
        throw scanner.problem(
            "JavaScript is not run: write checks as # > status == 200, and captures as # @capture name = jsonpath \"$.x\"",
            at: line.start)
    }
}

extension TemplateText {
    /// The same text with `%20` for blanks.
    fileprivate var replacingBlanks: TemplateText {
        TemplateText(
            parts.map { part in
                guard case .text(let text) = part else { return part }
                return .text(text.replacing(" ", with: "%20"))
            })
    }
}

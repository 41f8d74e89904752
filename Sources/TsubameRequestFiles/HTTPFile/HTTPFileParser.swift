// HTTPFileParser: reads a file in the format of the HTTP clients of JetBrains and VS Code.

import HTTPTypes

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
        var isIndented: Bool { text.first == " " || text.first == "\t" }
        /// Whether an indented line is a field, and continues nothing.
        var isField: Bool {
            let name = trimmed.prefix { $0 != ":" }
            let rest = trimmed.dropFirst(name.count + 1)
            return name.count < trimmed.count && (rest.isEmpty || rest.first == " ")
                && (HTTPField.Name(String(name)) != nil || name.hasPrefix("{{"))
        }
        /// Whether the line below a request line belongs to its URL.
        var continuesURL: Bool {
            if trimmed.hasPrefix("?") || trimmed.hasPrefix("&") { return true }
            return isIndented && !isField && !trimmed.hasPrefix("<") && !trimmed.hasPrefix(">")
        }
        var isCurlLine: Bool { trimmed.hasPrefix("curl ") }
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
            } else if line.trimmed.hasPrefix("import ") {
                settings.addImport(String(line.trimmed.dropFirst(7)), at: scanner.place(at: line.start))
                index += 1
            } else if skipScript(&settings, isInBody: false) {
                continue
            } else if line.trimmed.hasPrefix("HTTP/") {
                // A response that was recorded in the file.
                while index < lines.count, !lines[index].isDivision { index += 1 }
            } else {
                return try readRequest(settings)
            }
        }
        // Settings without a request, such as imports at the beginning of a file.
        file.imports += settings.imports
        if let place = settings.firstCheck {
            throw scanner.problem(
                "a check or a capture needs a request in its section; ### divides sections", at: place)
        }
    }

    /// `@name = value`. A backslash in the value makes the next character mean itself, or a line end or tab.
    private mutating func readVariable(_ line: Line) throws(FileProblem) {
        let text = line.trimmed.dropFirst()
        guard let equals = text.firstIndex(of: "="), case let name = String(text[..<equals]).trimmed, !name.isEmpty
        else {
            throw scanner.problem("a variable is written @name = value", at: line.start)
        }
        let value = String(text[text.index(after: equals)...]).trimmed
        let place = scanner.place(at: line.start)
        file.variables.append(
            FileEntry.Field(
                name: TemplateText(name), value: TemplateText(parsing: value, at: place).withoutEscapes, place: place))
    }

    private mutating func readRequest(_ settings: HTTPFileSettings) throws(FileProblem) {
        var settings = settings
        var entry: FileEntry
        if lines[index].isCurlLine {
            entry = try curlEntry(&settings)
        } else {
            entry = try requestLine(&settings)
            try readFields(of: &entry, &settings)
            let body = try bodyLines(&settings)
            try HTTPFileBody.read(body, into: &entry, self)
        }
        try settings.apply(to: &entry, self)
        file.imports += settings.imports
        file.entries.append(entry)
    }

    /// The lines up to the next division, without comments and scripts, and without the references at their end.
    private mutating func bodyLines(_ settings: inout HTTPFileSettings) throws(FileProblem) -> [Line] {
        var body: [Line] = []
        while index < lines.count, !lines[index].isDivision {
            if skipScript(&settings, isInBody: true) { continue }
            let line = lines[index]
            index += 1
            if line.comment == nil { body.append(line) } else { try settings.read(line, &self) }
        }
        while let line = body.last {
            if !line.isBlank { guard try settings.readResponseLine(line, self) else { break } }
            body.removeLast()
        }
        return Array(body.drop(while: \.isBlank))
    }

    /// Skips a script in JavaScript, which would have to run to be of use. So the request of the block cannot run.
    private mutating func skipScript(_ settings: inout HTTPFileSettings, isInBody: Bool) -> Bool {
        let line = lines[index]
        let text = line.trimmed
        let rest = text.dropFirst()
        let isMarked = ["<", ">"].contains(text.first) && [" ", "\t"].contains(rest.first)
        let isBlock = isMarked && String(rest).trimmed.hasPrefix("{%")
        let isFile = text.hasSuffix(".js") && (text.hasPrefix("> ") || !isInBody && text.hasPrefix("< "))
        guard isBlock || isFile else { return false }
        settings.refuse(
            scanner.problem(
                "JavaScript is not run: write checks as # > status == 200, and captures as # @capture name = jsonpath \"$.x\"",
                at: line.start))
        if isBlock {
            while index < lines.count, !lines[index].isDivision, !lines[index].text.contains("%}") { index += 1 }
        }
        if index < lines.count, !lines[index].isDivision { index += 1 }
        return true
    }

    /// A line for curl, up to the end of the block. Variables of the shell stay as they are.
    private mutating func curlEntry(_ settings: inout HTTPFileSettings) throws(FileProblem) -> FileEntry {
        let line = lines[index]
        let text = try bodyLines(&settings).map(\.text).joined(separator: "\n")
        do throws(ShellLine.Problem) {
            var commands = try ShellLine.commands(in: text) { "$\($0)" }
            // VS Code needs no backslash before a line of options.
            let options = commands.dropFirst().prefix { $0.first?.hasPrefix("-") == true }
            commands[0] += options.joined()
            commands.removeSubrange(options.indices)
            guard commands.count == 1 else {
                throw ShellLine.Problem("one curl line is a request; ### divides requests")
            }
            var entry = try CurlLine(ofFile: Array(commands[0].dropFirst())).entry(at: scanner.place(at: line.start))
            entry.url = entry.url.replacingBlanks
            return entry
        } catch {
            throw scanner.problem(error.reason, at: line.start)
        }
    }

    // MARK: Request line and fields

    /// `[METHOD] URL [VERSION]`, and lines below that continue the URL.
    private mutating func requestLine(_ settings: inout HTTPFileSettings) throws(FileProblem) -> FileEntry {
        let line = lines[index]
        let place = scanner.place(at: line.start)
        index += 1
        var (text, version) = Self.withoutVersion(line.trimmed)
        var words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
        if words.count > 1, words[0] == "run" {
            words.removeFirst()
            settings.refuse(scanner.problem("a run of other files is not supported; # @import FILE is", at: line.start))
        }
        // VS Code also takes a method in small letters.
        if words.count > 1, Self.methods.contains(words[0].uppercased()) { words[0] = words[0].uppercased() }
        var method = "GET"
        if words.count > 1, words[0].allSatisfy({ $0.isASCII && $0.isUppercase || $0 == "-" }) {
            method = words.removeFirst()
        }
        if ["WEBSOCKET", "GRPC", "RSOCKET"].contains(method) {
            settings.refuse(scanner.problem("\(method) is no method of HTTP", at: line.start))
        }
        // A blank within a URL stands for itself, also within an expression.
        var url = words.joined(separator: " ")
        // Whether no query and no fragment has begun.
        var isPath = !url.contains { $0 == "?" || $0 == "#" }
        while index < lines.count, !lines[index].isBlank, !lines[index].isDivision {
            let line = lines[index]
            if line.comment != nil {
                try settings.read(line, &self)
            } else if line.continuesURL {
                let (text, found) = Self.withoutVersion(line.trimmed)
                version = found ?? version
                // Lines of a query need nothing between them.
                if isPath, !url.hasSuffix("/"), !["/", "?", "&", "#"].contains(where: text.hasPrefix) { url += "/" }
                url += text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
                isPath = isPath && !text.contains { $0 == "?" || $0 == "#" }
            } else {
                break
            }
            index += 1
        }
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

    /// A word alone that is one of these is no URL.
    static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

    /// The line without the version at its end.
    private static func withoutVersion(_ text: String) -> (text: String, version: String?) {
        guard let start = text.ranges(of: " HTTP/").last, !text[start.upperBound...].contains("}}") else {
            return (text, nil)
        }
        return (String(text[..<start.lowerBound]).trimmed, String(text[start.lowerBound...]).trimmed)
    }

    private static func option(
        of version: String, _ line: Line, _ scanner: HurlScanner
    ) throws(FileProblem) -> String? {
        switch version {
        case "HTTP/1.0": return "http1.0"
        case "HTTP/1.1": return "http1.1"
        case "HTTP/2", "HTTP/2.0": return "http2"
        case "HTTP/2 (Prior Knowledge)": return "http2-prior-knowledge"
        default: throw scanner.problem("the version is HTTP/1.0, HTTP/1.1 or HTTP/2", at: line.start)
        }
    }

    private mutating func readFields(of entry: inout FileEntry, _ settings: inout HTTPFileSettings) throws(FileProblem)
    {
        // The lines of the last field.
        var (name, values, place) = ("", [String](), entry.place)
        func end() {
            guard !values.isEmpty else { return }
            let value = values.joined(separator: " ").trimmed
            entry.fields.append(
                FileEntry.Field(
                    name: TemplateText(parsing: name, at: place), value: TemplateText(parsing: value, at: place),
                    place: place))
            values = []
        }
        while index < lines.count, !lines[index].isBlank, !lines[index].isDivision {
            if skipScript(&settings, isInBody: false) { continue }
            let line = lines[index]
            index += 1
            if line.comment != nil {
                try settings.read(line, &self)
                continue
            }
            if try settings.readResponseLine(line, self) { continue }
            let text = line.trimmed
            if line.isIndented, !line.isField, !values.isEmpty {
                values.append(text)
                continue
            }
            end()
            guard let colon = text.firstIndex(of: ":"), case let found = String(text[..<colon]).trimmed,
                !found.isEmpty, !TemplateText(parsing: found).hasBlanks
            else {
                throw scanner.problem(
                    "a field is written Name: value; an empty line comes before a body", at: line.start)
            }
            // The length is that of the body.
            if found.lowercased() == "content-length" { continue }
            (name, place) = (found, scanner.place(at: line.start))
            values = [String(text[text.index(after: colon)...]).trimmed]
        }
        end()
        while index < lines.count, lines[index].isBlank { index += 1 }
    }
}

extension TemplateText {
    /// Whether there are blanks outside of expressions.
    fileprivate var hasBlanks: Bool {
        parts.contains { if case .text(let text) = $0 { text.contains(" ") } else { false } }
    }

    /// The same text with `%20` for blanks.
    var replacingBlanks: TemplateText {
        TemplateText(
            parts.map { part in
                guard case .text(let text) = part else { return part }
                let scalars = text.unicodeScalars.map { [" ", "\t", "\n", "\r"].contains($0) ? "%20" : String($0) }
                return .text(scalars.joined())
            })
    }

    /// The same text without backslashes: `\\n` is a line end, and `\\\\` a backslash.
    fileprivate var withoutEscapes: TemplateText {
        TemplateText(
            parts.map { part in
                guard case .text(let text) = part else { return part }
                var (result, isEscaped) = ("", false)
                for scalar in text.unicodeScalars {
                    if !isEscaped, scalar == "\\" {
                        isEscaped = true
                        continue
                    }
                    switch scalar {
                    case "n" where isEscaped: result += "\n"
                    case "r" where isEscaped: result += "\r"
                    case "t" where isEscaped: result += "\t"
                    default: result.unicodeScalars.append(scalar)
                    }
                    isEscaped = false
                }
                return .text(result)
            })
    }
}

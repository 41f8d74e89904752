// HTTPFileBody: the body of a request in an `.http` file, and the fields that have a short form there.

enum HTTPFileBody {
    static func read(
        _ lines: [HTTPFileParser.Line], into entry: inout FileEntry, _ parser: HTTPFileParser
    ) throws(FileProblem) {
        readAuthorization(of: &entry)
        let isGraphQL = takesGraphQL(&entry)
        guard let first = lines.first else { return }
        for line in lines { try refuseUnknownCharset(line, parser) }
        let place = parser.scanner.place(at: first.start)
        let type = value(of: "content-type", entry)?.lowercased() ?? ""
        if isGraphQL {
            let text = lines.map(\.text).joined(separator: "\n")
            entry.body = .text(TemplateText(parsing: graphQL(text), at: place), .graphQL)
        } else if type.hasPrefix("application/x-www-form-urlencoded"), !lines.contains(where: { fileLine($0) != nil }) {
            let text = form(lines)
            entry.body = .text(TemplateText(parsing: text, at: place), .form)
        } else if lines.count == 1, let (path, charset) = fileLine(first) {
            let path = TemplateText(parsing: path, at: place)
            entry.body = charset.map { .pieces([.file(path, charset: $0)]) } ?? .file(path)
        } else {
            // Each line of a list of JSON values has an end.
            let isList = isJSONList(type)
            entry.body = pieces(of: lines, isMultipart: type.hasPrefix("multipart/"), endsLast: isList, parser)
        }
    }

    /// Text with files between. The lines of a multipart body end with CR LF.
    /// - Parameter endsLast: whether the last line has an end.
    private static func pieces(
        of lines: [HTTPFileParser.Line], isMultipart: Bool, endsLast: Bool, _ parser: HTTPFileParser
    ) -> FileEntry.Body {
        let end = isMultipart ? "\r\n" : "\n"
        var pieces: [FileEntry.Piece] = []
        var text = ""
        var place = parser.scanner.place(at: lines.first?.start ?? 0)
        for (index, line) in lines.enumerated() {
            let isLast = index == lines.count - 1 && !isMultipart && !endsLast
            if let (path, charset) = fileLine(line) {
                if !text.isEmpty { pieces.append(.text(TemplateText(parsing: text, at: place))) }
                text = isLast ? "" : end
                place = parser.scanner.place(at: line.start)
                pieces.append(.file(TemplateText(parsing: path, at: place), charset: charset))
            } else {
                text += line.text + (isLast ? "" : end)
            }
        }
        if pieces.isEmpty { return .text(TemplateText(parsing: text, at: place), .plain) }
        if !text.isEmpty { pieces.append(.text(TemplateText(parsing: text, at: place))) }
        return .pieces(pieces)
    }

    /// Whether a media type is one of a JSON value on each line.
    static func isJSONList(_ type: String) -> Bool {
        ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"]
            .contains(where: type.hasPrefix)
    }

    /// A form may be divided into lines before or after each `&`. Other line ends belong to a value.
    private static func form(_ lines: [HTTPFileParser.Line]) -> String {
        var text = ""
        for line in lines where !line.isBlank {
            let next = line.trimmed
            if !text.isEmpty, !text.hasSuffix("&"), !next.hasPrefix("&") { text += "\n" }
            text += next
        }
        return text
    }

    /// `< path`, or `<@ path` for a file with expressions. The name of its charset may follow the sign.
    private static func fileLine(_ line: HTTPFileParser.Line) -> (path: String, charset: FileCharset?)? {
        let text = line.text
        if text.hasPrefix("< ") || text.hasPrefix("<\t") { return (String(text.dropFirst(2)).trimmed, nil) }
        guard text.hasPrefix("<@") else { return nil }
        let words = text.dropFirst(2).split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "\t" }
        guard words.count == 2, let charset = FileCharset(named: String(words[0])) else { return nil }
        return (String(words[1]).trimmed, charset)
    }

    /// `<@charset path` with a charset that is not known would otherwise be text.
    private static func refuseUnknownCharset(
        _ line: HTTPFileParser.Line, _ parser: HTTPFileParser
    ) throws(FileProblem) {
        guard line.text.hasPrefix("<@"), fileLine(line) == nil else { return }
        throw parser.scanner.problem(
            "a file with expressions is written <@ path; charsets are utf8, latin1 and utf16le, as in <@latin1 path",
            at: line.start)
    }

    private static func value(of name: String, _ entry: FileEntry) -> String? {
        entry.fields.first { $0.name.plain?.lowercased() == name }?.value.source
    }

    /// Whether the request is one of GraphQL: by the method GRAPHQL, or by a field of VS Code, which is not sent.
    private static func takesGraphQL(_ entry: inout FileEntry) -> Bool {
        let isMarked = value(of: "x-request-type", entry)?.lowercased() == "graphql"
        guard isMarked || entry.method == "GRAPHQL" else { return false }
        entry.fields.removeAll { $0.name.plain?.lowercased() == "x-request-type" }
        if entry.method == "GRAPHQL" { entry.method = "POST" }
        return true
    }

    /// A query, with its variables below an empty line.
    private static func graphQL(_ text: String) -> String {
        guard text.trimmed.hasSuffix("}") else { return text }
        // Each candidate is read, so there are few.
        for end in text.ranges(of: "\n\n").prefix(20) {
            let rest = text[end.upperBound...].drop(while: \.isWhitespace)
            guard rest.hasPrefix("{") else { continue }
            let variables = String(rest).trimmed
            // A second query would begin in the same way.
            guard JSONSyntax.isValue(variables) || variables.contains("{{") else { continue }
            return "\(text[..<end.lowerBound])\nvariables \(variables)"
        }
        return text
    }

    /// `Authorization: Basic user password` and `Digest user password`.
    private static func readAuthorization(of entry: inout FileEntry) {
        guard let index = entry.fields.firstIndex(where: { $0.name.plain?.lowercased() == "authorization" }) else {
            return
        }
        let field = entry.fields[index]
        let words = words(of: field.value)
        switch (words.first?.lowercased(), words.count) {
        case ("basic", 2...3) where Self.hasColon(words[1]):
            let text = words.dropFirst().joined(separator: " ")
            let pair = TemplateText(parsing: text).divided(at: ":")
            entry.user = user(pair.0.source, pair.1.source, field.place)
        case ("basic", 3): entry.user = user(words[1], words[2], field.place)
        case ("digest", 3) where !words[2].contains("="):
            entry.options.append(
                FileEntry.Option(
                    name: "user", value: TemplateText(parsing: "\(words[1]):\(words[2])", at: field.place),
                    place: field.place))
            entry.options.append(FileEntry.Option(name: "digest", value: TemplateText("true"), place: field.place))
        case ("aws", 3...): readSignature(Self.words(of: field.value, atMost: .max), into: &entry, field.place)
        default: return
        }
        entry.fields.remove(at: index)
    }

    /// `AWS id secret`, with `token:…`, `region:…` and `service:…` in any order.
    private static func readSignature(_ words: [String], into entry: inout FileEntry, _ place: FilePlace) {
        func value(_ name: String) -> String? {
            words.dropFirst(3).first { $0.hasPrefix("\(name):") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let options = [
            ("user", "\(words[1]):\(words[2])"),
            ("aws-sigv4", "aws:amz:\(value("region") ?? ""):\(value("service") ?? "")"),
        ]
        for (name, text) in options {
            entry.options.append(
                FileEntry.Option(name: name, value: TemplateText(parsing: text, at: place), place: place))
        }
        guard let token = value("token") else { return }
        entry.fields.append(
            FileEntry.Field(
                name: TemplateText("X-Amz-Security-Token"), value: TemplateText(parsing: token, at: place),
                place: place))
    }

    /// Blanks within an expression are part of its word, and so are those of the last word.
    private static func words(of template: TemplateText, atMost most: Int = 3) -> [String] {
        var words = [""]
        for part in template.parts {
            switch part {
            case .expression(let text, _): words[words.count - 1] += "{{\(text)}}"
            case .text(let text):
                for character in text {
                    if character == " ", words.count < most {
                        if words.last != "" { words.append("") }
                    } else {
                        words[words.count - 1].append(character)
                    }
                }
            }
        }
        return words.filter { !$0.isEmpty }
    }

    /// Whether a colon stands outside of expressions.
    private static func hasColon(_ word: String) -> Bool {
        TemplateText(parsing: word).parts.contains {
            if case .text(let text) = $0 { text.contains(":") } else { false }
        }
    }

    private static func user(_ name: String, _ password: String, _ place: FilePlace) -> FileEntry.Field {
        FileEntry.Field(
            name: TemplateText(parsing: name, at: place), value: TemplateText(parsing: password, at: place),
            place: place)
    }
}

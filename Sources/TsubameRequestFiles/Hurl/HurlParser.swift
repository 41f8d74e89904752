// HurlParser: reads a file in the format of Hurl.

/// The entries of a Hurl file: a request line, fields, sections and a body; then, if wanted, the response that is expected.
package struct HurlParser {
    private var scanner: HurlScanner

    private init(_ text: String, path: String) { scanner = HurlScanner(text, path: path) }

    /// - Throws: ``FileProblem`` at the first place that is wrong.
    package static func parse(_ text: String, path: String) throws(FileProblem) -> RequestFile {
        var parser = HurlParser(text, path: path)
        var file = RequestFile(path: path)
        parser.scanner.skipLines()
        while !parser.scanner.isAtEnd { file.entries.append(try parser.entry()) }
        file.verbatimLines = parser.scanner.verbatim.map { text in
            parser.scanner.place(at: text.lowerBound).line...parser.scanner.place(at: text.upperBound).line
        }
        return file
    }

    // MARK: Entries

    private mutating func entry() throws(FileProblem) -> FileEntry {
        let place = scanner.place()
        let start = scanner.offset
        while let scalar = scanner.current, ("A"..."Z").contains(scalar) || scalar == "-" { scanner.advance() }
        let method = scanner.text(start..<scanner.offset)
        guard !method.isEmpty, scanner.current == " " || scanner.current == "\t" else {
            throw scanner.problem("a request begins with its method in capitals, and a URL", at: start)
        }
        scanner.skipSpace()
        let urlStart = scanner.offset
        let url = try value()
        guard !url.parts.isEmpty else { throw scanner.problem("the URL is missing") }
        for case .text(let text) in url.parts where text.contains(" ") {
            throw scanner.problem("a URL contains no blank; in Hurl, no version follows it", at: urlStart)
        }
        try scanner.endLine()
        var entry = FileEntry(place: place, method: method, url: url)
        entry.fields = try fields()
        while let name = try sectionName() { try readSection(name, of: &entry) }
        entry.body = try body()
        scanner.skipLines()
        if scanner.starts(with: "HTTP") { entry.response = try response() }
        return entry
    }

    private mutating func response() throws(FileProblem) -> ExpectedResponse {
        var response = ExpectedResponse(place: scanner.place())
        let start = scanner.offset
        _ = scanner.take("HTTP")
        if scanner.take("/") {
            while let scalar = scanner.current, ("0"..."9").contains(scalar) || scalar == "." { scanner.advance() }
            let version = scanner.text(start..<scanner.offset)
            guard ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"].contains(version) else {
                throw scanner.problem("the version is HTTP, HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3", at: start)
            }
            response.version = version
        }
        scanner.skipSpace()
        if !scanner.take("*") {
            let digits = scanner.offset
            let text = scanner.word()
            guard text.count == 3, let status = Int(text), status >= 100 else {
                throw scanner.problem("the status is a number from 100 to 999, or *", at: digits)
            }
            response.status = status
        }
        try scanner.endLine()
        response.fields = try fields()
        while let name = try sectionName() { try readSection(name, of: &response) }
        scanner.skipLines()
        response.bodyPlace = scanner.place()
        response.body = try body()
        scanner.skipLines()
        return response
    }

    /// The fields up to a section, a body, a response or the next request.
    private mutating func fields() throws(FileProblem) -> [FileEntry.Field] {
        var fields: [FileEntry.Field] = []
        while true {
            scanner.skipLines()
            let start = scanner.offset
            guard let field = try pair() else {
                scanner.move(to: start)
                return fields
            }
            fields.append(field)
        }
    }

    /// `name: value` on a line; nil if no name and colon begin here.
    private mutating func pair() throws(FileProblem) -> FileEntry.Field? {
        guard let first = scanner.current, !["[", "`", "<"].contains(first), first != "{" || scanner.peek(1) == "{"
        else {
            return nil
        }
        let place = scanner.place()
        let name = try scanner.template {
            $0 == ":" || $0 == " " || $0 == "\t" || $0 == "\"" || HurlScanner.isBreak($0)
        }
        guard !name.parts.isEmpty else { return nil }
        scanner.skipSpace()
        // As in curl, `Name;` is a field without a value.
        if case .text(let last)? = name.parts.last, last.hasSuffix(";"), !scanner.starts(with: ":"),
            !["file,", "hex,", "base64,"].contains(where: name.source.hasPrefix)
        {
            try scanner.endLine()
            var parts = name.parts
            parts[parts.count - 1] = .text(String(last.dropLast()))
            return FileEntry.Field(name: TemplateText(parts), value: TemplateText(), place: place)
        }
        guard scanner.take(":") else { return nil }
        scanner.skipSpace()
        let value = try value()
        try scanner.endLine()
        return FileEntry.Field(name: name, value: value, place: place)
    }

    /// The rest of a line as text, without spaces at its end and without a comment.
    private mutating func value() throws(FileProblem) -> TemplateText {
        var template = try scanner.template { $0 == "#" || HurlScanner.isBreak($0) }
        if case .text(let last)? = template.parts.last {
            // A blank that is written as an escape belongs to the value.
            var text = last.unicodeScalars
            text.removeLast(min(scanner.blanksBefore, text.count))
            template.parts.removeLast()
            if !text.isEmpty { template.parts.append(.text(String(text))) }
        }
        return template
    }

    // MARK: Sections

    private mutating func sectionName() throws(FileProblem) -> (name: String, offset: Int)? {
        scanner.skipLines()
        let start = scanner.offset
        guard scanner.current == "[", let next = scanner.peek(1), ("A"..."Z").contains(next) else { return nil }
        scanner.advance()
        let name = scanner.word()
        // A JSON array may begin like a section.
        guard scanner.take("]") else {
            scanner.move(to: start)
            return nil
        }
        try scanner.endLine()
        return (name, start)
    }

    private mutating func readSection(
        _ section: (name: String, offset: Int), of entry: inout FileEntry
    ) throws(FileProblem) {
        switch section.name {
        case "QueryStringParams", "Query": entry.query += try fields()
        case "FormParams", "Form": entry.form += try fields()
        case "MultipartFormData", "Multipart": entry.parts += try parts()
        case "Cookies": entry.cookies += try fields()
        case "BasicAuth": entry.user = try fields().last
        case "Options":
            for field in try fields() {
                guard let name = field.name.plain else {
                    throw scanner.problem("the name of an option is no expression", at: section.offset)
                }
                entry.options.append(FileEntry.Option(name: name, value: field.value, place: field.place))
            }
        default:
            let names = ["Query", "Form", "Multipart", "Cookies", "BasicAuth", "Options"]
            let hint = NearestName.question(section.name, in: names)
            throw scanner.problem("[\(section.name)] is no section of a request\(hint)", at: section.offset)
        }
    }

    private mutating func readSection(
        _ section: (name: String, offset: Int), of response: inout ExpectedResponse
    ) throws(FileProblem) {
        switch section.name {
        case "Captures":
            while true {
                scanner.skipLines()
                guard let capture = try HurlCheckParser.capture(&scanner) else { break }
                response.captures.append(capture)
            }
        case "Asserts":
            while true {
                scanner.skipLines()
                guard let assertion = try HurlCheckParser.assertion(&scanner) else { break }
                response.assertions.append(assertion)
            }
        default:
            let hint = NearestName.question(section.name, in: ["Captures", "Asserts"])
            throw scanner.problem("[\(section.name)] is no section of a response\(hint)", at: section.offset)
        }
    }

    private mutating func parts() throws(FileProblem) -> [FileEntry.Part] {
        try fields().map { field throws(FileProblem) in
            guard case .text(let first)? = field.value.parts.first, first.hasPrefix("file,") else {
                return FileEntry.Part(name: field.name, content: .text(field.value), place: field.place)
            }
            var (path, type) = (TemplateText(), TemplateText())
            var isPath = true
            var parts = field.value.parts
            parts[0] = .text(String(first.dropFirst(5)))
            for part in parts {
                guard isPath, case .text(let text) = part, let end = text.firstIndex(of: ";") else {
                    if isPath { path.parts.append(part) } else { type.parts.append(part) }
                    continue
                }
                isPath = false
                path.parts.append(.text(String(text[..<end]).trimmed))
                let rest = String(text[text.index(after: end)...]).trimmed
                if !rest.isEmpty { type.parts.append(.text(rest)) }
            }
            if isPath {
                throw FileProblem(
                    path: scanner.path, place: field.place, reason: "a file ends with a semicolon: file,name.txt;",
                    text: "\(field.name.source): \(field.value.source)")
            }
            return FileEntry.Part(
                name: field.name, content: .file(path), contentType: type.parts.isEmpty ? nil : type,
                place: field.place)
        }
    }

    // MARK: Bodies

    private mutating func body() throws(FileProblem) -> FileEntry.Body? {
        scanner.skipLines()
        let start = scanner.offset
        let body: FileEntry.Body
        switch scanner.current {
        case "{", "[", "\"": body = .text(try json(), .json)
        case "<": body = .text(try xml(), .xml)
        case "`":
            if scanner.starts(with: "```") {
                let (text, attributes) = try scanner.multiline()
                guard let found = Self.body(text, attributes) else {
                    throw scanner.problem("this is no \(attributes[0])", at: start)
                }
                body = found
            } else {
                body = .text(try scanner.quoted(), .plain)
            }
        default:
            if let bytes = try HurlCheckParser.bytes(&scanner) {
                body = bytes
            } else if let word = scanner.jsonWord() {
                body = .text(TemplateText(word), .json)
            } else {
                return nil
            }
        }
        scanner.markVerbatim(from: start)
        try scanner.endLine()
        return body
    }

    /// nil if the text is not of the form that its attribute names.
    private static func body(_ text: TemplateText, _ attributes: [String]) -> FileEntry.Body? {
        switch attributes.first {
        case "json": return .text(text, .json)
        case "xml": return .text(text, .xml)
        case "graphql": return .text(text, .graphQL)
        case "base64": return text.plain.flatMap { EncodedBytes.base64($0) }.map { .bytes($0) }
        case "hex": return text.plain.flatMap { EncodedBytes.hexadecimal($0) }.map { .bytes($0) }
        default: return .text(text, .plain)
        }
    }

    /// A JSON value with expressions, as it is written.
    private mutating func json() throws(FileProblem) -> TemplateText {
        let start = scanner.offset
        var depth = 0
        var parts: [TemplateText.Part] = []
        repeat {
            guard let scalar = scanner.current else { throw scanner.problem("the JSON value does not end", at: start) }
            switch scalar {
            case "{" where scanner.peek(1) == "{": parts += try expressionOnly()
            case "{", "[":
                depth += 1
                parts.append(.text(String(scalar)))
                scanner.advance()
            case "}", "]":
                depth -= 1
                parts.append(.text(String(scalar)))
                scanner.advance()
            case "\"":
                parts += try jsonString()
            default:
                let begin = scanner.offset
                while let scalar = scanner.current, !"{}[]\"".unicodeScalars.contains(scalar) { scanner.advance() }
                parts.append(.text(scanner.text(begin..<scanner.offset)))
            }
        } while depth > 0
        let template = TemplateText(parts).joined
        if let text = template.plain {
            do throws(JSONSyntax.Fault) {
                try JSONSyntax.check(text)
            } catch {
                let before = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self)
                throw scanner.problem("this is no JSON", at: start + before.unicodeScalars.count)
            }
        }
        return template
    }

    /// A string with its quotation marks. Its escapes stay, because they are JSON's.
    private mutating func jsonString() throws(FileProblem) -> [TemplateText.Part] {
        let start = scanner.offset
        var parts: [TemplateText.Part] = [.text("\"")]
        scanner.advance()
        while let scalar = scanner.current, scalar != "\"" {
            if scalar == "{", scanner.peek(1) == "{" {
                parts += try expressionOnly()
                continue
            }
            let begin = scanner.offset
            scanner.advance()
            if scalar == "\\" { scanner.advance() }
            parts.append(.text(scanner.text(begin..<scanner.offset)))
        }
        guard scanner.current == "\"" else { throw scanner.problem("the text does not end", at: start) }
        scanner.advance()
        return parts + [.text("\"")]
    }

    private mutating func expressionOnly() throws(FileProblem) -> [TemplateText.Part] {
        var isFirst = true
        return try scanner.template { _ in
            defer { isFirst = false }
            return !isFirst
        }.parts
    }

    /// An XML document: everything up to the end of its root element.
    private mutating func xml() throws(FileProblem) -> TemplateText {
        let start = scanner.offset
        var (depth, hasRoot) = (0, false)
        while !hasRoot || depth > 0 {
            guard scanner.current != nil else { throw scanner.problem("the XML does not end", at: start) }
            guard scanner.current == "<" else {
                scanner.advance()
                continue
            }
            if scanner.starts(with: "<?") || scanner.starts(with: "<!") {
                let end = scanner.starts(with: "<!--") ? "-->" : scanner.starts(with: "<![CDATA[") ? "]]>" : ">"
                while !scanner.starts(with: end), scanner.current != nil { scanner.advance() }
                _ = scanner.take(end)
                if depth == 0 { while let scalar = scanner.current, scalar != "<" { scanner.advance() } }
                continue
            }
            let isEnd = scanner.peek(1) == "/"
            var quote: Unicode.Scalar?
            var last: Unicode.Scalar = "<"
            scanner.advance()
            while let scalar = scanner.current, scalar != ">" || quote != nil {
                if quote == scalar {
                    quote = nil
                } else if quote == nil, scalar == "\"" || scalar == "'" {
                    quote = scalar
                }
                last = scalar
                scanner.advance()
            }
            guard scanner.take(">") else { throw scanner.problem("the XML does not end", at: start) }
            hasRoot = true
            if isEnd { depth -= 1 } else if last != "/" { depth += 1 }
        }
        let text = scanner.text(start..<scanner.offset)
        var inner = HurlScanner(text, path: scanner.path)
        return try inner.template(escapes: false) { _ in false }
    }
}

extension HurlScanner {
    /// A number, `true`, `false` or `null` on a line of its own, as a JSON body.
    fileprivate mutating func jsonWord() -> String? {
        let start = offset
        while let scalar = current, Self.isWord(scalar) || scalar == "." || scalar == "+" { advance() }
        let word = text(start..<offset)
        skipSpace()
        let isEnd = current.map { Self.isBreak($0) || $0 == "#" } ?? true
        guard isEnd, word.first?.isUppercase != true, (try? JSONSyntax.check(word)) != nil else {
            move(to: start)
            return nil
        }
        return word
    }
}

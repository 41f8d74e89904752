// HurlWriter: writes entries in the format of Hurl.

package struct HurlWriter {
    package private(set) var text = ""
    /// The parts of the file that this format cannot hold.
    package private(set) var losses: [String] = []

    package init(_ file: RequestFile) {
        let captured = CapturedResponses(file)
        let file = captured.file
        losses = captured.losses
        var entries: [String] = []
        for (index, entry) in file.entries.enumerated() {
            var entry = entry
            entry.takePartsOfPieces()
            // The variables of the file have their values from the first entry on.
            if index == 0 { entry.options = file.variables.map(Self.option) + entry.options }
            noteExpressions(of: entry)
            text = ""
            write(entry)
            guard !text.isEmpty else { continue }
            // A text that is read as another entry would send something else.
            if (try? HurlParser.parse(text, path: ""))?.entries.map(\.method) == [entry.method] {
                entries.append(text)
            } else {
                losses.append("\(entry.method) \(entry.url.source), which cannot be written in this format")
            }
        }
        text = entries.joined(separator: "\n")
    }

    /// The values of editors that Hurl has under another name.
    private static let functions = ["$guid": "newUuid", "$uuid": "newUuid", "$random.uuid": "newUuid"]

    private static func expression(_ text: String) -> String {
        if text.hasPrefix("$randomInt ") { return String(text.dropFirst()) }
        return functions[text] ?? text
    }

    /// Names the expressions that have no meaning in this format.
    private mutating func noteExpressions(of entry: FileEntry) {
        for case .expression(let text, _) in entry.templates.flatMap(\.parts) {
            let found = Self.expression(text)
            if found.hasPrefix("$") || found.contains(".response.") || found.contains(".request.")
                || found.hasPrefix("%")
            {
                losses.append(
                    "the value of {{\(text)}} in \(entry.method) \(entry.url.source): capture it, or give --var")
            }
        }
    }

    private mutating func line(_ line: String) { text += line + "\n" }

    private mutating func write(_ entry: FileEntry) {
        if let refusal = entry.refusal {
            losses.append("\(refusal.path):\(refusal.place.line): \(refusal.reason)")
        }
        if let name = entry.title ?? entry.name {
            line("# \(name.split(whereSeparator: \.isNewline).joined(separator: " "))")
        }
        if entry.loop != nil { losses.append("the loop of \(entry.method) \(entry.url.source)") }
        for prompt in entry.prompts { losses.append("the question for \(prompt.name.source)") }
        guard entry.method.allSatisfy({ $0.isASCII && $0.isUppercase || $0 == "-" }), !entry.method.isEmpty,
            entry.method != "HTTP"
        else {
            losses.append("a request whose method is not in capitals")
            return
        }
        // After a section, a method and a colon would be one of its pairs.
        let url = Self.value(entry.url.replacingBlanks)
        line("\(entry.method) \(url.hasPrefix(":") ? "\\u{3a}\(url.dropFirst())" : url)")
        for field in named(entry.fields.filter(\.hasSendableName), of: entry.fields) { line(Self.pair(field)) }
        if let user = entry.user, user.name.source.isEmpty {
            if let password = user.value.plain {
                line("Authorization: Basic \(EncodedBytes.base64Text(Array(":\(password)".utf8)))")
            } else {
                losses.append("a password without a user")
            }
        }
        let names = FileEntry.Option.names.union(["cookies", "output-new"])
        let options = entry.allOptions.filter { names.contains($0.name) }
        for option in entry.options where !names.contains(option.name) {
            losses.append("the option \(option.name)")
        }
        section("Options", options.map(Self.option))
        section("Query", named(entry.query).map(Self.pair))
        if let user = entry.user, !user.name.source.isEmpty { section("BasicAuth", [Self.pair(user)]) }
        section("Cookies", named(entry.cookies).map(Self.pair))
        section("Form", named(entry.form).map(Self.pair))
        var parts = entry.parts.filter { !$0.name.source.isEmpty }
        if parts.count < entry.parts.count { losses.append("parts without a name") }
        // Another program would read such a text as the name of a file, and send that.
        parts.removeAll { part in
            guard case .text(let text) = part.content, text.source.hasPrefix("file,") else { return false }
            losses.append("the part \(part.name.source), whose text begins with file,")
            return true
        }
        section("Multipart", parts.map(Self.part))
        for part in parts {
            if case .text = part.content, let type = part.contentType {
                losses.append("the type \(type.source) of the part \(part.name.source)")
            }
            if let name = part.filename {
                losses.append("the filename \(name.source) of the part \(part.name.source)")
            }
        }
        if let body = entry.body {
            let count = losses.count
            write(body)
            if losses.count > count { losses[count] += " of \(entry.method) \(entry.url.source)" }
        }
        guard let response = entry.response else { return }
        line("\(response.version ?? "HTTP") \(response.status.map { "\($0)" } ?? "*")")
        for field in named(response.fields.filter(\.hasSendableName), of: response.fields) { line(Self.pair(field)) }
        section(
            "Captures",
            response.captures.map { "\(Self.name($0.name)): \($0.text)\($0.isRedacted ? " redact" : "")" })
        section("Asserts", response.assertions.map(\.text))
        if let body = response.body { write(body) }
    }

    /// The fields that have a name. Others are losses.
    private mutating func named(_ fields: [FileEntry.Field], of all: [FileEntry.Field]? = nil) -> [FileEntry.Field] {
        let named = fields.filter { !$0.name.source.isEmpty }
        let lost = (all ?? fields).count - named.count
        if lost > 0 { losses.append("\(lost) fields without a name that can be sent") }
        return named
    }

    private mutating func section(_ name: String, _ lines: [String]) {
        guard !lines.isEmpty else { return }
        line("[\(name)]")
        for text in lines { line(text) }
    }

    private mutating func write(_ body: FileEntry.Body) {
        switch body {
        case .text(let template, .json)
        where JSONSyntax.isValue(template.source) && template.source == template.source.trimmed
            && !template.source.containsBytes("{{"):
            line(template.source)
        // Braces that are text need escapes, which JSON does not have.
        case .text(let template, .json) where template.plain?.containsBytes("{{") ?? false: block(template, .plain)
        case .text(let template, let kind): block(template, kind)
        case .bytes(let bytes): line("base64,\(EncodedBytes.base64Text(bytes));")
        case .file(let path): line("file,\(Self.escaped(path, [";"]));")
        case .pieces: losses.append("the body with files between its text")
        }
    }

    /// Text between three backticks, and in base64 if it has these itself.
    private mutating func block(_ template: TemplateText, _ kind: FileEntry.TextKind) {
        let source = template.parts.map { part in
            switch part {
            case .expression(let text, _): "{{\(Self.expression(text))}}"
            case .text(let text): text
            }
        }.joined()
        let hasMark =
            source.containsBytes("```") || source.containsBytes("\r") || source.utf8.last == UInt8(ascii: "`")
            || template.plain == nil && template.hasBraces
        if kind == .form {
            // A form of an editor is encoded when it is sent.
            if template.plain == nil { losses.append("the percent-encoding of values in a form") }
            return block(template.mappingText(FormText.encoded), .plain)
        }
        // One line stands between single backticks. Escapes name the line ends of a text that cannot stand between three.
        if kind == .plain, hasMark || !source.containsBytes("\n") {
            line("`\(Self.escaped(template, ["`"]))`")
            return
        }
        if hasMark, let plain = template.plain {
            line("base64,\(EncodedBytes.base64Text(Array(plain.utf8)));")
            return
        }
        let words =
            switch kind {
            case .plain, .form: ""
            case .json: "json"
            case .xml: "xml"
            case .graphQL: "graphql"
            }
        // Without an expression, braces have to stay text.
        let hasBraces = template.plain?.containsBytes("{{") ?? false
        let attributes = [words, hasBraces ? "novariable" : ""].filter { !$0.isEmpty }.joined(separator: ",")
        if hasMark {
            // Only escapes can name a backtick or a carriage return beside an expression.
            let lines = template.parts.map { part in
                switch part {
                case .expression(let text, _): "{{\(Self.expression(text))}}"
                case .text(let text):
                    text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
                        row.split(separator: "`", omittingEmptySubsequences: false).map { Self.escaped(String($0), []) }
                            .joined(separator: "\\u{60}")
                    }.joined(separator: "\n")
                }
            }.joined()
            line("```\(words.isEmpty ? "" : "\(words),")escape\n\(lines)```")
            return
        }
        // The text ends where the backticks begin, also within a line.
        line("```\(attributes)\n\(source)```")
    }

    private static func option(_ option: FileEntry.Option) -> String {
        if option.name == "output-new" { return "output: \(value(option.value))" }
        if option.name == "cookies" { return "no-cookie-store: \(option.value.source == "false")" }
        return "\(option.name): \(value(option.value))"
    }

    private static func option(_ variable: FileEntry.Field) -> FileEntry.Option {
        let value = TemplateText([.text("\(variable.name.source)=")] + variable.value.parts)
        return FileEntry.Option(name: "variable", value: value, place: variable.place)
    }

    // MARK: Texts

    private static func pair(_ field: FileEntry.Field) -> String { "\(name(field.name)): \(value(field.value))" }

    private static func name(_ template: TemplateText) -> String {
        let text = escaped(template, [":", " ", "#", "\"", "[", "]", "<", "{", "`"])
        // These letters would begin a response.
        return text.hasPrefix("HTTP") ? "\\u{48}\(text.dropFirst())" : text
    }

    /// Blanks at the ends need escapes, because others are no part of a value.
    private static func value(_ template: TemplateText) -> String {
        var text = escaped(template, ["#"])
        if text.hasPrefix(" ") { text = "\\u{20}\(text.dropFirst())" }
        if text.hasSuffix(" ") { text = "\(text.dropLast())\\u{20}" }
        return text
    }

    private static func part(_ part: FileEntry.Part) -> String {
        switch part.content {
        case .text(let text): "\(name(part.name)): \(value(text))"
        case .file(let path):
            "\(name(part.name)): file,\(escaped(path, [";", "#"]));\(part.contentType.map { " \(value($0))" } ?? "")"
        }
    }

    /// The text with a backslash before these characters, and with escapes for control characters and braces.
    private static func escaped(_ template: TemplateText, _ special: Set<Unicode.Scalar>) -> String {
        template.parts.map { part in
            switch part {
            case .expression(let text, _): "{{\(expression(text))}}"
            case .text(let text): escaped(text, special)
            }
        }.joined()
    }

    private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
        var (result, last) = ("", Unicode.Scalar(0))
        for scalar in text.unicodeScalars {
            // Two braces would begin an expression.
            result += scalar == "{" && last == "{" ? "\\u{7b}" : escaped(scalar, special)
            last = scalar
        }
        return result
    }

    private static func escaped(_ scalar: Unicode.Scalar, _ special: Set<Unicode.Scalar>) -> String {
        switch scalar {
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case _ where special.contains(scalar): "\\\(scalar)"
        case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }
}

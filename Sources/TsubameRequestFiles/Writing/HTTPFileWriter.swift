// HTTPFileWriter: writes entries in the format of the HTTP clients of JetBrains and VS Code.

import HTTPTypes
import TsubameCore
import TsubameWire

package struct HTTPFileWriter {
    package private(set) var text = ""
    /// The parts of the file that this format cannot hold.
    package private(set) var losses: [String] = []

    package init(_ file: RequestFile) {
        var file = file
        // Variables of the first entry's options are variables of the file.
        if let first = file.entries.first {
            for option in first.options where option.name == "variable" {
                let parts = option.value.source.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !String(parts[0]).trimmed.isEmpty else {
                    losses.append("the variable of an option without a name: \(option.value.source)")
                    continue
                }
                line(Self.variable(String(parts[0]), String(parts[1])))
            }
            file.entries[0].options.removeAll { $0.name == "variable" }
        }
        for variable in file.variables {
            line(Self.variable(variable.name.source, variable.value.source))
        }
        brace = Self.name("left_brace", for: "{", in: file)
        nothing = Self.name("nothing", for: "", in: file)
        carriageReturn = Self.name("carriage_return", for: "\r", in: file)
        for item in file.imports { line("# @import \(Self.oneLine(item.name.source))") }
        let head = text
        var entries: [String] = []
        for entry in file.entries {
            text = ""
            write(entry)
            if !note(entry, text) {
                losses.append("\(entry.method) \(entry.url.source), which cannot be written in this format")
                text = ""
            }
            if !text.isEmpty { entries.append(text) }
        }
        text = entries.joined(separator: "\n")
        let known = Set(file.variables.map(\.name.source))
        var added = usesBrace && !known.contains(brace) ? "@\(brace) = {\n" : ""
        if usesReturn, !known.contains(carriageReturn) { added += "@\(carriageReturn) = \\r\n" }
        if usesNothing, !known.contains(nothing) { added += "@\(nothing) =\n" }
        let start = added + head
        text = start + (start.isEmpty || text.isEmpty ? "" : "\n") + text
    }

    /// Variables for text that would have a meaning in this format: an opening brace, a carriage return, and nothing.
    private var (brace, carriageReturn, nothing) = ("", "", "")
    private var (usesBrace, usesReturn, usesNothing) = (false, false, false)

    /// Names the parts of a request that this format changes.
    /// - Returns: whether the text can be read as one request.
    private mutating func note(_ entry: FileEntry, _ text: String) -> Bool {
        guard !text.isEmpty, entry.refusal == nil else { return true }
        let written = WrittenEntry(
            entry: entry, text: text, variables: [brace: "{", carriageReturn: "\r", nothing: ""])
        guard let changes = written.changes else { return false }
        for part in changes { losses.append("the exact \(part) of \(entry.method) \(entry.url.source)") }
        return true
    }

    /// The name of a variable with this value, which no variable of the file has with another one.
    private static func name(_ name: String, for value: String, in file: RequestFile) -> String {
        let known = Dictionary(file.variables.map { ($0.name.source, $0.value.source) }) { $1 }
        let names = [name] + (2...file.variables.count + 2).map { "\(name)_\($0)" }
        return names.first { known[$0] == nil || known[$0] == value } ?? name
    }

    /// The text of a template. Braces that are text do not begin an expression.
    private mutating func escaped(_ template: TemplateText) -> String {
        var result = ""
        for (index, part) in template.parts.enumerated() {
            switch part {
            case .expression(let text, _): result += "{{\(text)}}"
            case .text(let text):
                let isBeforeExpression = index + 1 < template.parts.count
                let scalars = Array(text.unicodeScalars)
                for (offset, scalar) in scalars.enumerated() {
                    let next = offset + 1 < scalars.count ? scalars[offset + 1] : isBeforeExpression ? "{" : nil
                    if scalar == "{", next == "{" {
                        usesBrace = true
                        result += "{{\(brace)}}"
                    } else if scalar == "\r" {
                        usesReturn = true
                        result += "{{\(carriageReturn)}}"
                    } else {
                        result.unicodeScalars.append(scalar)
                    }
                }
            }
        }
        return result
    }

    /// A URL, a name or a value, which has only one line.
    private mutating func escapedLine(_ template: TemplateText) -> String {
        Self.oneLine(escaped(template.mappingText { $0.replacing("\r", with: "\n") }))
    }

    private mutating func line(_ line: String) { text += line + "\n" }

    private mutating func write(_ entry: FileEntry) {
        guard HTTPRequest.Method(entry.method) != nil else {
            losses.append("a request whose method is no method")
            return
        }
        if let refusal = entry.refusal {
            losses.append("\(refusal.path):\(refusal.place.line): \(refusal.reason)")
        }
        let title = entry.title ?? entry.name
        line("###\(title.map { " \(Self.oneLine($0))" } ?? "")")
        if let name = entry.name, name != title { line("# @name \(Self.oneLine(name))") }
        writeSettings(of: entry)
        line("\(entry.method) \(url(entry))")
        // The first field of this name may have user and password as words.
        let isTwice = entry.fields.contains { $0.name.plain?.lowercased() == "authorization" }
        if isTwice { writeUser(of: entry) }
        // The writer gives the type of a form with parts.
        for field in entry.fields where entry.parts.isEmpty || field.name.source.lowercased() != "content-type" {
            // A line that begins with & would belong to the URL, and one that begins with # would be a comment.
            guard field.hasSendableName, !field.name.source.hasPrefix("&"), !field.name.source.hasPrefix("#") else {
                continue
            }
            let guardText = hasMeaning(field, entry) ? "{{\(nothing)}}" : ""
            line("\(escapedLine(field.name)): \(guardText)\(escapedLine(field.value))")
        }
        if !entry.cookies.isEmpty {
            var pairs: [String] = []
            for cookie in entry.cookies { pairs.append("\(escapedLine(cookie.name))=\(escapedLine(cookie.value))") }
            line("Cookie: \(pairs.joined(separator: "; "))")
        }
        if !isTwice { writeUser(of: entry) }
        writeBody(of: entry)
        if let output = entry.options.last(where: { $0.name == "output-new" })?.value.source {
            line("")
            line(">> \(Self.oneLine(output))")
        }
        guard let response = entry.response else { return }
        var checks: [String] = []
        if let version = response.version { checks.append("version == \"\(version.dropFirst(5))\"") }
        if let status = response.status { checks.append("status == \(status)") }
        for field in response.fields {
            checks.append("header \(Self.quoted(field.name)) == \(Self.quoted(field.value))")
        }
        for assertion in response.assertions {
            if let text = Self.oneLine(assertion) {
                checks.append(text)
            } else {
                losses.append("a check of several lines of \(entry.method) \(entry.url.source)")
            }
        }
        switch response.body {
        case .text(let text, let kind):
            let json = kind == .graphQL ? TemplateText(GraphQLQuery.json(of: text.source)) : text
            checks.append("body == \(Self.quoted(json))")
            if kind == .json || kind == .graphQL {
                losses.append("the expected JSON of \(entry.method) \(entry.url.source) is compared as text")
            }
        case .bytes(let bytes): checks.append("bytes == base64,\(EncodedBytes.base64Text(bytes));")
        case .file(let path): checks.append("bytes == file,\(path.source);")
        case .pieces, nil: break
        }
        line("")
        for capture in response.captures {
            line("# @capture \(capture.name.source) = \(capture.text)\(capture.isRedacted ? " redact" : "")")
        }
        for check in checks { line("# > \(check)") }
    }

    private mutating func writeUser(of entry: FileEntry) {
        if let user = entry.user { line("Authorization: Basic \(credentials(user))") }
        if let pair = Self.digest(entry) { line("Authorization: Digest \(pair)") }
    }

    /// `name password` with expressions, or both in base64.
    private mutating func credentials(_ user: FileEntry.Field) -> String {
        guard let name = user.name.plain, let password = user.value.plain else {
            return "\(escapedLine(user.name)):\(escapedLine(user.value))"
        }
        let isSimple = [name, password].allSatisfy { text in
            !text.isEmpty
                && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F && $0 != ":" && $0 != "{" }
        }
        return isSimple ? "\(name) \(password)" : EncodedBytes.base64Text(Array("\(name):\(password)".utf8))
    }

    /// Redirects are followed and codings are decoded unless the entry says otherwise.
    private mutating func writeSettings(of entry: FileEntry) {
        if !entry.tags.isEmpty { line("# @tag \(entry.tags.joined(separator: " "))") }
        func last(_ name: String) -> String? { entry.allOptions.last { $0.name == name }?.value.source }
        if last("location") != "true" { line("# @no-redirect") }
        if last("compressed") != "true" { line("# @compressed false") }
        for option in entry.allOptions {
            switch (option.name, option.value.source) {
            case ("user", _) where Self.digest(entry) != nil, ("digest", _) where Self.digest(entry) != nil: break
            case ("location", _), ("compressed", _): break
            case ("cookies", "false"): line("# @no-cookie-jar")
            case ("variable", let text): losses.append("the variable of an option: \(text)")
            case ("max-time", let text): line("# @timeout \(Self.oneLine(text))")
            case ("output-new", _): break
            case (let name, _) where !FileEntry.Option.names.contains(name): losses.append("the option \(name)")
            default: line("# @\(option.name) \(Self.oneLine(option.value.source))")
            }
        }
        for prompt in entry.prompts { line("# @prompt \(prompt.name.source) \(prompt.value.source)") }
        switch entry.loop {
        case .times(let count): line("# @loop for \(count)")
        case .rows(let name, let path): line("# @loop \(name) of \(path)")
        case nil: break
        }
    }

    private mutating func writeBody(of entry: FileEntry) {
        if !entry.form.isEmpty {
            if !Self.hasType(entry) { line("Content-Type: application/x-www-form-urlencoded") }
            line("")
            line(entry.form.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "\n&"))
        } else if !entry.parts.isEmpty {
            let own = entry.fields.first { $0.name.source.lowercased() == "content-type" }?.value.source
            if let own, !own.lowercased().hasPrefix("multipart/form-data") {
                losses.append("the Content-Type \(own) of \(entry.method) \(entry.url.source)")
            }
            let boundary = Self.boundary(of: entry.parts)
            line("Content-Type: multipart/form-data; boundary=\(boundary)")
            line("")
            entry.parts.forEach { write($0, boundary) }
            line("--\(boundary)--")
        } else {
            let type = entry.fields.first { $0.name.source.lowercased() == "content-type" }?.value.source
            write(
                entry.body, hasType: type != nil, isMultipart: type?.lowercased().hasPrefix("multipart/") ?? false)
        }
    }

    private mutating func write(_ body: FileEntry.Body?, hasType: Bool, isMultipart: Bool) {
        switch body {
        case nil: return
        case .text(let template, let kind):
            if let type = kind.mediaType, !hasType { line("Content-Type: \(type)") }
            if kind == .graphQL { line("X-Request-Type: GraphQL") }
            line("")
            let source = escaped(isMultipart ? template.withoutReturns : template)
            if kind == .graphQL {
                writeText(Self.graphQL(source))
            } else {
                // A form ends each line, also the last one.
                writeText(isMultipart && source.hasSuffix("\n") ? String(source.dropLast()) : source)
            }
        case .bytes(let bytes):
            line("")
            losses.append("a body of \(bytes.count) bytes, which has to be a file here")
            line("< body.bin")
        case .file(let path):
            line("")
            line("< \(Self.oneLine(path.source))")
        case .pieces(let pieces):
            line("")
            for piece in pieces {
                switch piece {
                case .text(let template):
                    let source = escaped(isMultipart ? template.withoutReturns : template)
                    text += source.split(separator: "\n", omittingEmptySubsequences: false).map { guarded($0) }
                        .joined(separator: "\n")
                case .file(let path, let charset):
                    let mark = charset.map { $0 == .utf8 ? "@" : "@\($0.rawValue)" } ?? ""
                    text += "<\(mark) \(Self.oneLine(path.source))"
                }
            }
            if !text.hasSuffix("\n") { line("") }
        }
    }

    /// Lines that would have another meaning here begin with a variable that is empty.
    private mutating func writeText(_ source: String) {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, found) in lines.enumerated() {
            let isEdge = (index == 0 || index == lines.count - 1) && found.allSatisfy(\.isWhitespace)
            usesNothing = usesNothing || isEdge
            line(isEdge ? "{{\(nothing)}}\(found)" : guarded(found))
        }
    }

    private mutating func guarded(_ line: Substring) -> String {
        let trimmed = String(line).trimmed
        let isOther = ["#", "//", "< ", "<\t", "<@", "<> ", "> ", ">> ", ">>! "].contains(where: trimmed.hasPrefix)
        guard isOther else { return String(line) }
        usesNothing = true
        return "{{\(nothing)}}\(line)"
    }

    private mutating func write(_ part: FileEntry.Part, _ boundary: String) {
        line("--\(boundary)")
        let name = Self.parameter(part.name.source)
        switch part.content {
        case .text(let text):
            line("Content-Disposition: form-data; name=\(name)")
            if let type = part.contentType { line("Content-Type: \(Self.oneLine(type.source))") }
            line("")
            if text.source.replacing("\r\n", with: "").contains("\n") {
                losses.append("the line ends of the part \(part.name.source), which become CR LF")
            }
            // The lines of this format end with both characters in a form.
            writeText(escaped(text.withoutReturns))
        case .file(let path):
            let base = path.source.split(separator: "/").last.map(String.init) ?? ""
            let filename = Self.parameter(part.filename?.source ?? base)
            line("Content-Disposition: form-data; name=\(name); filename=\(filename)")
            let type = part.contentType.map { Self.oneLine($0.source) }
            line("Content-Type: \(type ?? ContentTypeGuess.type(of: base))")
            line("")
            line("< \(Self.oneLine(path.source))")
        }
    }

    /// Whether the value would have a meaning in this format, and would not be sent as it is.
    private mutating func hasMeaning(_ field: FileEntry.Field, _ entry: FileEntry) -> Bool {
        guard case .text(let part)? = field.value.parts.first else { return false }
        let words = field.value.source.split(separator: " ")
        let isMeant: Bool
        switch field.name.source.lowercased() {
        case "authorization":
            isMeant =
                ["basic", "digest", "aws"].contains(words.first?.lowercased() ?? "")
                && (words.count > 2 || words.last?.contains(":") ?? false)
        case "x-request-type": isMeant = part.lowercased() == "graphql"
        case "content-type":
            guard case .text(let text, let kind)? = entry.body, kind != .form else { return false }
            let type = part.lowercased()
            isMeant =
                HTTPFileBody.isJSONList(type)
                || type.hasPrefix("application/x-www-form-urlencoded")
                    && (text.plain.map { $0 != FormText.encoded($0) || $0.contains("\n") } ?? true)
        default: isMeant = false
        }
        usesNothing = usesNothing || isMeant
        return isMeant
    }

    /// The variables of a query stand below an empty line.
    private static func graphQL(_ text: String) -> String {
        let parts = GraphQLQuery.parts(of: text)
        return parts.variables.map { "\(parts.query)\n\n\($0)" } ?? text
    }

    // MARK: Texts

    private static func hasType(_ entry: FileEntry) -> Bool {
        entry.fields.contains { $0.name.source.lowercased() == "content-type" }
    }

    /// The URL with the parameters of a section.
    private mutating func url(_ entry: FileEntry) -> String {
        var url = escapedLine(entry.url)
        // A method alone would be no URL, and nor would a version.
        if HTTPFileParser.methods.contains(url) || url.hasPrefix("HTTP/") { url = "http://\(url)" }
        guard !entry.query.isEmpty else { return url }
        let pairs = entry.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return url + (url.contains("?") ? "&" : "?") + pairs
    }

}

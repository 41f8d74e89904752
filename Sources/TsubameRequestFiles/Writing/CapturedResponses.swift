// CapturedResponses: a file whose expressions about responses become captures, as Hurl has them.

/// `{{login.response.body.$.token}}` of an `.http` file becomes a capture of the entry `login`, and a variable.
///
/// A variable of the file that uses a response has no value before the first entry, so its text stands in its place.
struct CapturedResponses {
    private static let maximumDepth = 32

    private(set) var file: RequestFile
    /// The definitions that use responses.
    private var definitions: [String: TemplateText] = [:]
    /// The names of captured variables by their expressions.
    private var names: [String: String] = [:]

    init(_ file: RequestFile) {
        self.file = file
        let all = Dictionary(file.variables.map { ($0.name.source, $0.value) }) { $1 }
        definitions = all.filter { Self.usesResponse($0.value, all, depth: 0) }
        self.file.variables.removeAll { definitions[$0.name.source] != nil }
        for index in self.file.entries.indices {
            self.file.entries[index] = self.file.entries[index].mappingTexts { captured($0, before: index, depth: 0) }
        }
    }

    private static func usesResponse(_ text: TemplateText, _ all: [String: TemplateText], depth: Int) -> Bool {
        text.parts.contains { part in
            guard case .expression(let name, _) = part, depth < maximumDepth else { return false }
            return name.contains(".response.") || all[name].map { usesResponse($0, all, depth: depth + 1) } ?? false
        }
    }

    /// The text with the definitions and the captured variables that it uses.
    private mutating func captured(_ text: TemplateText, before index: Int, depth: Int) -> TemplateText {
        var parts: [TemplateText.Part] = []
        for part in text.parts {
            guard case .expression(let found, let place) = part else {
                parts.append(part)
                continue
            }
            if let definition = definitions[found], depth < Self.maximumDepth {
                parts += captured(definition, before: index, depth: depth + 1).parts
            } else {
                parts.append(.expression(capture(found, before: index) ?? found, place))
            }
        }
        return TemplateText(parts)
    }

    /// The variable for an expression; nil if no entry before has its name, or if it is no part of a response.
    private mutating func capture(_ expression: String, before index: Int) -> String? {
        if let name = names[expression] { return name }
        let steps = expression.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard steps.count > 2, steps[1] == "response",
            let query = Self.query(steps[2], steps.count > 3 ? steps[3] : ""),
            let source = file.entries[..<index].lastIndex(where: { $0.name == steps[0] })
        else { return nil }
        var scanner = HurlScanner("name: \(query)", path: file.path)
        guard let capture = try? HurlCheckParser.capture(&scanner) else { return nil }
        let name = variableName(for: expression)
        names[expression] = name
        let place = file.entries[source].place
        var response = file.entries[source].response ?? ExpectedResponse(place: place)
        response.captures.append(
            Capture(name: TemplateText(name), path: capture.path, isRedacted: false, text: capture.text))
        file.entries[source].response = response
        return name
    }

    /// The query of Hurl for a part of a response.
    private static func query(_ part: String, _ rest: String) -> String? {
        switch (part, rest) {
        case ("status", ""): return "status"
        case ("headers", _) where !rest.isEmpty: return "header \(quoted(rest))"
        case ("body", ""), ("body", "*"): return "body"
        case ("body", _) where rest.hasPrefix("/"): return "xpath \(quoted("string(\(rest))"))"
        case ("body", _): return "jsonpath \(quoted(rest.hasPrefix("$") ? rest : "$.\(rest)"))"
        default: return nil
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    /// A name of letters and digits that no variable has yet.
    private func variableName(for expression: String) -> String {
        let words = expression.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.filter { $0 != "response" }
        let base = words.joined(separator: "_")
        let taken = Set(names.values).union(file.variables.map(\.name.source))
        guard taken.contains(base) else { return base }
        return (2...).lazy.map { "\(base)_\($0)" }.first { !taken.contains($0) } ?? base
    }
}

extension FileEntry {
    /// The entry with other texts in its request.
    func mappingTexts(_ change: (TemplateText) -> TemplateText) -> FileEntry {
        func field(_ field: Field) -> Field {
            Field(name: change(field.name), value: change(field.value), place: field.place)
        }
        var entry = self
        entry.url = change(url)
        entry.fields = fields.map(field)
        entry.query = query.map(field)
        entry.form = form.map(field)
        entry.cookies = cookies.map(field)
        entry.user = user.map(field)
        entry.options = options.map { Option(name: $0.name, value: change($0.value), place: $0.place) }
        entry.parts = parts.map { part in
            let content: Part.Content =
                switch part.content {
                case .text(let text): .text(change(text))
                case .file(let path): .file(change(path))
                }
            return Part(
                name: change(part.name), content: content, contentType: part.contentType.map(change),
                place: part.place)
        }
        switch body {
        case .text(let text, let kind): entry.body = .text(change(text), kind)
        case .file(let path): entry.body = .file(change(path))
        case .pieces(let pieces):
            entry.body = .pieces(
                pieces.map { piece in
                    switch piece {
                    case .text(let text): .text(change(text))
                    case .file(let path, let charset): .file(change(path), charset: charset)
                    }
                })
        case .bytes, nil: break
        }
        return entry
    }
}

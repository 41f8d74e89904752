// CapturedResponses: a file whose expressions about responses become captures, as Hurl has them.

/// `{{login.response.body.$.token}}` of an `.http` file becomes a capture of the entry `login`, and a variable.
///
/// A variable of the file that uses a response has no value before the first entry, so its text stands in its place.
struct CapturedResponses {
    /// The most definitions that stand in the places of their names.
    private static let maximumExpansions = 10_000
    /// The most bytes of their texts.
    private static let maximumBytes = 16 << 20
    private static let maximumDepth = 100

    private(set) var file: RequestFile
    /// The variables that no capture can replace.
    private(set) var losses: [String] = []
    /// The definitions that use responses.
    private var definitions: [String: TemplateText] = [:]
    /// The names of captured variables by their expressions and the entries that have the responses.
    private var names: [Source: String] = [:]
    /// Names that mean something else.
    private var taken: Set<String> = []
    private var expansions = 0
    private var expandedBytes = 0

    private struct Source: Hashable {
        let expression: String
        let entry: Int
    }

    init(_ file: RequestFile) {
        self.file = file
        let all = Dictionary(file.variables.map { ($0.name.source, $0.value) }) { $1 }
        definitions = Self.usingResponses(all)
        taken = Set(all.keys)
        for entry in file.entries {
            taken.formUnion(entry.response?.captures.map(\.name.source) ?? [])
            taken.formUnion(entry.prompts.map(\.name.source))
            if case .rows(let name, _) = entry.loop { taken.insert(name) }
            for case .expression(let name, _) in entry.templates.flatMap(\.parts) { taken.insert(name) }
        }
        self.file.variables.removeAll { definitions[$0.name.source] != nil }
        for index in self.file.entries.indices {
            noteChecks(of: self.file.entries[index])
            self.file.entries[index] = self.file.entries[index].mappingTexts { captured($0, before: index, []) }
        }
    }

    /// The definitions that use a response, also by way of another one.
    private static func usingResponses(_ all: [String: TemplateText]) -> [String: TemplateText] {
        func names(_ text: TemplateText) -> [String] {
            text.parts.compactMap { if case .expression(let name, _) = $0 { name } else { nil } }
        }
        var users: [String: [String]] = [:]
        var waiting: [String] = []
        for (name, text) in all {
            let used = names(text)
            for other in used { users[other, default: []].append(name) }
            if used.contains(where: { $0.contains(".response.") }) { waiting.append(name) }
        }
        var found: [String: TemplateText] = [:]
        while let name = waiting.popLast() {
            guard found[name] == nil else { continue }
            found[name] = all[name]
            waiting += users[name] ?? []
        }
        return found
    }

    /// Checks and captures are not translated.
    private mutating func noteChecks(of entry: FileEntry) {
        guard let response = entry.response else { return }
        let texts = response.assertions.map(\.text) + response.captures.map(\.text)
        for template in texts.map({ TemplateText(parsing: $0) }) + response.fields.map(\.value) {
            for case .expression(let name, _) in template.parts
            where definitions[name] != nil || name.contains(".response.") || name.contains(".request.") {
                losses.append("the value of {{\(name)}} in a check of \(entry.method) \(entry.url.source)")
            }
        }
    }

    /// The text with the definitions and the captured variables that it uses.
    /// - Parameter outer: the definitions whose text this is.
    private mutating func captured(_ text: TemplateText, before index: Int, _ outer: Set<String>) -> TemplateText {
        var parts: [TemplateText.Part] = []
        for part in text.parts {
            guard case .expression(let found, let place) = part else {
                parts.append(part)
                continue
            }
            if let definition = definitions[found], !outer.contains(found), outer.count < Self.maximumDepth,
                expansions < Self.maximumExpansions, expandedBytes < Self.maximumBytes
            {
                expansions += 1
                expandedBytes += definition.source.utf8.count
                parts += captured(definition, before: index, outer.union([found])).parts
            } else {
                if definitions[found] != nil { losses.append("the variable \(found), which uses too many others") }
                parts.append(.expression(capture(found, before: index) ?? found, place))
            }
        }
        return TemplateText(parts)
    }

    /// The variable for an expression; nil if no entry before has its name, or if it is no part of a response.
    private mutating func capture(_ expression: String, before index: Int) -> String? {
        let steps = expression.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard steps.count > 2, steps[1] == "response",
            let query = Self.query(steps[2], steps.count > 3 ? steps[3] : ""),
            let source = file.entries[..<index].lastIndex(where: { $0.name == steps[0] })
        else { return nil }
        if let name = names[Source(expression: expression, entry: source)] { return name }
        var scanner = HurlScanner("name: \(query)", path: file.path)
        guard let capture = try? HurlCheckParser.capture(&scanner) else { return nil }
        let name = variableName(for: expression)
        names[Source(expression: expression, entry: source)] = name
        taken.insert(name)
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
                filename: part.filename.map(change), place: part.place)
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

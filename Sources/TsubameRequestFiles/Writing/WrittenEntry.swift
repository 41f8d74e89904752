// WrittenEntry: reads a written entry again, and says whether the request is still the same.

/// An entry as it stands in an `.http` file.
struct WrittenEntry {
    /// The entry that was written.
    let entry: FileEntry
    let text: String
    /// The values of the variables that the writer puts in the place of text with a meaning.
    let variables: [String: String]

    /// The parts of the request that changed, such as `body`; nil if the text is not one request.
    var changes: [String]? {
        guard let file = try? HTTPFileParser.parse(text, path: ""), file.entries.count == 1,
            let again = file.entries.first
        else { return nil }
        var changes: [String] = []
        if again.method != entry.method { changes.append("method") }
        let url = plain(entry.url).replacing(" ", with: "%20")
        if entry.query.isEmpty, ![url, "http://\(url)"].contains(plain(again.url)) { changes.append("URL") }
        var found = again.fields.map { ($0.name.source.lowercased(), plain($0.value)) }[...]
        // Further fields may stand between: those of sections, and the type of the body.
        let areKept = entry.fields.filter { !["content-type", "content-length"].contains($0.name.source.lowercased()) }
            .allSatisfy { field in
                let wanted = (field.name.source.lowercased(), plain(field.value).trimmed)
                guard let index = found.firstIndex(where: { $0 == wanted }) else { return false }
                found = found[(index + 1)...]
                return true
            }
        if !areKept { changes.append("fields") }
        if case .text(let text, let kind) = entry.body, entry.form.isEmpty, entry.parts.isEmpty {
            if body(of: again, kind) != plain(text) { changes.append("body") }
        }
        return changes
    }

    private func body(of again: FileEntry, _ kind: FileEntry.TextKind) -> String {
        switch again.body {
        case .text(let text, let read):
            let text = plain(text)
            // A form that is read is encoded before it is sent.
            return read == .form && kind != .form ? FormText.encoded(text) : text
        case nil: return ""
        case .bytes, .file, .pieces: return "\0"
        }
    }

    /// The text with these variables, and with the braces of all others.
    private func plain(_ template: TemplateText) -> String {
        template.parts.map { part in
            switch part {
            case .text(let text): text
            case .expression(let name, _): variables[name] ?? "{{\(name)}}"
            }
        }.joined()
    }
}

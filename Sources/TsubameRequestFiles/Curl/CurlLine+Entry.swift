// CurlLine+Entry: a curl line in a file of requests, as VS Code takes it.

extension CurlLine {
    /// The entry that sends the request of the line.
    /// - Throws: for an option that no entry has.
    func entry(at place: FilePlace) throws(ShellLine.Problem) -> FileEntry {
        guard otherOptions.isEmpty else {
            throw ShellLine.Problem(
                "curl's option \(otherOptions.joined(separator: ", ")) has no counterpart in a file of requests")
        }
        func template(_ text: String) -> TemplateText { TemplateText(parsing: text, at: place) }
        var entry = FileEntry(place: place, method: method ?? "GET", url: template(url ?? ""))
        func option(_ name: String, _ value: String) {
            entry.options.append(FileEntry.Option(name: name, value: template(value), place: place))
        }
        for field in header.fields {
            entry.fields.append(FileEntry.Field(name: template(field.name), value: template(field.value), place: place))
        }
        for found in entryOptions { option(found.name, try Self.value(of: found)) }
        // The format decides about content codings.
        for name in header.unset where name != "Accept-Encoding" { option("no-header", name) }
        if let user { option("user", user) }
        if let proxy { option("proxy", try Self.proxy(proxy, user: proxyUser)) }
        if usesNetrc { option("netrc", "true") }
        if let file {
            guard file != "@-" else { throw ShellLine.Problem("a file of requests reads no standard input") }
            entry.body = .file(template(String(file.dropFirst())))
        } else if !data.isEmpty {
            entry.body = .text(template(data.joined(separator: "&")), .plain)
        }
        entry.parts = try forms.map { form throws(ShellLine.Problem) in try Self.part(form, at: place) }
        return entry
    }

    /// curl's seconds may have a fraction.
    private static func value(of option: (name: String, value: String)) throws(ShellLine.Problem) -> String {
        guard ["max-time", "connect-timeout"].contains(option.name), option.value.contains(".") else {
            return option.value
        }
        guard let seconds = Double(option.value), (0...1_000_000).contains(seconds) else {
            throw ShellLine.Problem("“\(option.value)” is no number of seconds")
        }
        return "\(Int((seconds * 1_000).rounded()))ms"
    }

    private static func part(
        _ form: CurlFormPart, at place: FilePlace
    ) throws(ShellLine.Problem) -> FileEntry.Part {
        func template(_ text: String) -> TemplateText { TemplateText(parsing: text, at: place) }
        let content: FileEntry.Part.Content
        switch form.content {
        case .text(let text): content = .text(template(text))
        case .file(let path): content = .file(template(path))
        case .textFile: throw ShellLine.Problem("-F \(form.name)=<FILE has no counterpart in a file of requests")
        }
        if case .text = form.content, form.filename != nil {
            throw ShellLine.Problem("the filename of -F \(form.name) has no counterpart in a file of requests")
        }
        return FileEntry.Part(
            name: template(form.name), content: content, contentType: form.type.map(template),
            filename: form.filename.map(template), place: place)
    }
}

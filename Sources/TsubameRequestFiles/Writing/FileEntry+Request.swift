// FileEntry+Request: a request as an entry of a file.

import HTTPTypes
package import TsubameCore

extension FileEntry {
    /// The entry that sends this request again. Braces in the request are text, and no expressions.
    /// - Returns: nil if the body is a stream, which no file can name.
    package init?(_ request: Request) {
        let shown = ShownRequest(request, showingSecrets: true)
        let place = FilePlace(line: 1, column: 1)
        self.init(place: place, method: shown.method.rawValue, url: TemplateText(shown.url))
        func add(_ name: String, _ value: String) {
            fields.append(Field(name: TemplateText(name), value: TemplateText(value), place: place))
        }
        let authority = request.uri?.authority
        for field in shown.fields {
            // The URL names the host, unless the user gave another one.
            if field.name.canonicalName == "host", field.value == authority { continue }
            add(field.name.rawName, field.value)
        }
        if let type = shown.contentType { add("Content-Type", type) }
        if shown.undoesCodings {
            options.append(Option(name: "compressed", value: TemplateText("true"), place: place))
        }
        switch shown.content {
        case .none: break
        case .text(let text): body = .text(TemplateText(text), JSONSyntax.isValue(text) ? .json : .plain)
        case .bytes(let bytes): body = .bytes(bytes)
        case .file(let path): body = .file(TemplateText(path))
        case .stream: return nil
        }
    }
}

extension JSONSyntax {
    /// Whether the text is an object or a list in JSON.
    static func isValue(_ text: String) -> Bool {
        let first = text.trimmed.first
        return (first == "{" || first == "[") && (try? check(text)) != nil
    }
}

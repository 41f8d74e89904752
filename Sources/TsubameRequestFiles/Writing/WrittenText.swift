// WrittenText: names and texts that need care when they are written into a file.

import HTTPTypes

extension TemplateText {
    /// The same expressions with other text between them.
    func mappingText(_ change: (String) -> String) -> TemplateText {
        TemplateText(parts.map { if case .text(let text) = $0 { .text(change(text)) } else { $0 } })
    }

    /// The text with line feeds alone.
    var withoutReturns: TemplateText { mappingText { $0.replacing("\r\n", with: "\n") } }

    /// Whether double braces are text, or a brace stands before an expression.
    var hasBraces: Bool {
        zip(parts, parts.dropFirst() + [.text("")]).contains { part, next in
            guard case .text(let text) = part else { return false }
            if case .expression = next, text.utf8.last == UInt8(ascii: "{") { return true }
            return text.containsBytes("{{")
        }
    }
}

extension String {
    /// Whether these bytes occur. A character may begin or end with a mark that hides them from a search by characters.
    func containsBytes(_ text: String) -> Bool { utf8.contains(Array(text.utf8)) }
}

extension FileEntry.Field {
    /// Whether the text of the name is that of a field. Expressions may still give it other characters.
    var hasSendableName: Bool {
        let texts = name.parts.compactMap { part in
            if case .text(let text) = part { text } else { nil }
        }
        return !name.source.isEmpty && texts.allSatisfy { HTTPField.Name($0) != nil }
    }
}

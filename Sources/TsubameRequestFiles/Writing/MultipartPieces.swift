// MultipartPieces: the parts of a multipart body that was written out in a file.

import TsubameWire

enum MultipartPieces {
    private enum Line {
        case text(TemplateText)
        case file(TemplateText)

        var isEmpty: Bool { if case .text(let text) = self { text.parts.isEmpty } else { false } }
    }

    /// The parts of a body with files between its text.
    /// - Returns: nil if a part is more than a text or a file with a type, so that other formats cannot hold it.
    static func parts(of pieces: [FileEntry.Piece], contentType: String) -> [FileEntry.Part]? {
        guard let type = MediaType(contentType), type.type == "multipart", type.subtype == "form-data",
            let boundary = type["boundary"], let lines = lines(of: pieces)
        else { return nil }
        var parts: [FileEntry.Part] = []
        var part: [Line] = []
        var isInPart = false
        for line in lines {
            let delimiters = ["--\(boundary)", "--\(boundary)--"]
            guard case .text(let text) = line, let plain = text.plain?.trimmed, delimiters.contains(plain) else {
                // Text before the first part belongs to none.
                if !isInPart, parts.isEmpty, !line.isEmpty { return nil }
                if isInPart { part.append(line) }
                continue
            }
            if isInPart {
                guard let found = Self.part(part) else { return nil }
                parts.append(found)
            }
            (part, isInPart) = ([], plain == "--\(boundary)")
        }
        return parts.isEmpty || isInPart ? nil : parts
    }

    /// The lines of the body; nil if a file is only a piece of its part.
    private static func lines(of pieces: [FileEntry.Piece]) -> [Line]? {
        var lines: [Line] = []
        var parts: [TemplateText.Part] = []
        func end() {
            lines.append(.text(TemplateText(parts)))
            parts = []
        }
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .file(let path, nil):
                guard parts.isEmpty else { return nil }
                lines.append(.file(path))
            case .file: return nil
            case .text(let template):
                for (number, part) in template.parts.enumerated() {
                    guard case .text(let text) = part else {
                        parts.append(part)
                        continue
                    }
                    let rows = text.split(separator: "\r\n", omittingEmptySubsequences: false)
                    for (row, content) in rows.enumerated() {
                        // The line end after a file belongs to its line.
                        let isAfterFile = index > 0 && number == 0 && row == 0 && content.isEmpty && rows.count > 1
                        if !content.isEmpty { parts.append(.text(String(content))) }
                        if row < rows.count - 1, !isAfterFile { end() }
                    }
                }
            }
        }
        if !parts.isEmpty { end() }
        return lines
    }

    private static func part(_ lines: [Line]) -> FileEntry.Part? {
        var (name, type, filename): (String?, TemplateText?, String?) = (nil, nil, nil)
        var rest = lines[...]
        while let line = rest.popFirst() {
            guard case .text(let text) = line else { return nil }
            if text.parts.isEmpty { break }
            let source = text.source
            guard let colon = source.firstIndex(of: ":") else { return nil }
            let value = String(source[source.index(after: colon)...]).trimmed
            switch source[..<colon].lowercased() {
            case "content-disposition":
                guard hasOnlyNames(value) else { return nil }
                name = parameter("name", of: value)
                filename = parameter("filename", of: value)
            case "content-type": type = TemplateText(parsing: value)
            default: return nil
            }
        }
        guard let name else { return nil }
        let place = FilePlace(line: 1, column: 1)
        if rest.count == 1, case .file(let path)? = rest.first {
            let base = path.source.split(separator: "/").last.map(String.init)
            return FileEntry.Part(
                name: TemplateText(parsing: name), content: .file(path), contentType: type,
                filename: filename == base ? nil : filename.map { TemplateText(parsing: $0) }, place: place)
        }
        guard filename == nil else { return nil }
        var parts: [TemplateText.Part] = []
        for (index, line) in rest.enumerated() {
            guard case .text(let text) = line else { return nil }
            if index > 0 { parts.append(.text("\r\n")) }
            parts += text.parts
        }
        return FileEntry.Part(
            name: TemplateText(parsing: name), content: .text(TemplateText(parts)), contentType: type, place: place)
    }

    /// Whether the value has no other parameters.
    private static func hasOnlyNames(_ text: String) -> Bool {
        let parts = text.split(separator: ";").map { String($0).trimmed }
        return parts.first == "form-data"
            && parts.dropFirst().allSatisfy { $0.hasPrefix("name=\"") || $0.hasPrefix("filename=\"") }
    }

    /// The value of a parameter in quotation marks.
    private static func parameter(_ name: String, of text: String) -> String? {
        guard let start = text.firstRange(of: "; \(name)=\"") ?? text.firstRange(of: ";\(name)=\"") else { return nil }
        let value = text[start.upperBound...]
        guard let end = value.firstIndex(of: "\"") else { return nil }
        return value[..<end].contains("\\") ? nil : String(value[..<end])
    }
}

extension FileEntry {
    /// Takes the parts of a multipart body with files, if they can stand alone.
    mutating func takePartsOfPieces() {
        guard case .pieces(let pieces) = body, parts.isEmpty,
            let type = fields.first(where: { $0.name.source.lowercased() == "content-type" })?.value.plain,
            let found = MultipartPieces.parts(of: pieces, contentType: type)
        else { return }
        (parts, body) = (found, nil)
        fields.removeAll { $0.name.source.lowercased() == "content-type" }
    }
}

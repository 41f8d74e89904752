// FileEntry+References: the names of other entries whose responses an entry uses.

extension FileEntry {
    /// The texts of the request.
    package var templates: [TemplateText] {
        var templates = [url] + options.map(\.value)
        for field in fields + query + form + cookies + (user.map { [$0] } ?? []) {
            templates += [field.name, field.value]
        }
        for part in parts {
            templates.append(part.name)
            switch part.content {
            case .text(let text): templates.append(text)
            case .file(let path): templates.append(path)
            }
            templates += [part.contentType, part.filename].compactMap { $0 }
        }
        switch body {
        case .text(let text, _), .file(let text): templates.append(text)
        case .pieces(let pieces):
            for piece in pieces {
                switch piece {
                case .text(let text), .file(let text, _): templates.append(text)
                }
            }
        case .bytes, nil: break
        }
        return templates
    }

    /// The paths of the files that the request and the checks of its body read.
    package var readPaths: [TemplateText] {
        var paths: [TemplateText] = []
        for part in parts { if case .file(let path) = part.content { paths.append(path) } }
        for body in [body, response?.body] {
            switch body {
            case .file(let path): paths.append(path)
            case .pieces(let pieces):
                for piece in pieces { if case .file(let path, _) = piece { paths.append(path) } }
            case .text, .bytes, nil: break
            }
        }
        if case .rows(_, let path) = loop { paths.append(TemplateText(path)) }
        return paths
    }

    /// The first words of all expressions, also of those in the file's variables, which an entry may use anywhere.
    package func references(in file: RequestFile) -> Set<String> {
        Set(
            (templates + file.variables.map(\.value)).flatMap(\.parts).compactMap { part in
                guard case .expression(let text, _) = part else { return nil }
                return text.split(separator: ".").first.map(String.init)
            })
    }
}

extension FileEntry.Part {
    /// Whether the part has no expression.
    package var isPlain: Bool {
        guard [name, contentType, filename].allSatisfy({ $0.map { $0.plain != nil } ?? true }) else { return false }
        switch content {
        case .text(let text), .file(let text): return text.plain != nil
        }
    }
}

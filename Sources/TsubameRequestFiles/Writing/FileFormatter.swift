// FileFormatter: files of requests in one style, with their comments.

/// Changes only white space outside of bodies: blanks around the colon of a field, blanks at line ends, and empty lines
/// between entries. Comments and bodies stay as they are. The result is read again, and has to mean the same.
package enum FileFormatter {
    package static func hurl(_ text: String, path: String) throws(FileProblem) -> String {
        let file = try HurlParser.parse(text, path: path)
        var lines: [String] = []
        let entryLines = Set(file.entries.map(\.place.line))
        let verbatimLines = Set(file.verbatimLines.joined())
        for (index, line) in text.unixLines.enumerated() {
            if verbatimLines.contains(index + 1) {
                lines.append(line)
                continue
            }
            let line = line.trimmed
            let isEntry = entryLines.contains(index + 1)
            // One empty line stands before an entry and its comments.
            if isEntry {
                var start = lines.count
                while start > 0, lines[start - 1].hasPrefix("#") { start -= 1 }
                while start > 0, lines[start - 1].isEmpty {
                    lines.remove(at: start - 1)
                    start -= 1
                }
                if start > 0 { lines.insert("", at: start) }
            }
            if line.isEmpty, lines.last?.isEmpty ?? true { continue }
            lines.append(normalised(line))
        }
        let result = joined(lines)
        let again = try HurlParser.parse(result, path: path)
        return HurlWriter(again).text == HurlWriter(file).text ? result : text
    }

    package static func http(_ text: String, path: String) throws(FileProblem) -> String {
        let file = try HTTPFileParser.parse(text, path: path)
        var lines: [String] = []
        var (isInBody, isInRequest) = (false, false)
        for line in text.unixLines {
            let trimmed = line.trimmed
            if line.hasPrefix("###") {
                while lines.last?.isEmpty ?? false { lines.removeLast() }
                if !lines.isEmpty { lines.append("") }
                (isInBody, isInRequest) = (false, false)
                let title = String(line.drop { $0 == "#" }).trimmed
                lines.append(title.isEmpty ? "###" : "### \(title)")
            } else if isInBody {
                lines.append(line)
            } else if trimmed.isEmpty {
                if isInRequest { isInBody = true }
                if !(lines.last?.isEmpty ?? true) { lines.append("") }
            } else if trimmed.hasPrefix("#") || trimmed.hasPrefix("//") || trimmed.hasPrefix("@") {
                lines.append(trimmed)
            } else {
                let isContinued = line.first == " " || line.first == "\t"
                lines.append(isInRequest ? (isContinued ? "    \(trimmed)" : normalised(trimmed)) : trimmed)
                isInRequest = true
            }
        }
        let result = joined(lines)
        let again = try HTTPFileParser.parse(result, path: path)
        return HTTPFileWriter(again).text == HTTPFileWriter(file).text ? result : text
    }

    /// `name: value` with one blank behind the colon. Any other line stays.
    private static func normalised(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":"), !line.hasPrefix("#"), !line.hasPrefix("[") else { return line }
        let name = line[..<colon]
        let isName =
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.[]".contains($0) || $0 == " " }
        guard isName, !name.trimmingSuffix.contains(" ") else { return line }
        let value = String(line[line.index(after: colon)...]).trimmed
        return "\(name.trimmingSuffix):\(value.isEmpty ? "" : " \(value)")"
    }

    private static func joined(_ lines: [String]) -> String {
        var lines = lines
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        while lines.first?.isEmpty ?? false { lines.removeFirst() }
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var unixLines: [String] {
        var lines = replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

extension Substring {
    fileprivate var trimmingSuffix: String { String(self).trimmed }
}

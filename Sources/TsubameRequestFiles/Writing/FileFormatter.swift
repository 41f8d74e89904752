// FileFormatter: files of requests in one style, with their comments.

/// Changes only white space outside of bodies: blanks around the colon of a field, blanks at line ends, and empty lines
/// between entries. Comments and bodies stay as they are. The result is read again, and has to mean the same.
package enum FileFormatter {
    package static func hurl(_ text: String, path: String) throws(FileProblem) -> String {
        let result = try hurlOnce(text, path)
        // A text that another round would change again stays as it is.
        return try hurlOnce(result, path) == result ? result : text
    }

    package static func http(_ text: String, path: String) throws(FileProblem) -> String {
        let result = try httpOnce(text, path)
        return try httpOnce(result, path) == result ? result : text
    }

    private static func hurlOnce(_ text: String, _ path: String) throws(FileProblem) -> String {
        let file = try HurlParser.parse(text, path: path)
        var lines: [String] = []
        let entryLines = Set(file.entries.map(\.place.line))
        let verbatimLines = Set(file.verbatimLines.joined())
        for (index, line) in text.lines(returnsEnd: false).enumerated() {
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
        let again = try? HurlParser.parse(result, path: path)
        return again.map { HurlWriter($0).text } == HurlWriter(file).text ? result : text
    }

    private static func httpOnce(_ text: String, _ path: String) throws(FileProblem) -> String {
        let file = try HTTPFileParser.parse(text, path: path)
        var lines: [String] = []
        var (isInBody, isInRequest, isInScript) = (false, false, false)
        for line in text.lines(returnsEnd: true) {
            let trimmed = line.trimmed
            let isScript = isInScript || trimmed.hasPrefix("< {%") || trimmed.hasPrefix("> {%")
            isInScript = isScript && !trimmed.contains("%}") && !line.hasPrefix("###")
            if isScript, !line.hasPrefix("###") {
                lines.append(line)
            } else if line.hasPrefix("###") {
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
                // Without its indent, this comment would divide requests.
                lines.append(trimmed.hasPrefix("###") ? line : trimmed)
            } else {
                let isContinued = line.first == " " || line.first == "\t"
                lines.append(isInRequest ? (isContinued ? "    \(trimmed)" : normalised(trimmed)) : trimmed)
                isInRequest = true
            }
        }
        let result = joined(lines)
        let again = try? HTTPFileParser.parse(result, path: path)
        return again.map { HTTPFileWriter($0).text } == HTTPFileWriter(file).text ? result : text
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
    /// The lines without their ends.
    /// - Parameter returnsEnd: whether a carriage return alone ends a line, too.
    fileprivate func lines(returnsEnd: Bool) -> [String] {
        var (lines, line, last) = ([String](), String.UnicodeScalarView(), Unicode.Scalar(0))
        for scalar in unicodeScalars {
            if scalar == "\n" || scalar == "\r" && returnsEnd {
                let isSecond = scalar == "\n" && last == "\r"
                if isSecond, !returnsEnd { line.removeLast() }
                if !isSecond || !returnsEnd {
                    lines.append(String(line))
                    line = String.UnicodeScalarView()
                }
            } else {
                line.append(scalar)
            }
            last = scalar
        }
        return line.isEmpty ? lines : lines + [String(line)]
    }
}

extension Substring {
    fileprivate var trimmingSuffix: String { String(self).trimmed }
}

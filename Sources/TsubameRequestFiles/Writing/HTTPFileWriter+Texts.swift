// HTTPFileWriter+Texts: names, values and lines as this format writes them.

import TsubameCore
import TsubameWire

extension HTTPFileWriter {
    /// A boundary that no part contains: a random one if a part has the usual one.
    static func boundary(of parts: [FileEntry.Part]) -> String {
        let usual = "tsubame-boundary"
        let isTaken = parts.contains { part in
            if case .text(let text) = part.content { text.source.contains("--\(usual)") } else { false }
        }
        return isTaken ? MultipartFraming().boundary : usual
    }

    /// A parameter of Content-Disposition, as browsers write it.
    static func parameter(_ text: String) -> String { "\"\(PercentEncoding.partName(text))\"" }

    /// The check on one line, with quotation marks around a text that had several; nil if it needs more.
    static func oneLine(_ assertion: Assertion) -> String? {
        guard assertion.text.hasLineEnd else { return assertion.text }
        guard case .comparison(_, .text(let template)) = assertion.predicate,
            let mark = assertion.text.firstRange(of: "```"), case let start = assertion.text[..<mark.lowerBound],
            !String(start).hasLineEnd
        else { return nil }
        return start + quoted(template)
    }

    /// `user password` of an entry with digest credentials.
    static func digest(_ entry: FileEntry) -> String? {
        guard entry.options.last(where: { $0.name == "digest" })?.value.source == "true",
            let user = entry.options.last(where: { $0.name == "user" })?.value.source,
            let colon = user.firstIndex(of: ":"),
            !user.contains(" ")
        else { return nil }
        return "\(user[..<colon]) \(user[user.index(after: colon)...])"
    }

    static func quoted(_ template: TemplateText) -> String {
        let escaped = template.source.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(escaped)\""
    }

    /// The line of a variable, with a backslash for what needs one in its value.
    static func variable(_ name: String, _ value: String) -> String {
        // By scalars, because CR LF is one character.
        let escaped = value.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case "\r": result += "\\r"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }.trimmed
        return "@\(oneLine(name.trimmed)) =\(escaped.isEmpty ? "" : " ")\(oneLine(escaped))"
    }

    static func oneLine(_ text: String) -> String {
        text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map(String.init).joined(separator: " ")
    }
}

// FilePart: the path, type and name of a file after `@`, in a form or as the body.

import Tsubame

/// `path`, `path;type=media/type`, `path;filename=name`, or both in any order.
struct FilePart {
    let path: String
    let type: String?
    /// nil if no filename was given.
    let filename: String?
    /// The filename that the server receives; by default the last component of the path.
    var shownName: String { filename ?? path.split(separator: "/").last.map(String.init) ?? "" }

    init(_ text: String, in word: String) throws(UsageProblem) {
        var rest = text[...]
        var options: [String: String] = [:]
        // From the end, because the path itself may contain such a mark.
        while let (name, mark) = Self.lastMark(in: rest), options[name] == nil {
            options[name] = String(rest[mark.upperBound...])
            rest = rest[..<mark.lowerBound]
        }
        path = HomePath.expand(String(rest))
        type = try options["type"].map { type throws(UsageProblem) in try Self.checked(type, in: word) }
        filename = options["filename"]
    }

    /// The text if it is a media type.
    static func checked(_ type: String, in word: String) throws(UsageProblem) -> String {
        guard MediaType(type) != nil, HTTPField.isValidValue(type) else {
            throw UsageProblem("“\(word)”: “\(type)” is no media type.")
        }
        return type
    }

    private static func lastMark(in text: Substring) -> (name: String, Range<Substring.Index>)? {
        let marks = ["type", "filename"].compactMap { name in
            text.ranges(of: ";\(name)=").last.map { (name: name, $0) }
        }
        return marks.max { $0.1.lowerBound < $1.1.lowerBound }
    }

    /// The file's content. If the file is missing and its name ends with text like an option, the error names that
    /// unknown option.
    func body(in word: String) throws -> RequestBody {
        do {
            return try RawBody.file(path, contentType: type)
        } catch let error as SystemError {
            guard error.isMissingFile, let mark = path.lastIndex(of: ";"),
                let equals = path[mark...].firstIndex(of: "="), equals > path.index(after: mark)
            else { throw error }
            let option = path[path.index(after: mark)..<equals]
            guard option.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }) else { throw error }
            let charset = path[path.index(after: equals)...]
            let advice =
                option.lowercased() == "charset"
                ? "a charset belongs to the type: ;type=\(type ?? "text/plain"); charset=\(charset)"
                : "use ;type= or ;filename="
            throw UsageProblem("“\(word)”: a file has no option ;\(option)=; \(advice).")
        }
    }
}

// FilePart: what stands behind the `@` of a file, in a form or as the body.
#if Tool

import Tsubame

/// `path`, `path;type=media/type`, `path;filename=name`, or both in any order.
struct FilePart {
    let path: String
    let type: String?
    /// nil if none was given.
    let filename: String?
    /// What the server is told; the last component of the path unless given.
    var shownName: String { filename ?? path.split(separator: "/").last.map(String.init) ?? "" }

    init(_ text: String, in word: String) throws(UsageProblem) {
        var rest = text[...]
        var options: [String: String] = [:]
        // From the end: whatever stands before the last of them is the path's own affair.
        while let (name, mark) = Self.lastMark(in: rest), options[name] == nil {
            options[name] = String(rest[mark.upperBound...])
            rest = rest[..<mark.lowerBound]
        }
        path = HomePath.expand(String(rest))
        type = options["type"]
        filename = options["filename"]
        if let type, MediaType(type) == nil || !HTTPField.isValidValue(type) {
            throw UsageProblem("“\(word)”: “\(type)” is no media type.")
        }
    }

    private static func lastMark(in text: Substring) -> (name: String, Range<Substring.Index>)? {
        let marks = ["type", "filename"].compactMap { name in
            text.ranges(of: ";\(name)=").last.map { (name: name, $0) }
        }
        return marks.max { $0.1.lowerBound < $1.1.lowerBound }
    }

    /// The file's content. A file that is not there, with something behind its name that looks like an option, is told as
    /// the option that it is not.
    func body(in word: String) throws -> Body {
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
                : "known are ;type= and ;filename="
            throw UsageProblem("“\(word)”: there is no option ;\(option)= of a file; \(advice).")
        }
    }
}

#endif

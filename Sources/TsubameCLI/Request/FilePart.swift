// FilePart: what stands behind the `@` of a file that is part of a form.
#if Tool

import Tsubame

/// `path`, `path;type=media/type`, `path;filename=name`, or both in any order.
struct FilePart {
    let path: String
    let type: String?
    /// What the server is told; the last component of the path unless given.
    let filename: String

    init(_ text: String, in word: String) throws(UsageProblem) {
        var rest = text[...]
        var options: [String: String] = [:]
        // From the end: whatever stands before the last of them is the path's own affair.
        while let (name, mark) = Self.lastMark(in: rest), options[name] == nil {
            options[name] = String(rest[mark.upperBound...])
            rest = rest[..<mark.lowerBound]
        }
        path = String(rest)
        type = options["type"]
        filename = options["filename"] ?? rest.split(separator: "/").last.map(String.init) ?? ""
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
}

#endif

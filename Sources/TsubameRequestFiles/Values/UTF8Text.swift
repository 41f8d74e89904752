// UTF8Text: text that is split and replaced byte by byte. Swift takes CR LF for one character.

enum UTF8Text {
    static func split(_ text: String, by separator: String) -> [String] {
        let (bytes, mark) = (Array(text.utf8), Array(separator.utf8))
        var parts: [String] = []
        var start = 0
        for range in bytes.ranges(of: mark) {
            parts.append(String(decoding: bytes[start..<range.lowerBound], as: UTF8.self))
            start = range.upperBound
        }
        return parts + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    static func replacing(_ old: String, in text: String, by new: String) -> String {
        split(text, by: old).joined(separator: new)
    }
}

// DotSegments: finds and removes the segments `.` and `..` of a path (RFC 3986 section 5.2.4).

enum DotSegments {
    /// Whether the path of a target may hold a dot segment. The answer is also true for a few paths that hold none.
    static func mayOccur(in target: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var previous: UInt8 = 0
        for byte in target {
            if byte == 0x3F { return false }
            if previous == 0x2F, byte == 0x2E || byte == 0x25 { return true }
            previous = byte
        }
        return false
    }

    /// The path without its dot segments. It must start with a slash.
    static func removed(from path: Substring.UTF8View) -> String {
        let segments = path.split(separator: 0x2F, omittingEmptySubsequences: false)
        var output: [String] = []
        // The text before the first slash is empty.
        for (index, segment) in segments.enumerated().dropFirst() {
            let isLast = index == segments.count - 1
            let text = String(Substring(segment))
            switch dots(in: text) {
            case 0: output.append(text)
            case 1: if isLast { output.append("") }
            default:
                _ = output.popLast()
                if isLast { output.append("") }
            }
        }
        return output.reduce(into: "") { $0 += "/" + $1 }
    }

    /// Returns 1 for `.`, 2 for `..` and 0 for any other segment. A server may decode `%2e` before it looks at
    /// segments, as the WHATWG URL standard does.
    private static func dots(in segment: String) -> Int {
        guard segment.utf8.count <= 6 else { return 0 }
        switch segment.utf8.contains(0x25) ? segment.lowercased().replacing("%2e", with: ".") : segment {
        case ".": return 1
        case "..": return 2
        default: return 0
        }
    }
}

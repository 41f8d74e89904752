// JSONComments: turns the JSON of editors into JSON.

/// The settings of VS Code may have comments, and a comma before a closing bracket.
package enum JSONComments {
    /// The text with blanks in place of comments and of such commas, so that offsets stay.
    package static func removed(from text: String) -> String {
        var bytes = Array(text.utf8)
        var (index, isInString) = (0, false)
        /// The last comma, if only blanks and comments follow it so far.
        var comma: Int?
        func at(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }
        while index < bytes.count {
            let byte = bytes[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
                index += 1
                continue
            }
            if byte == UInt8(ascii: "/"), at(index + 1) == UInt8(ascii: "/") {
                while index < bytes.count, bytes[index] != 0x0A {
                    bytes[index] = 0x20
                    index += 1
                }
                continue
            }
            if byte == UInt8(ascii: "/"), at(index + 1) == UInt8(ascii: "*") {
                while index < bytes.count, !(at(index) == UInt8(ascii: "*") && at(index + 1) == UInt8(ascii: "/")) {
                    if bytes[index] != 0x0A { bytes[index] = 0x20 }
                    index += 1
                }
                for offset in index..<min(index + 2, bytes.count) { bytes[offset] = 0x20 }
                index += 2
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, comma) = (true, nil)
            case UInt8(ascii: ","): comma = index
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let comma { bytes[comma] = 0x20 }
                comma = nil
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: comma = nil
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// JSONReader: reads a JSON text into values.

/// Reads a text that `JSONSyntax` has checked.
struct JSONReader {
    private let bytes: [UInt8]
    private var offset = 0

    /// - Throws: `JSONSyntax.Fault` at the place where the text is not JSON.
    static func read(_ text: String) throws(JSONSyntax.Fault) -> JSONValue {
        try JSONSyntax.check(text)
        var reader = JSONReader(bytes: Array(text.utf8))
        return try reader.value()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The next byte that is not white space.
    private mutating func peek() throws(JSONSyntax.Fault) -> UInt8 {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
        guard let byte = current else { throw JSONSyntax.Fault(offset: offset) }
        return byte
    }

    private mutating func value() throws(JSONSyntax.Fault) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try string())
        default: return try word()
        }
    }

    private mutating func members() throws(JSONSyntax.Fault) -> [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        offset += 1
        while try peek() != UInt8(ascii: "}") {
            if current == UInt8(ascii: ",") { offset += 1 }
            _ = try peek()
            let name = try string()
            _ = try peek()
            offset += 1
            members.append((name, try value()))
        }
        offset += 1
        return members
    }

    private mutating func elements() throws(JSONSyntax.Fault) -> [JSONValue] {
        var elements: [JSONValue] = []
        offset += 1
        while try peek() != UInt8(ascii: "]") {
            if current == UInt8(ascii: ",") { offset += 1 }
            elements.append(try value())
        }
        offset += 1
        return elements
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(JSONSyntax.Fault) -> JSONValue {
        let start = offset
        while let byte = current, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"),
            byte != UInt8(ascii: "}")
        {
            offset += 1
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            guard let number = Double(text) else { throw JSONSyntax.Fault(offset: start) }
            return .number(number)
        }
    }

    private mutating func string() throws(JSONSyntax.Fault) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            offset += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            text += try escape()
        }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The character after a backslash, in UTF-8.
    private mutating func escape() throws(JSONSyntax.Fault) -> [UInt8] {
        guard let byte = current else { throw JSONSyntax.Fault(offset: offset) }
        offset += 1
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [unit()]
            // The first half of a surrogate pair; the second half follows.
            if units[0] & 0xFC00 == 0xD800, current == UInt8(ascii: "\\"), offset + 1 < bytes.count,
                bytes[offset + 1] == UInt8(ascii: "u")
            {
                offset += 2
                units.append(unit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: return [byte]
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() -> UInt16 {
        let end = min(offset + 4, bytes.count)
        defer { offset = end }
        return UInt16(String(decoding: bytes[offset..<end], as: UTF8.self), radix: 16) ?? 0xFFFD
    }
}

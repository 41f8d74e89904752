// JSONSyntax: checks whether a text is JSON (RFC 8259), and writes text as a JSON string.

/// Checks a text without building values, so that the text can be sent as it was typed.
package struct JSONSyntax {
    /// The deepest nesting that is accepted unless the caller sets another.
    package static let maximumDepth = 512

    /// The place at which the text stops being JSON, or is nested too deep.
    package struct Fault: Error {
        /// In bytes.
        package let offset: Int
        package var isTooDeep = false
    }

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var offset = 0

    /// - Throws: `Fault` at the first byte that JSON does not allow there, at the end if something is missing, or at the
    ///   first value that is nested too deep.
    package static func check(_ text: String, maximumDepth: Int = maximumDepth) throws(Fault) {
        var syntax = JSONSyntax(bytes: Array(text.utf8), maximumDepth: maximumDepth)
        try syntax.value(depth: 0)
        guard syntax.offset == syntax.bytes.count else { throw Fault(offset: syntax.offset) }
    }

    private init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// The text as a JSON string in quotes. Only characters that need it are escaped.
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(Fault) {
        guard current == byte else { throw Fault(offset: offset) }
        offset += 1
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    /// Reads a value and the white space around it.
    private mutating func value(depth: Int) throws(Fault) {
        guard depth < maximumDepth else { throw Fault(offset: offset, isTooDeep: true) }
        skipWhiteSpace()
        switch current {
        case UInt8(ascii: "{"): try members(depth: depth)
        case UInt8(ascii: "["): try elements(depth: depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "-"): try number()
        case .some(0x30...0x39): try number()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw Fault(offset: offset)
        }
        skipWhiteSpace()
    }

    private mutating func members(depth: Int) throws(Fault) {
        offset += 1
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) { return }
        repeat {
            skipWhiteSpace()
            try string()
            skipWhiteSpace()
            try expect(UInt8(ascii: ":"))
            try value(depth: depth + 1)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    private mutating func elements(depth: Int) throws(Fault) {
        offset += 1
        skipWhiteSpace()
        if take(UInt8(ascii: "]")) { return }
        repeat {
            try value(depth: depth + 1)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    private mutating func string() throws(Fault) {
        try expect(UInt8(ascii: "\""))
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"):
                offset += 1
                try escape()
            case 0x20...:
                offset += 1
            default:
                throw Fault(offset: offset)
            }
        }
        throw Fault(offset: offset)
    }

    private mutating func escape() throws(Fault) {
        guard let byte = current else { throw Fault(offset: offset) }
        if byte == UInt8(ascii: "u") {
            offset += 1
            for _ in 0..<4 {
                guard let digit = current, Character(Unicode.Scalar(digit)).isHexDigit else {
                    throw Fault(offset: offset)
                }
                offset += 1
            }
        } else {
            guard "\"\\/bfnrt".utf8.contains(byte) else { throw Fault(offset: offset) }
            offset += 1
        }
    }

    private mutating func number() throws(Fault) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        guard let first = current, first >= 0x30, first <= 0x39 else { throw Fault(offset: offset) }
        while let byte = current, byte >= 0x30, byte <= 0x39 { offset += 1 }
    }

    private mutating func word(_ word: String) throws(Fault) {
        for byte in word.utf8 { try expect(byte) }
    }
}

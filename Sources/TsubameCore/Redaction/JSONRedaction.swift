// JSONRedaction: withholds the values of secret names in JSON.

/// Reads only the strings, numbers and brackets of JSON, so that malformed JSON is also shown without its secrets.
struct JSONRedaction {
    private let redaction: Redaction
    /// The replacement of a number.
    private let number: [UInt8]
    private(set) var output: [UInt8] = []
    /// The strings and numbers that the output withholds, as they are written.
    private(set) var withheld: [ArraySlice<UInt8>] = []
    private var depth = 0
    /// The depth at which the value of a secret name began. Everything inside that value is withheld.
    private var secretDepth: Int?
    /// Whether the next value belongs to a secret name.
    private var isNamedSecret = false

    /// - Parameter keepsNumbers: whether a number stays a number, so that a program can still decode it. It becomes 0.
    init(_ text: ArraySlice<UInt8>, by redaction: Redaction, keepsNumbers: Bool = false) {
        self.redaction = redaction
        number = keepsNumbers ? [UInt8(ascii: "0")] : Self.placeholder
        read(text)
    }

    private var isWithheld: Bool { isNamedSecret || secretDepth != nil }

    private mutating func read(_ text: ArraySlice<UInt8>) {
        var rest = text
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(rest)
                take(string: rest[..<end], isName: rest[end...].first { $0 > 0x20 } == UInt8(ascii: ":"))
                rest = rest[end...]
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let written = rest.prefix { !",]} \n\r\t\"".utf8.contains($0) }
                output += isWithheld ? number : Array(written)
                if isWithheld { withheld.append(written) }
                isNamedSecret = false
                rest = rest[written.endIndex...]
            default:
                take(bracket: byte)
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
    }

    private mutating func take(string: ArraySlice<UInt8>, isName: Bool) {
        if isName {
            output += string
            isNamedSecret = redaction.isSecret(utf8: string)
        } else {
            output += isWithheld ? Self.placeholder : Array(string)
            if isWithheld { withheld.append(string) }
            isNamedSecret = false
        }
    }

    private mutating func take(bracket byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if isNamedSecret, secretDepth == nil { secretDepth = depth }
            isNamedSecret = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if secretDepth == depth { secretDepth = nil }
            depth -= 1
        case UInt8(ascii: ","): isNamedSecret = false
        default: break
        }
    }

    private static let placeholder = Array("\"\(Redaction.placeholder)\"".utf8)

    /// The position after the closing quote, or the end of the bytes.
    private static func endOfString(_ bytes: ArraySlice<UInt8>) -> Int {
        var isEscaped = false
        for index in bytes.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if bytes[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if bytes[index] == UInt8(ascii: "\"") {
                return index + 1
            }
        }
        return bytes.endIndex
    }
}

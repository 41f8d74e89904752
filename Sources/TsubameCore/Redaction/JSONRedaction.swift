// JSONRedaction: withholds the values of secret names in JSON.

/// Reads only the strings, numbers and brackets of JSON, so that malformed JSON is also shown without its secrets.
struct JSONRedaction {
    private let redaction: Redaction
    private let keepsNumbers: Bool
    private(set) var output: [UInt8] = []
    /// The strings and numbers that the output withholds, as they are written.
    private(set) var withheld: [ArraySlice<UInt8>] = []
    private var depth = 0
    /// The depth at which the value of a secret name began. Everything inside that value is withheld.
    private var secretDepth: Int?
    /// Whether the next value belongs to a secret name.
    private var isNamedSecret = false
    /// How many values, each inside another one, contain this JSON.
    private let nesting: Int
    /// Values that are withheld wherever they stand.
    private let values: SecretValues

    /// - Parameters:
    ///   - keepsNumbers: whether a number stays a number, so that a program can still decode it. It becomes 0.
    ///   - depth: how many values, each inside another one, contain this JSON.
    ///   - values: values that are withheld wherever they stand.
    init(
        _ text: ArraySlice<UInt8>, by redaction: Redaction, keepsNumbers: Bool = false, depth: Int = 0,
        values: SecretValues = SecretValues()
    ) {
        self.values = values
        self.redaction = redaction
        nesting = depth
        self.keepsNumbers = keepsNumbers
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
                if isWithheld { withheld.append(written) }
                let isShown = !isWithheld && !values.contains(written)
                output += isShown ? Array(written) : keepsNumbers ? [UInt8(ascii: "0")] : Self.placeholder
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
            output += values.replaced(in: Array(string)) ?? Array(string)
            isNamedSecret = redaction.isSecret(utf8: Redaction.decoded(json: string) ?? Array(string))
            return
        }
        if isWithheld {
            output += Self.placeholder
            withheld.append(string)
        } else {
            let shown = Redaction.decoded(json: string).flatMap { shownNested($0) } ?? Array(string)
            output += values.replaced(in: shown) ?? shown
        }
        isNamedSecret = false
    }

    /// The string of JSON for a text that is a URL or JSON with secrets; nil for any other text.
    private mutating func shownNested(_ text: [UInt8]) -> [UInt8]? {
        redaction.nested(text, withheld: &withheld, depth: nesting, keepsNumbers: keepsNumbers).map { shown in
            Array("\"\(SecretValues.json(String(decoding: shown, as: UTF8.self), (false, false)))\"".utf8)
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
            isNamedSecret = false
        case UInt8(ascii: ","): isNamedSecret = false
        default: break
        }
    }

    private static let placeholder = Array("\"\(Redaction.placeholder)\"".utf8)

    /// Whether a text of its own begins here: the next event of a stream, or the next line of JSON.
    private static func endsText(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.first == 0x0A || rest.first == 0x0D || rest.first == UInt8(ascii: "{") || rest.starts(with: "data:".utf8)
    }

    /// The position after the closing quote, or of the line end or the end of the bytes, where a broken string ends.
    private static func endOfString(_ bytes: ArraySlice<UInt8>) -> Int {
        var isEscaped = false
        for index in bytes.indices.dropFirst() {
            if bytes[index] == 0x0A, endsText(bytes[(index + 1)...]) {
                return index
            } else if isEscaped {
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

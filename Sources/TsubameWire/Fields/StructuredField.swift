// StructuredField: the parser for fields that are structured items or dictionaries (RFC 9651).

/// Each function returns nil if the field must be ignored, because it is malformed (section 4.2) or has another type.
/// Join the lines of a field with commas before the call.
package enum StructuredField {
    /// A value, as far as Tsubame reads it.
    package enum Value: Sendable, Hashable {
        case integer(Int64)
        case boolean(Bool)
        /// A decimal, string, token, byte sequence, date, display string or inner list.
        case other
    }

    /// An item that is an integer of at most 15 digits (section 3.3.1). Its parameters are ignored.
    package static func integer(_ field: String) -> Int64? {
        if case .integer(let value) = item(field) { value } else { nil }
    }

    /// An item that is a boolean (section 3.3.6).
    package static func boolean(_ field: String) -> Bool? {
        if case .boolean(let value) = item(field) { value } else { nil }
    }

    /// A dictionary (section 3.2). If a key is repeated, its last member counts.
    package static func dictionary(_ field: String) -> [String: Value]? {
        var parser = StructuredFieldParser(field)
        return parser.dictionary()
    }

    private static func item(_ field: String) -> Value? {
        var parser = StructuredFieldParser(field)
        return parser.field()
    }
}

/// A position in a structured field. Every function returns nil for malformed input.
private struct StructuredFieldParser {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpaces(orTabs: Bool = false) {
        while let byte = current, byte == 0x20 || (orTabs && byte == 0x09) { offset += 1 }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = offset
        while let byte = current, condition(byte) { offset += 1 }
        return bytes[start..<offset]
    }

    // MARK: Whole fields

    mutating func field() -> StructuredField.Value? {
        skipSpaces()
        guard let value = item() else { return nil }
        skipSpaces()
        return current == nil ? value : nil
    }

    mutating func dictionary() -> [String: StructuredField.Value]? {
        var members: [String: StructuredField.Value] = [:]
        skipSpaces()
        while current != nil {
            guard let key = key() else { return nil }
            if skip(UInt8(ascii: "=")) {
                guard let value = current == UInt8(ascii: "(") ? innerList() : item() else { return nil }
                members[key] = value
            } else {
                guard parameters() else { return nil }
                members[key] = .boolean(true)
            }
            skipSpaces(orTabs: true)
            if current == nil { return members }
            guard skip(UInt8(ascii: ",")) else { return nil }
            skipSpaces(orTabs: true)
            // A trailing comma is malformed.
            if current == nil { return nil }
        }
        return members
    }

    // MARK: Parts

    private mutating func key() -> String? {
        guard let first = current, Self.isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        let name = take { Self.isLowercase($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func innerList() -> StructuredField.Value? {
        guard skip(UInt8(ascii: "(")) else { return nil }
        while true {
            skipSpaces()
            if skip(UInt8(ascii: ")")) { return parameters() ? .other : nil }
            guard item() != nil, current == 0x20 || current == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func item() -> StructuredField.Value? {
        guard let value = bareItem(), parameters() else { return nil }
        return value
    }

    /// Skips the parameters.
    private mutating func parameters() -> Bool {
        while skip(UInt8(ascii: ";")) {
            skipSpaces()
            guard key() != nil else { return false }
            if skip(UInt8(ascii: "=")), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func bareItem() -> StructuredField.Value? {
        guard let first = current else { return nil }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "?"):
            offset += 1
            if skip(UInt8(ascii: "1")) { return .boolean(true) }
            return skip(UInt8(ascii: "0")) ? .boolean(false) : nil
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: ":"):
            offset += 1
            _ = take { Self.isAlphanumeric($0) || "+/=".utf8.contains($0) }
            return skip(UInt8(ascii: ":")) ? .other : nil
        case UInt8(ascii: "@"):
            offset += 1
            if case .integer = number() { return .other }
            return nil
        case UInt8(ascii: "%"): return displayString()
        case UInt8(ascii: "*"),
            _ where Self.isAlphanumeric(first):
            _ = take { Self.isAlphanumeric($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) }
            return .other
        default: return nil
        }
    }

    private mutating func number() -> StructuredField.Value? {
        let isNegative = skip(UInt8(ascii: "-"))
        let digits = take(while: Self.isDigit)
        guard (1...15).contains(digits.count) else { return nil }
        if skip(UInt8(ascii: ".")) {
            let fraction = take(while: Self.isDigit)
            return digits.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
        }
        // Fifteen digits cannot overflow.
        let value = digits.reduce(Int64(0)) { $0 &* 10 &+ Int64($1 &- UInt8(ascii: "0")) }
        return .integer(isNegative ? 0 &- value : value)
    }

    private mutating func string() -> StructuredField.Value? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return .other
            case UInt8(ascii: "\\"):
                guard skip(UInt8(ascii: "\"")) || skip(UInt8(ascii: "\\")) else { return nil }
            case 0x20...0x7E: continue
            default: return nil
            }
        }
        return nil
    }

    private mutating func displayString() -> StructuredField.Value? {
        guard skip(UInt8(ascii: "%")), skip(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self) == nil ? nil : .other
            case UInt8(ascii: "%"):
                guard let high = hexadecimalDigit(), let low = hexadecimalDigit() else { return nil }
                text.append(high &<< 4 | low)
            case 0x20...0x7E: text.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// A digit in lower case (section 3.3.8).
    private mutating func hexadecimalDigit() -> UInt8? {
        guard let byte = current else { return nil }
        offset += 1
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte &- UInt8(ascii: "a") &+ 10
        default: return nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLowercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLowercase(byte | 0x20) }
}

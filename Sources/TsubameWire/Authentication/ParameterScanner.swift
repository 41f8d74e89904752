// ParameterScanner: a position in a field of challenges, credentials or parameters (RFC 9110 sections 5.6 and 11.2).

import TsubameCore

struct ParameterScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    var isAtEnd: Bool { offset >= bytes.count }
    var isAtSpace: Bool { current == 0x20 || current == 0x09 }

    /// Skips white space and commas. A list may have empty elements (RFC 9110 section 5.6.1).
    mutating func skipListSeparators() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") { offset += 1 }
    }

    private mutating func skipSpace() {
        while isAtSpace { offset += 1 }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> String? {
        let start = offset
        while let byte = current, condition(byte) { offset += 1 }
        return start == offset ? nil : String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    mutating func token() -> String? { take(while: Self.tokenBytes.contains) }

    /// Whether the list element ends here. If so, the white space before the comma is skipped.
    mutating func endsElement() -> Bool {
        let start = offset
        skipSpace()
        if isAtEnd || current == UInt8(ascii: ",") { return true }
        offset = start
        return false
    }

    /// A token68 such as `abc==`, if it runs up to the next comma; otherwise the position stays.
    mutating func token68() -> String? {
        let start = offset
        skipSpace()
        if let token = take(while: Self.token68Bytes.contains) {
            let padding = take { $0 == UInt8(ascii: "=") } ?? ""
            if endsElement() { return token + padding }
        }
        offset = start
        return nil
    }

    /// A token in lower case, if `=` follows; the `=` is read, too. Otherwise the position stays.
    mutating func parameterName() -> String? {
        let start = offset
        if let name = token() {
            skipSpace()
            if current == UInt8(ascii: "=") {
                offset += 1
                skipSpace()
                return name.lowercased()
            }
        }
        offset = start
        return nil
    }

    /// A quoted string without its quotes and escapes, or an unquoted value. By the grammar an unquoted value is a
    /// token; in practice it is also base64 or a URL.
    /// - Returns: nil if there is no value, the quote is not closed, or the value holds a control character.
    mutating func parameterValue() -> String? {
        guard current == UInt8(ascii: "\"") else {
            return take { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        }
        offset += 1
        var value: [UInt8] = []
        while var byte = current {
            offset += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { return nil }
                byte = escaped
                offset += 1
            }
            guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else { return nil }
            value.append(byte)
        }
        return nil
    }

    private static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let tokenBytes = ASCIISet(alphanumerics + "!#$%&'*+-.^_`|~")
    private static let token68Bytes = ASCIISet(alphanumerics + "-._~+/")
}

/// A value as a quoted string (RFC 9110 section 5.6.4). The value must not hold control characters.
enum QuotedString {
    static func of(_ value: String) -> String {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        return String(decoding: text + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

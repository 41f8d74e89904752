// MediaType: the value of Content-Type.

/// A media type with its parameters (RFC 9110 section 8.3.1), parsed as leniently as browsers do (WHATWG MIME
/// Sniffing section 4.4).
package struct MediaType: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        /// In lower case.
        package let name: String
        /// Without quotes and escapes.
        package let value: String
    }

    /// The part before the slash, in lower case.
    package let type: String

    /// The part after the slash, in lower case.
    package let subtype: String

    /// In the order of the field; a name may occur twice.
    package let parameters: [Parameter]

    /// nil unless the field begins with two tokens and a slash between them. A malformed parameter is left out. A
    /// quote that is not closed ends with the field.
    package init?(_ field: some StringProtocol) {
        var scanner = FieldScanner(field)
        scanner.skipWhiteSpace()
        guard let type = scanner.token(upTo: UInt8(ascii: "/")), scanner.skip(UInt8(ascii: "/")),
            let subtype = scanner.token(upTo: UInt8(ascii: ";"))
        else { return nil }
        self.type = type
        self.subtype = subtype

        var parameters: [Parameter] = []
        while scanner.skip(UInt8(ascii: ";")) {
            scanner.skipWhiteSpace()
            if let parameter = scanner.parameter() { parameters.append(parameter) }
        }
        self.parameters = parameters
    }

    /// Type and subtype, such as `text/html`.
    package var essence: String { "\(type)/\(subtype)" }

    /// The first value of a parameter; the case of its name does not matter.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// The encoding that the `charset` parameter names; nil if it is unknown. Some servers put the name in single
    /// quotes, which are not quotes in this field; they are left out.
    package var charset: Charset? {
        guard let label = self["charset"] else { return nil }
        guard label.count > 2, label.hasPrefix("'"), label.hasSuffix("'") else { return Charset(label: label) }
        return Charset(label: label.dropFirst().dropLast())
    }
}

/// A position in the bytes of a field's value.
private struct FieldScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ field: some StringProtocol) {
        bytes = Array(field.utf8)
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skipWhiteSpace() {
        while let byte = current, Self.isWhiteSpace(byte) { offset += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    /// The token before `end` or the end of the field, in lower case and without the white space after it.
    /// - Returns: nil if the token is empty or holds a character that a token cannot have.
    mutating func token(upTo end: UInt8) -> String? {
        var token = take { $0 != end }
        while let last = token.last, Self.isWhiteSpace(last) { token.removeLast() }
        guard !token.isEmpty, token.allSatisfy(Self.isTokenByte) else { return nil }
        return String(decoding: token, as: UTF8.self).lowercased()
    }

    /// One parameter, up to the semicolon or the end of the field.
    mutating func parameter() -> MediaType.Parameter? {
        let name = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
        guard skip(UInt8(ascii: "=")) else { return nil }
        var value: ArraySlice<UInt8>
        if current == UInt8(ascii: "\"") {
            value = quotedString()
            _ = take { $0 != UInt8(ascii: ";") }
        } else {
            value = take { $0 != UInt8(ascii: ";") }
            while let last = value.last, Self.isWhiteSpace(last) { value.removeLast() }
            if value.isEmpty { return nil }
        }
        guard !name.isEmpty, name.allSatisfy(Self.isTokenByte), value.allSatisfy(Self.isQuotable) else { return nil }
        return MediaType.Parameter(
            name: String(decoding: name, as: UTF8.self).lowercased(), value: String(decoding: value, as: UTF8.self))
    }

    private mutating func quotedString() -> ArraySlice<UInt8> {
        var value: ArraySlice<UInt8> = []
        offset += 1
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                return value
            case UInt8(ascii: "\\"):
                value.append(current ?? byte)
                if current != nil { offset += 1 }
            default:
                value.append(byte)
            }
        }
        return value
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = offset
        while let byte = current, condition(byte) { offset += 1 }
        return bytes[start..<offset]
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isQuotable(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte >= 0x20 && byte != 0x7F
    }

    /// Whether a token may hold the byte (RFC 9110 section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

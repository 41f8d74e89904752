// FieldDirective: `name`, `name=token` or `name="quoted"`, an element of the lists in many fields.

package struct FieldDirective: Sendable, Hashable {
    /// The name as it stands in the field.
    package let rawName: String
    /// The value without quotes and escapes; nil if there is no `=`.
    package let value: String?

    /// The name in lower case.
    package var name: String { rawName.lowercasedASCII }

    /// The directives of a field; empty elements are skipped.
    /// - Returns: nil if a quote is not closed or an element is malformed.
    package static func parse(_ field: String, separator: Character) -> [FieldDirective]? {
        guard let elements = split(field, at: separator) else { return nil }
        let directives = elements.compactMap { FieldDirective($0) }
        return directives.count == elements.count ? directives : nil
    }

    /// The elements between separators, without surrounding white space and without empty elements. A separator in
    /// quotes does not separate.
    /// - Returns: nil if a quote is not closed.
    package static func split(_ field: String, at separator: Character) -> [String]? {
        guard let separator = separator.asciiValue else { return nil }
        var elements: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in field.utf8 {
            if !isQuoted, byte == separator {
                elements.append([])
                continue
            }
            elements[elements.count - 1].append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            }
        }
        guard !isQuoted else { return nil }
        return elements.map { String(decoding: trimmed($0), as: UTF8.self) }.filter { !$0.isEmpty }
    }

    /// nil if the element is not a directive.
    package init?(_ element: String) {
        let bytes = Array(element.utf8)
        let name = Self.trimmed(Array(bytes.prefix { $0 != UInt8(ascii: "=") }))
        guard !name.isEmpty, name.allSatisfy(Self.isToken) else { return nil }
        rawName = String(decoding: name, as: UTF8.self)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            value = nil
            return
        }
        let rest = Self.trimmed(Array(bytes[(equals + 1)...]))
        guard rest.first == UInt8(ascii: "\"") else {
            guard rest.allSatisfy(Self.isToken) else { return nil }
            value = String(decoding: rest, as: UTF8.self)
            return
        }
        guard let text = Self.unquoted(rest) else { return nil }
        value = text
    }

    /// A quoted string (RFC 9110 section 5.6.4) without quotes and escapes; nil unless the closing quote is the last
    /// byte.
    private static func unquoted(_ bytes: [UInt8]) -> String? {
        var text: [UInt8] = []
        var isEscaped = false
        for (index, byte) in bytes.enumerated().dropFirst() {
            if isEscaped {
                text.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return index == bytes.count - 1 ? String(decoding: text, as: UTF8.self) : nil
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    /// Whether a token may hold the byte (RFC 9110 section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

// JSONParts: the members of a JSON object or the elements of an array, with their text as written.

/// One level of checked JSON text. The initialiser returns nil for anything but an object or an array.
package enum JSONParts {
    case object([(name: String, value: String)])
    case array([String])

    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        switch bytes.first {
        case UInt8(ascii: "{"):
            self = .object(
                Self.split(bytes).map { part in
                    let end = Self.endOfString(part) ?? part.startIndex
                    let value = part[end...].drop { Self.isBlank($0) || $0 == UInt8(ascii: ":") }
                    return (Self.name(part[part.startIndex..<end]), String(decoding: value, as: UTF8.self))
                })
        case UInt8(ascii: "["):
            self = .array(Self.split(bytes).map { String(decoding: $0, as: UTF8.self) })
        default: return nil
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// The texts between the outermost commas, without white space around them.
    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (depth, start, isInString, isEscaped) = (0, 1, false, false)
        for (offset, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0, start <= offset { parts.append(trimmed(bytes[start..<offset])) }
            case UInt8(ascii: ",") where depth == 1:
                parts.append(trimmed(bytes[start..<offset]))
                start = offset + 1
            default: break
            }
        }
        // `{}` and `[]` give one empty part, and checked JSON has no other.
        return parts.filter { !$0.isEmpty }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// The position after the closing quote of the string at the start of `part`.
    private static func endOfString(_ part: ArraySlice<UInt8>) -> Int? {
        var isEscaped = false
        for offset in part.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if part[offset] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if part[offset] == UInt8(ascii: "\"") {
                return offset + 1
            }
        }
        return nil
    }

    /// The text that a JSON string stands for.
    package static func text(ofString quoted: String) -> String { name(Array(quoted.utf8)[...]) }

    private static func name(_ quoted: ArraySlice<UInt8>) -> String {
        let inner = quoted.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        // `\u` escapes are UTF-16 units, and two of them may form one character.
        var units: [UInt16] = []
        var rest = Array(String(decoding: inner, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let letter = rest.popFirst() else {
                units.append(unit)
                continue
            }
            switch letter {
            case 0x62: units.append(0x08)
            case 0x66: units.append(0x0C)
            case 0x6E: units.append(0x0A)
            case 0x72: units.append(0x0D)
            case 0x74: units.append(0x09)
            case 0x75:
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)
                rest = rest.dropFirst(4)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
            default: units.append(letter)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}

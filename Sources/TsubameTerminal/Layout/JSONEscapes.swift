// JSONEscapes: writes the escapes of a JSON string as the characters that they mean.

/// `"\u71d5"` becomes `"燕"`, and `"\/"` becomes `"/"`. An escape stays where its character could not be seen or told from
/// another: controls, quotes, backslashes, unusual spaces, format and unassigned characters, and halves of a surrogate
/// pair. The result means the same as the original (RFC 8259 section 7).
struct JSONEscapes: Sendable {
    /// The bytes of escapes that are not complete: `\`, `\u71`, or the first half of a pair and what follows it.
    private var held: [UInt8] = []
    /// Whether nothing of the string has been written. A combining mark would be drawn over the quote.
    private var isAtStart = true
    /// The first half of a surrogate pair.
    private var high: UInt32?

    /// Takes a byte after the opening quote of a string.
    /// - Returns: whether the byte is the closing quote.
    mutating func take(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        if held.isEmpty {
            if byte == UInt8(ascii: "\\") {
                held = [byte]
                return false
            }
            output.append(byte)
            isAtStart = byte == UInt8(ascii: "\"")
            return isAtStart
        }
        let position = high == nil ? held.count : held.count - Self.length
        if high != nil, position == 0 {
            // The second half must follow at once.
            guard byte == UInt8(ascii: "\\") else {
                finish(into: &output)
                return take(byte, into: &output)
            }
            held.append(byte)
        } else if position == 1 {
            takeLetter(byte, &output)
        } else if Self.value(byte) == nil {
            // This is not an escape of JSON.
            finish(into: &output)
            return take(byte, into: &output)
        } else {
            takeDigit(byte, at: position, &output)
        }
        return false
    }

    /// Writes what is held of an escape that is not complete.
    mutating func finish(into output: inout [UInt8]) {
        output.append(contentsOf: held)
        held = []
        high = nil
        isAtStart = false
    }

    /// The number of bytes of `\u71d5`.
    private static let length = 6

    private mutating func takeLetter(_ letter: UInt8, _ output: inout [UInt8]) {
        if letter == UInt8(ascii: "u") { return held.append(letter) }
        held.removeLast()
        finish(into: &output)
        output.append(contentsOf: letter == UInt8(ascii: "/") ? [letter] : [UInt8(ascii: "\\"), letter])
    }

    private mutating func takeDigit(_ digit: UInt8, at position: Int, _ output: inout [UInt8]) {
        held.append(digit)
        guard position == Self.length - 1 else { return }
        let unit = held.suffix(4).reduce(0) { $0 << 4 | (Self.value($1) ?? 0) }
        if let first = high {
            guard (0xDC00...0xDFFF).contains(unit) else {
                // Another escape follows a half without its pair.
                output.append(contentsOf: held.prefix(Self.length))
                held.removeFirst(Self.length)
                high = nil
                return show(unit, &output)
            }
            high = nil
            return show(0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00), &output)
        }
        show(unit, &output)
    }

    private mutating func show(_ code: UInt32, _ output: inout [UInt8]) {
        if (0xD800...0xDBFF).contains(code) { return high = code }
        if let scalar = Unicode.Scalar(code), isVisible(scalar) {
            output.append(contentsOf: String(Character(scalar)).utf8)
        } else {
            output.append(contentsOf: held)
        }
        held = []
        isAtStart = false
    }

    private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ": return true
        // The last is an empty cell of Braille.
        case "\"", "\\", "\u{2800}": return false
        default: break
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        case .nonspacingMark, .spacingMark, .enclosingMark: !isAtStart
        default: true
        }
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case 0x30...0x39: UInt32(digit - 0x30)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(digit - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

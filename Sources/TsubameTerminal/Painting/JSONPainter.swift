// JSONPainter: names, strings, numbers and words of JSON (RFC 8259).

/// Takes anything: of what is no JSON, strings and numbers are still found where they look like some.
package struct JSONPainter: Painter {
    private enum Place {
        case outside, string, escape, word
    }

    /// Deeper, names are taken for strings.
    private static let maximumDepth = 10_000

    private var place = Place.outside
    /// Of the open objects and arrays, whether it is an object.
    private var objects: [Bool] = []
    private var skippedDepth = 0
    /// Whether the next string of an object is a member's name.
    private var expectsName = false
    private var role = Role.string
    /// Digits of `\u0000` that are still to come.
    private var digits = 0

    package init() {}

    package mutating func paint(_ input: some Sequence<UInt8>, on canvas: inout Canvas) {
        for byte in input { take(byte, &canvas) }
    }

    private mutating func take(_ byte: UInt8, _ canvas: inout Canvas) {
        switch place {
        case .string:
            if digits > 0 {
                digits -= 1
                if Self.isHexDigit(byte) { return canvas.write(byte, .escape) }
                digits = 0
            }
            switch byte {
            case UInt8(ascii: "\\"):
                place = .escape
                canvas.write(byte, .escape)
            case UInt8(ascii: "\""):
                place = .outside
                canvas.write(byte, role)
            default: canvas.write(byte, role)
            }
        case .escape:
            place = .string
            if byte == UInt8(ascii: "u") { digits = 4 }
            canvas.write(byte, byte < 0x80 ? .escape : role)
        case .word:
            if Self.isWordByte(byte) { return canvas.write(byte, role) }
            place = .outside
            structure(byte, &canvas)
        case .outside: structure(byte, &canvas)
        }
    }

    private mutating func structure(_ byte: UInt8, _ canvas: inout Canvas) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            if objects.count < Self.maximumDepth { objects.append(isObject) } else { skippedDepth &+= 1 }
            expectsName = isObject && skippedDepth == 0
            canvas.write(byte, .punctuation)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if skippedDepth > 0 { skippedDepth &-= 1 } else { _ = objects.popLast() }
            expectsName = false
            canvas.write(byte, .punctuation)
        case UInt8(ascii: ","):
            expectsName = skippedDepth == 0 && objects.last == true
            canvas.write(byte, .punctuation)
        case UInt8(ascii: ":"):
            expectsName = false
            canvas.write(byte, .punctuation)
        case UInt8(ascii: "\""):
            place = .string
            role = expectsName ? .name : .string
            canvas.write(byte, role)
        case UInt8(ascii: "-"), 0x30...0x39:
            place = .word
            role = .number
            canvas.write(byte, role)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            place = .word
            role = .literal
            canvas.write(byte, role)
        default:
            // A word that is none of JSON's is painted as one, so that the letters within are not.
            if Self.isWordByte(byte) || byte >= 0x80 {
                place = .word
                role = .plain
            }
            canvas.write(byte, .plain)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }
}

// JSONPainter: paints the names, strings, numbers and literals of JSON (RFC 8259).

/// Accepts any text. Outside JSON it still paints what looks like a string or a number.
package struct JSONPainter: Painter {
    private enum Place {
        case outside, string, escape, word
        /// In a word that has begun like `true`, `false` or `null`.
        case literal
    }

    private static let literals = ["true", "false", "null"].map { Array($0.utf8) }

    /// At deeper nesting, names are painted as strings.
    private static let maximumDepth = 10_000

    private var place = Place.outside
    /// For each open object or array, whether it is an object.
    private var objects: [Bool] = []
    private var skippedDepth = 0
    /// Whether the next string of an object is a member's name.
    private var expectsName = false
    private var role = Role.string
    /// The digits of an escape such as `\u0000` that must still follow.
    private var digits = 0
    /// The bytes read of a literal, and the whole literal.
    private var held: [UInt8] = []
    private var literal: [UInt8] = []

    package init() {}

    package mutating func paint(_ input: [UInt8], on canvas: inout Canvas) {
        for byte in input { take(byte, &canvas) }
    }

    package mutating func finish(on canvas: inout Canvas) { release(&canvas) }

    private mutating func release(_ canvas: inout Canvas) {
        canvas.write(held, held == literal ? .literal : .plain)
        held = []
    }

    mutating func take(_ byte: UInt8, _ canvas: inout Canvas) {
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
        case .literal:
            if held.count < literal.count, byte == literal[held.count] { return held.append(byte) }
            let isWord = Self.isWordByte(byte)
            if isWord { literal = [] }
            release(&canvas)
            place = isWord ? .word : .outside
            role = .plain
            take(byte, &canvas)
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
            place = .literal
            literal = Self.literals.first { $0.first == byte } ?? []
            held = [byte]
        default:
            // A word that is not JSON is painted as a whole, so that its letters do not begin a literal.
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

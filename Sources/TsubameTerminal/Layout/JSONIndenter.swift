// JSONIndenter: indents JSON byte by byte as it arrives.

/// Adds line ends and indentation where JSON has its structure, and removes the original white space. Escapes of visible
/// characters become these characters. Nothing else changes: order, numbers and duplicate names stay. A prefix against
/// inclusion as a script (``JSONPrefix``) stays before the JSON. Other text that is no JSON object, array or string passes
/// unchanged, and so does everything after the first byte that is not JSON.
package struct JSONIndenter: Layout {
    /// Deeper levels are not indented further, so that a page of brackets does not turn into a gigabyte of spaces.
    private static let maximumIndentation = 64
    /// After deeper nesting nothing is changed any more, so that endless brackets do not need endless memory. The same
    /// applies after too much white space without a value.
    private static let maximumDepth = 10_000
    private static let maximumBlanks = 64 << 10
    private static let maximumPrefix = 64

    private enum Place {
        /// Before the first value, or between two values.
        case outside
        /// In text that may be a prefix of the first value.
        case prefix
        /// Directly after `{` or `[`.
        case opened
        /// After `,` or `:`, where a value or a name must follow.
        case expecting
        /// In a number or a literal.
        case word
        /// After a value.
        case behind
        case string
        /// From here on nothing is changed.
        case verbatim
    }

    private var place = Place.outside
    /// The brackets that will close the open objects and arrays.
    private var closers: [UInt8] = []
    /// White space that is kept in case no JSON follows.
    private var blanks: [UInt8] = []
    private var prefix: [UInt8] = []
    private var isFirst = true
    /// Whether the value before was a string alone. Text of another kind may go on after it.
    private var isBehindText = false
    private var escapes = JSONEscapes()
    /// The number of spaces for each level.
    private let indent: Int
    /// Whether the end of a value's line is shown as soon as it arrives.
    private let endsLines: Bool

    /// - Parameters:
    ///   - isLines: whether each value has its own line, as in JSON lines. The line's end is then shown when it arrives,
    ///     not with the next value.
    ///   - indent: the number of spaces for each level.
    package init(isLines: Bool = false, indent: Int = LayoutStyle().jsonIndent) {
        endsLines = isLines
        self.indent = indent
    }

    package mutating func lay(_ input: [UInt8], into output: inout [UInt8]) {
        for byte in input { take(byte, &output) }
    }

    package mutating func finish(into output: inout [UInt8]) {
        if place == .outside, isFirst { output.append(contentsOf: blanks) }
        output.append(contentsOf: prefix)
        escapes.finish(into: &output)
        (blanks, prefix) = ([], [])
    }

    mutating func take(_ byte: UInt8, _ output: inout [UInt8]) {
        switch place {
        case .verbatim:
            output.append(byte)
        case .string:
            guard escapes.take(byte, into: &output) else { return }
            if closers.isEmpty { endValue(isText: true) } else { place = .behind }
        case .prefix: takePrefix(byte, &output)
        case .outside, .opened, .expecting, .word, .behind:
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                if place == .outside { keep(byte, &output) }
                if place == .word { place = .behind }
            } else {
                structure(byte, &output)
            }
        }
    }

    private mutating func keep(_ blank: UInt8, _ output: inout [UInt8]) {
        if endsLines, blank == 0x0A, !isFirst {
            output.append(blank)
            isFirst = true
            blanks = []
        } else if blanks.count < Self.maximumBlanks {
            blanks.append(blank)
        } else {
            giveUp(blank, &output)
        }
    }

    private mutating func takePrefix(_ byte: UInt8, _ output: inout [UInt8]) {
        let isBlank = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard JSONPrefix.isWhole(prefix) else { fallthrough }
            output.append(contentsOf: prefix)
            prefix = []
            place = .outside
            structure(byte, &output)
        default:
            prefix.append(byte)
            guard !JSONPrefix.canBegin(prefix), !isBlank || prefix.count > Self.maximumPrefix else { return }
            output.append(contentsOf: prefix)
            prefix = []
            place = .verbatim
        }
    }

    private mutating func structure(_ byte: UInt8, _ output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard closers.count < Self.maximumDepth, begin(&output) else { return giveUp(byte, &output) }
            output.append(byte)
            closers.append(byte &+ 2)
            place = .opened
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard closers.last == byte, place != .expecting else { return giveUp(byte, &output) }
            closers.removeLast()
            if place != .opened { breakLine(&output) }
            output.append(byte)
            if closers.isEmpty { endValue() } else { place = .behind }
        case UInt8(ascii: ","):
            guard place == .word || place == .behind else { return giveUp(byte, &output) }
            output.append(byte)
            breakLine(&output)
            place = .expecting
        case UInt8(ascii: ":"):
            guard place == .behind else { return giveUp(byte, &output) }
            output.append(contentsOf: [byte, 0x20])
            place = .expecting
        case UInt8(ascii: "\""):
            guard begin(&output) else { return giveUp(byte, &output) }
            output.append(byte)
            place = .string
        default:
            if place == .outside, isFirst, JSONPrefix.canBegin([byte]) {
                output.append(contentsOf: blanks)
                (blanks, prefix, place) = ([], [byte], .prefix)
                return
            }
            if place != .word {
                guard place != .outside, Self.beginsWord(byte), begin(&output) else { return giveUp(byte, &output) }
            }
            output.append(byte)
            place = .word
        }
    }

    private mutating func endValue(isText: Bool = false) {
        (place, isFirst, blanks, isBehindText) = (.outside, false, [], isText)
    }

    /// Whether the byte begins a number, `true`, `false` or `null`.
    private static func beginsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): true
        default: false
        }
    }

    /// Writes the white space before a value; false where JSON allows no value.
    private mutating func begin(_ output: inout [UInt8]) -> Bool {
        switch place {
        case .outside where !isFirst:
            output.append(0x0A)
            return true
        case .opened:
            breakLine(&output)
            return true
        case .outside, .expecting:
            return true
        case .word, .behind, .string, .prefix, .verbatim:
            return false
        }
    }

    private func breakLine(_ output: inout [UInt8]) {
        output.append(0x0A)
        output.append(
            contentsOf: repeatElement(0x20, count: indent * min(closers.count, Self.maximumIndentation)))
    }

    private mutating func giveUp(_ byte: UInt8, _ output: inout [UInt8]) {
        if place == .outside {
            output.append(contentsOf: !isFirst && blanks.isEmpty && !isBehindText ? [0x0A] : blanks)
        } else if place == .behind {
            output.append(0x20)
        }
        output.append(byte)
        place = .verbatim
    }
}

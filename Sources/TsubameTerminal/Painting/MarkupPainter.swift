// MarkupPainter: paints the tags, attributes, comments and references of XML and HTML.

/// It validates nothing: everything that looks like a tag is painted as a tag.
package struct MarkupPainter: Painter {
    private enum Place {
        case text, reference
        /// After `<`, until the construct is known.
        case opening
        case tagName, inTag, attributeName, beforeValue, value
        case quoted(UInt8)
        case comment, section, instruction, declaration
        /// In an HTML element whose content is not markup.
        case raw
    }

    /// The length of `<![CDATA[`, the longest opening.
    private static let longestOpening = 9
    private static let rawElements = ["script", "style", "textarea", "title"]

    private let isHTML: Bool
    private var place = Place.text
    /// Bytes whose meaning depends on the next bytes.
    private var held: [UInt8] = []
    /// The last bytes, for ends such as `-->`.
    private var last: (UInt8, UInt8) = (0, 0)
    private var depth = 0
    private var name: [UInt8] = []
    private var isEnd = false
    /// The end tag that ends ``Place/raw``, without its `>`.
    private var rawEnd: [UInt8] = []

    package init(isHTML: Bool) { self.isHTML = isHTML }

    package mutating func paint(_ input: [UInt8], on canvas: inout Canvas) {
        for byte in input { take(byte, &canvas) }
    }

    package mutating func finish(on canvas: inout Canvas) {
        canvas.write(held, .plain)
        held = []
    }

    private mutating func take(_ byte: UInt8, _ canvas: inout Canvas) {
        switch place {
        case .text:
            if byte == UInt8(ascii: "<") {
                held = [byte]
                place = .opening
            } else {
                if byte == UInt8(ascii: "&") { place = .reference }
                canvas.write(byte, byte == UInt8(ascii: "&") ? .escape : .plain)
            }
        case .reference:
            if Self.isNameByte(byte) || byte == UInt8(ascii: "#") { return canvas.write(byte, .escape) }
            place = .text
            if byte == UInt8(ascii: ";") { canvas.write(byte, .escape) } else { take(byte, &canvas) }
        case .opening: open(byte, &canvas)
        case .tagName, .inTag, .attributeName, .beforeValue, .value, .quoted: inTag(byte, &canvas)
        case .comment: until("--", byte, &canvas)
        case .section: until("]]", byte, &canvas)
        case .instruction:
            canvas.write(byte, .comment)
            if byte == UInt8(ascii: ">"), isHTML || last.1 == UInt8(ascii: "?") { place = .text }
            last = (last.1, byte)
        case .declaration:
            canvas.write(byte, .comment)
            if byte == UInt8(ascii: "[") { depth &+= 1 }
            if byte == UInt8(ascii: "]") { depth = max(0, depth &- 1) }
            if byte == UInt8(ascii: ">"), depth == 0 || isHTML { place = .text }
        case .raw: raw(byte, &canvas)
        }
    }

    // MARK: Beginnings and ends

    /// Decides which construct the bytes after `<` begin.
    private mutating func open(_ byte: UInt8, _ canvas: inout Canvas) {
        held.append(byte)
        if held.count == 2 {
            switch byte {
            case UInt8(ascii: "?"): return begin(.instruction, .comment, &canvas)
            case UInt8(ascii: "!"): return
            case UInt8(ascii: "/"): return begin(.tagName, .punctuation, &canvas, isEnd: true)
            case _ where Self.isNameByte(byte) || byte >= 0x80:
                held.removeLast()
                begin(.tagName, .punctuation, &canvas)
                return take(byte, &canvas)
            default:
                // A `<` in text; the next byte may be another one.
                held.removeLast()
                begin(.text, .plain, &canvas)
                return take(byte, &canvas)
            }
        }
        if held.elementsEqual("<!--".utf8) { return begin(.comment, .comment, &canvas) }
        if held.elementsEqual("<![CDATA[".utf8) { return begin(.section, .comment, &canvas) }
        let isOpen = "<!--".utf8.starts(with: held) || "<![CDATA[".utf8.starts(with: held)
        if !isOpen || held.count > Self.longestOpening {
            held.removeLast()
            begin(.declaration, .comment, &canvas)
            take(byte, &canvas)
        }
    }

    private mutating func begin(_ next: Place, _ role: Role, _ canvas: inout Canvas, isEnd: Bool = false) {
        canvas.write(held, role)
        held = []
        name = []
        depth = 0
        last = (0, 0)
        self.isEnd = isEnd
        place = next
    }

    /// Continues until `>` after two bytes of `mark`.
    private mutating func until(_ mark: StaticString, _ byte: UInt8, _ canvas: inout Canvas) {
        let end: UInt8 = mark.withUTF8Buffer { $0.first ?? 0 }
        let isSection = end == UInt8(ascii: "]")
        canvas.write(byte, isSection ? .plain : .comment)
        if byte == UInt8(ascii: ">"), last == (end, end) { place = .text }
        last = (last.1, byte)
    }

    // MARK: Tags

    private mutating func inTag(_ byte: UInt8, _ canvas: inout Canvas) {
        if case .quoted(let quote) = place {
            canvas.write(byte, .string)
            if byte == quote { place = .inTag }
            return
        }
        if byte == UInt8(ascii: ">") { return endTag(&canvas) }
        let isBlank = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x0C
        switch place {
        case .tagName where !isBlank && byte != UInt8(ascii: "/"):
            if name.count < 16 { name.append(byte | 0x20) }
            canvas.write(byte, .tag)
        case .attributeName where byte == UInt8(ascii: "="):
            place = .beforeValue
            canvas.write(byte, .punctuation)
        case .beforeValue where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"):
            place = .quoted(byte)
            canvas.write(byte, .string)
        case .beforeValue where !isBlank, .value where !isBlank:
            place = .value
            canvas.write(byte, .string)
        case .beforeValue:
            canvas.write(byte, .plain)
        case .attributeName where !isBlank && byte != UInt8(ascii: "/"):
            canvas.write(byte, .attribute)
        default:
            if isBlank || byte == UInt8(ascii: "/") {
                // `a = "b"` is an attribute as well.
                if case .attributeName = place, isBlank {} else { place = .inTag }
                canvas.write(byte, isBlank ? .plain : .punctuation)
            } else {
                place = .attributeName
                canvas.write(byte, .attribute)
            }
        }
    }

    private mutating func endTag(_ canvas: inout Canvas) {
        canvas.write(UInt8(ascii: ">"), .punctuation)
        place = .text
        guard isHTML, !isEnd, Self.rawElements.contains(where: { $0.utf8.elementsEqual(name) }) else { return }
        rawEnd = Array("</".utf8) + name
        place = .raw
    }

    private mutating func raw(_ byte: UInt8, _ canvas: inout Canvas) {
        let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        if held.count < rawEnd.count, lower == rawEnd[held.count] {
            held.append(byte)
            guard held.count == rawEnd.count else { return }
            canvas.write(held.prefix(2), .punctuation)
            canvas.write(held.dropFirst(2), .tag)
            held = []
            (place, isEnd) = (.inTag, true)
        } else if held.isEmpty {
            canvas.write(byte, .plain)
        } else {
            canvas.write(held, .plain)
            held = []
            raw(byte, &canvas)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

// HTMLIndenter: puts HTML tags on lines of their own where white space is not shown.

/// Line ends are added only between two tags of blocks (such as `div`, `ul`, `head`) with only white space between
/// them, where browsers show none. Text, inline tags and comments keep every byte, and so does the content of `pre`,
/// `textarea`, `script` and `style`. End tags may be missing.
package struct HTMLIndenter: Layout {
    private enum Place {
        case text
        /// After `<`, until the name is known.
        case opening
        case tag
        case quoted(UInt8)
        case comment
        case raw
    }

    private static let width = 2
    private static let maximumIndentation = 32
    private static let maximumDepth = 1000
    private static let maximumBlanks = 4096
    private static let longestName = 16

    private var place = Place.text
    /// The bytes of a tag read so far, up to the end of its name.
    private var held: [UInt8] = []
    /// White space after a block's tag.
    private var blanks: [UInt8] = []
    private var isBehindBlock = true
    private var isFirst = true
    private var isBehindStart = false
    private var name = ""
    private var isEnd = false
    private var open: [String] = []
    private var last: (UInt8, UInt8) = (0, 0)
    private var rawEnd: [UInt8] = []
    private var matched = 0

    package init() {}

    package mutating func lay(_ input: [UInt8], into output: inout [UInt8]) {
        for byte in input { take(byte, &output) }
    }

    package mutating func finish(into output: inout [UInt8]) {
        release(&output)
        output.append(contentsOf: held)
        held = []
    }

    private mutating func release(_ output: inout [UInt8]) {
        output.append(contentsOf: blanks)
        blanks = []
        isBehindBlock = false
    }

    private mutating func take(_ byte: UInt8, _ output: inout [UInt8]) {
        switch place {
        case .text:
            if byte == UInt8(ascii: "<") {
                held = [byte]
                place = .opening
            } else if isBehindBlock, Self.isBlank(byte), blanks.count < Self.maximumBlanks {
                blanks.append(byte)
            } else {
                release(&output)
                output.append(byte)
            }
        case .opening: opening(byte, &output)
        case .tag:
            output.append(byte)
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), !isEnd { place = .quoted(byte) }
            if byte == UInt8(ascii: ">") { endTag() }
        case .quoted(let quote):
            output.append(byte)
            if byte == quote { place = .tag }
        case .comment:
            output.append(byte)
            if byte == UInt8(ascii: ">"), last == (UInt8(ascii: "-"), UInt8(ascii: "-")) { place = .text }
            last = (last.1, byte)
        case .raw:
            output.append(byte)
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            matched = matched < rawEnd.count && lower == rawEnd[matched] ? matched + 1 : lower == rawEnd.first ? 1 : 0
            if matched == rawEnd.count {
                (place, isEnd, isBehindStart) = (.tag, true, false)
                close(name)
            }
        }
    }

    private mutating func opening(_ byte: UInt8, _ output: inout [UInt8]) {
        let isLetter = (0x61...0x7A).contains(byte | 0x20)
        let isInName = isLetter || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        switch held.count {
        case 1 where isLetter || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!"):
            held.append(byte)
        case 1:
            // A `<` in text.
            release(&output)
            output.append(contentsOf: held)
            held = []
            place = .text
            take(byte, &output)
        case _ where isInName && held.count < Self.longestName + 2:
            held.append(byte)
            if held.elementsEqual("<!--".utf8) {
                release(&output)
                output.append(contentsOf: held)
                held = []
                last = (0, 0)
                place = .comment
            }
        default:
            beginTag(&output)
            take(byte, &output)
        }
    }

    private mutating func beginTag(_ output: inout [UInt8]) {
        isEnd = held.dropFirst().first == UInt8(ascii: "/")
        name = String(decoding: held.dropFirst(isEnd ? 2 : 1).map { $0 | 0x20 }, as: UTF8.self)
        if held.dropFirst().first == UInt8(ascii: "!") { name = "!" }
        if Self.blocks.contains(name) {
            if isEnd { close(name) } else { closeImplied(by: name) }
            let isEmpty = isEnd && isBehindStart && blanks.isEmpty
            if isBehindBlock, !isEmpty {
                blanks = []
                if !isFirst { breakLine(&output) }
            } else {
                release(&output)
            }
        } else {
            release(&output)
        }
        isFirst = false
        output.append(contentsOf: held)
        held = []
        place = .tag
    }

    private mutating func endTag() {
        place = .text
        isBehindBlock = Self.blocks.contains(name)
        isBehindStart = isBehindBlock && !isEnd
        guard !isEnd else { return }
        if isBehindBlock, !Self.voids.contains(name), open.count < Self.maximumDepth { open.append(name) }
        if Self.raws.contains(name) {
            rawEnd = Array("</\(name)".utf8)
            matched = 0
            place = .raw
        }
    }

    // MARK: Elements

    private mutating func close(_ name: String) {
        guard let index = open.lastIndex(of: name) else { return }
        open.removeSubrange(index...)
    }

    /// Closes elements whose end tags may be omitted (HTML section 13.1.2.4).
    private mutating func closeImplied(by name: String) {
        switch (open.last, name) {
        case ("p", _), ("li", "li"), ("dt", "dt"), ("dt", "dd"), ("dd", "dt"), ("dd", "dd"), ("tr", "tr"),
            ("td", "td"), ("td", "th"), ("th", "td"), ("th", "th"), ("head", "body"):
            open.removeLast()
        case ("td", "tr"), ("th", "tr"): open.removeLast(min(2, open.count))
        default: break
        }
    }

    private func breakLine(_ output: inout [UInt8]) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: Self.width * min(open.count, Self.maximumIndentation)))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    private static let raws: Set = ["pre", "textarea", "script", "style"]
    private static let voids: Set = ["!", "base", "col", "hr", "link", "meta"]
    private static let blocks: Set = [
        "!", "html", "head", "body", "title", "meta", "base", "link", "script", "style", "noscript", "template",
        "address",
        "article", "aside", "blockquote", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "div",
        "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary",
        "table",
        "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]
}

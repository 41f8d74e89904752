// XMLIndenter: indents XML where that does not change its meaning.

/// Whether an element contains text as well as elements is known only at its end. So a document is kept until it is
/// complete, and a document of more than ``limit`` bytes passes unchanged. White space changes only between the tags of
/// elements that contain only elements. Text, CDATA, comments, and elements with `xml:space` keep every byte. From the
/// first part that is not well-formed, nothing changes.
package struct XMLIndenter: Layout {
    /// The largest document that is indented, in bytes.
    package static let limit = 4 << 20
    private static let maximumIndentation = 64
    /// The largest growth by indentation, as a factor. More would not be readable text.
    private static let maximumGrowth = 8

    private var document: [UInt8] = []
    private var isTooLong = false

    /// The number of spaces for each level.
    private let indent: Int

    package init(indent: Int = LayoutStyle().xmlIndent) { self.indent = indent }

    package mutating func lay(_ input: [UInt8], into output: inout [UInt8]) {
        guard !isTooLong else { return output.append(contentsOf: input) }
        document.append(contentsOf: input)
        guard document.count > Self.limit else { return }
        isTooLong = true
        output.append(contentsOf: document)
        document = []
    }

    package mutating func finish(into output: inout [UInt8]) {
        let tokens = XMLScanner.tokens(of: document)
        /// For each open element, whether its white space is kept.
        var kept: [Bool] = []
        var hasOutput = false
        var end = tokens.last?.range.upperBound ?? 0
        let most = output.count + (document.count + 4096) * Self.maximumGrowth
        for token in tokens {
            guard output.count < most else {
                end = token.range.lowerBound
                break
            }
            let keeps = kept.last ?? false
            let bytes = document[token.range]
            switch token.kind {
            case .blank where keeps || token.range.upperBound == end && end < document.count:
                output.append(contentsOf: bytes)
            case .blank: continue
            case .start:
                if !keeps, hasOutput { breakLine(kept.count, &output) }
                output.append(contentsOf: bytes)
                kept.append(keeps || token.isMixed || !token.hasChildren)
            case .end:
                _ = kept.popLast()
                if !keeps { breakLine(kept.count, &output) }
                output.append(contentsOf: bytes)
            case .empty, .other:
                if !keeps, hasOutput { breakLine(kept.count, &output) }
                output.append(contentsOf: bytes)
            case .text, .section: output.append(contentsOf: bytes)
            }
            hasOutput = true
        }
        output.append(contentsOf: document[end...])
        document = []
    }

    private func breakLine(_ depth: Int, _ output: inout [UInt8]) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: indent * min(depth, Self.maximumIndentation)))
    }
}

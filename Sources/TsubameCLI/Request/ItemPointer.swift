// ItemPointer: marks the wrong part of an item in an error text.

import TsubameTerminal

extension UsageProblem {
    /// The error text, the item as it was typed, and marks below a part of the item.
    /// - Parameter range: the marked part, in bytes. An empty range, or one beyond the end, marks one column.
    init(_ text: String, in word: String, at range: Range<Int>) {
        let bytes = Array(word.utf8)
        let start = min(max(range.lowerBound, 0), bytes.count)
        let end = min(max(range.upperBound, start), bytes.count)
        let before = DisplayWidth.of(OneLine.printable(String(decoding: bytes[..<start], as: UTF8.self)))
        let marks = max(1, DisplayWidth.of(OneLine.printable(String(decoding: bytes[start..<end], as: UTF8.self))))
        self.init(
            "\(text)\n  \(OneLine.printable(word))\n"
                + "  \(String(repeating: " ", count: before))\(String(repeating: "^", count: marks))")
    }
}

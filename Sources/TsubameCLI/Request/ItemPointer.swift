// ItemPointer: a mark below the place of an item where it is wrong.
#if Tool
import TsubameTerminal

extension UsageProblem {
    /// What is wrong, the item as it was typed, and marks below a part of it.
    /// - Parameter range: in bytes; an empty one, or one that reaches beyond the end, marks one column.
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

#endif

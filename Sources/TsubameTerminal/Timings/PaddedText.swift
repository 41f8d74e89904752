// PaddedText: text for a column of a table.

extension String {
    /// The text padded with blanks to `abs(width)` characters: after the text, or before it if the width is negative.
    package func padded(to width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? blanks + self : self + blanks
    }
}

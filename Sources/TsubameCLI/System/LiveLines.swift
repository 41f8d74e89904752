// LiveLines: lines at the foot of a terminal that are drawn again and again.

/// Writes to the standard error. The owner makes sure that nothing else writes there meanwhile.
struct LiveLines: Sendable {
    /// The number of lines that are drawn now. The cursor is at the end of the last one.
    private var drawn = 0

    /// Removes the drawn lines.
    mutating func clear() {
        guard drawn > 0 else { return }
        let up = drawn > 1 ? "\u{1B}[\(drawn - 1)A" : ""
        write("\r\(up)\u{1B}[J")
        drawn = 0
    }

    /// Removes the drawn lines, and draws others. `text` ends without a line end.
    mutating func draw(_ text: String, lines: Int) {
        clear()
        write(text)
        drawn = lines
    }

    private func write(_ text: String) { try? Descriptor.errors.writeAll(text) }
}

// OneLine: shows typed text on one line.

/// Text that the user typed, in a form that can be printed.
enum OneLine {
    /// The text on one line. A control character becomes its symbol, which takes one column.
    static func printable(_ text: String) -> String {
        var result = ""
        for character in text {
            for scalar in character.unicodeScalars {
                let sign = scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) : nil
                result.unicodeScalars.append(scalar.value == 0x7F ? "\u{2421}" : sign ?? scalar)
            }
        }
        return result
    }
}

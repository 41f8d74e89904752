// OneLine: text in which nothing ends a line.
#if Tool

/// What was typed, as it can be shown again.
enum OneLine {
    /// On one line: a control character becomes the sign for it, which takes one column.
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

#endif

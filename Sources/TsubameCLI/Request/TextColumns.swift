// TextColumns: text as a terminal shows it: on one line, and so many columns wide.
#if Tool

/// How much room text takes in a terminal.
enum TextColumns {
    /// As most terminals count: ideographs and their like take two columns, marks that combine none of their own.
    static func count(_ text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

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

    private static func width(of character: Character) -> Int {
        if character == "\r\n" { return 2 }
        guard let scalar = character.unicodeScalars.first?.value else { return 0 }
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

#endif

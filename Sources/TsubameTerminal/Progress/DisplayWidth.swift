// DisplayWidth: counts the terminal columns that a text takes.

package enum DisplayWidth {
    /// East Asian characters and pictographs take two columns, and combining characters none.
    package static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

    /// The longest prefix that fits into the width.
    package static func cut(_ text: String, to width: Int) -> String {
        var (result, used) = ("", 0)
        for character in text {
            used += of(character)
            guard used <= width else { break }
            result.append(character)
        }
        return result
    }

    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case ..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0xFE00...0xFE0F: return 0
        case ..<0x1100: return scalar.properties.canonicalCombiningClass == .notReordered ? 1 : 0
        // The wide characters of Unicode Standard Annex 11, in large ranges.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

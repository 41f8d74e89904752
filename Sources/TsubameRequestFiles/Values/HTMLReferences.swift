// HTMLReferences: the characters that references in HTML stand for.

enum HTMLReferences {
    /// The named references that texts commonly have. Other names stay as they are.
    private static let names: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
        "trade": "™", "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
        "laquo": "«", "raquo": "»", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢", "deg": "°", "times": "×",
        "middot": "·", "bull": "•", "sect": "§", "para": "¶", "frac12": "½", "auml": "ä", "ouml": "ö", "uuml": "ü",
        "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç",
    ]

    /// The text with `&amp;`, `&#169;` and `&#xA9;` replaced. The semicolon of a number may be missing, as browsers read it.
    static func replaced(in text: String) -> String {
        var (result, rest) = ("", text[...])
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let (character, length) = reference(rest.dropFirst()) else {
                result.append("&")
                rest = rest.dropFirst()
                continue
            }
            result.append(character)
            rest = rest.dropFirst(1 + length)
        }
        return result + rest
    }

    /// The character of a reference, and the length of the reference behind its `&`.
    private static func reference(_ text: Substring) -> (Character, Int)? {
        guard text.first == "#" else {
            let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard let character = names[name], text.dropFirst(name.count).first == ";" else { return nil }
            return (character, name.count + 1)
        }
        let isHexadecimal = text.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        let digits = text.dropFirst(isHexadecimal ? 2 : 1).prefix {
            isHexadecimal ? $0.isHexDigit : $0.isASCII && $0.isNumber
        }
        guard let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value) else {
            return nil
        }
        let length = (isHexadecimal ? 2 : 1) + digits.count
        return (Character(scalar), text.dropFirst(length).first == ";" ? length + 1 : length)
    }
}

// ShellWords: splits a line into words as a shell does.

enum ShellWords {
    /// Blanks end a word. Within `'…'` every character stands for itself. Within `"…"` a backslash escapes only `"` and
    /// `\`, and elsewhere any character. `#` at the start of a word begins a comment.
    /// - Returns: nil if a quote is not closed.
    static func split(_ line: some StringProtocol) -> [String]? {
        var words: [String] = []
        // nil between words, because `""` is a word as well.
        var word: String?
        var quote: Character?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.first, quote == nil || next == "\"" || next == "\\" else {
                    word = (word ?? "") + "\\"
                    continue
                }
                rest.removeFirst()
                word = (word ?? "") + String(next)
            case (_, let open?) where character == open:
                quote = nil
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (_, nil) where character.isWhitespace:
                if let word { words.append(word) }
                word = nil
            case ("#", nil) where word == nil:
                rest = ""
            default:
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        return word.map { words + [$0] } ?? words
    }
}

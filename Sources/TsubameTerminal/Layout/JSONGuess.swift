// JSONGuess: finds JSON in text whose media type is another, such as `text/plain` or `application/javascript`.

package enum JSONGuess {
    /// Whether a text is most likely JSON, by its beginning: an object, an array, or a prefix against inclusion as a script
    /// (``JSONPrefix``). An array of numbers or literals counts if all that is there can be JSON. So `[2026-11-28] started`
    /// and `[1, 2].forEach(f)` stay text.
    package static func isJSON(_ beginning: some Sequence<UInt8>) -> Bool {
        let bytes = Array(beginning)
        let rest = JSONPrefix.rest(of: bytes[...])
        let text = rest.drop { isBlank($0) }
        guard let first = text.first else { return false }
        if first == UInt8(ascii: "[") { return isArray(text) }
        guard first == UInt8(ascii: "{") else { return false }
        if rest.startIndex > bytes.startIndex { return true }
        // In a script a brace also begins a block.
        let next = text.dropFirst().first { !isBlank($0) }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Goes through the values up to the first string or object, which other text seldom has in brackets.
    private static func isArray(_ text: ArraySlice<UInt8>) -> Bool {
        var (rest, depth, awaitsValue) = (text, 0, true)
        while true {
            rest = rest.drop { isBlank($0) }
            guard let byte = rest.first else { return true }
            if depth == 0, !awaitsValue { return false }
            switch byte {
            case UInt8(ascii: "["):
                guard awaitsValue else { return false }
                depth += 1
            case UInt8(ascii: "]"):
                (depth, awaitsValue) = (depth - 1, false)
            case UInt8(ascii: ","):
                guard !awaitsValue else { return false }
                awaitsValue = true
            case UInt8(ascii: "\""), UInt8(ascii: "{"):
                return awaitsValue
            default:
                let word = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") }
                guard awaitsValue, isWord(word, mayGoOn: word.endIndex == rest.endIndex) else { return false }
                rest = rest.dropFirst(word.count)
                awaitsValue = false
                continue
            }
            rest = rest.dropFirst()
        }
    }

    /// - Parameter mayGoOn: whether only the beginning of the word may be there.
    private static func isWord(_ word: ArraySlice<UInt8>, mayGoOn: Bool) -> Bool {
        for literal in ["true", "false", "null"] where literal.utf8.starts(with: word) {
            return mayGoOn || word.count == literal.utf8.count
        }
        guard word.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return false }
        return mayGoOn || Double(String(decoding: word, as: UTF8.self)) != nil
    }
}

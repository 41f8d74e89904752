// ISO2022JPDecoder: the decoder of ISO-2022-JP, whose escape sequences select the meaning of the bytes after them.

/// The meaning of the next bytes. A decoder keeps this state between two pieces of a text.
struct ISO2022JPState: Sendable {
    enum Mode: Sendable {
        case ascii
        /// The Latin set of JIS X 0201: ASCII with a yen sign and an overline.
        case roman
        case katakana
        case jisX0208
    }

    var mode = Mode.ascii
    /// Whether no character has followed the escape sequence yet. Another escape sequence is then an error, because it
    /// could smuggle text past a filter.
    var isEmpty = false
}

extension Charset {
    /// The ISO-2022-JP decoder of WHATWG section 12.2.1.
    func decodeISO2022JP(
        _ cursor: inout ByteCursor, state: inout ISO2022JPState, into builder: inout TextBuilder
    ) {
        let table = CharacterTable.jisX0208
        while true {
            let start = cursor.offset
            guard let byte = cursor.next() else { return }
            if byte == 0x1B {
                guard readEscape(at: start, &cursor, state: &state, into: &builder) else { return }
                continue
            }
            state.isEmpty = false
            switch (state.mode, byte) {
            case (.roman, 0x5C): builder.append(0x00A5)
            case (.roman, 0x7E): builder.append(0x203E)
            case (.ascii, ..<0x80) where byte != 0x0E && byte != 0x0F: builder.append(UInt32(byte))
            case (.roman, ..<0x80) where byte != 0x0E && byte != 0x0F: builder.append(UInt32(byte))
            case (.katakana, 0x21...0x5F): builder.append(0xFF61 + UInt32(byte) - 0x21)
            case (.jisX0208, 0x21...0x7E):
                guard let trail = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
                if (0x21...0x7E).contains(trail), let codePoint = table[(Int(byte) - 0x21) * 94 + Int(trail) - 0x21] {
                    builder.append(codePoint)
                } else {
                    builder.appendReplacement(forSequenceAt: start)
                    if trail == 0x1B { cursor.stepBack() }
                }
            default: builder.appendReplacement(forSequenceAt: start)
            }
        }
    }

    /// Reads the bytes after an escape character: a change of mode, or an error.
    /// - Returns: false if the bytes end within the sequence and more will follow.
    private func readEscape(
        at start: Int, _ cursor: inout ByteCursor, state: inout ISO2022JPState, into builder: inout TextBuilder
    ) -> Bool {
        let first = cursor.next()
        let isBegun = first == 0x24 || first == 0x28
        let second = isBegun ? cursor.next() : nil
        let mode: ISO2022JPState.Mode?
        switch (first, second) {
        case (0x28, 0x42): mode = .ascii
        case (0x28, 0x4A): mode = .roman
        case (0x28, 0x49): mode = .katakana
        case (0x24, 0x40), (0x24, 0x42): mode = .jisX0208
        default: mode = nil
        }
        if let mode {
            if state.isEmpty { builder.appendReplacement(forSequenceAt: start) }
            state = ISO2022JPState(mode: mode, isEmpty: true)
            return true
        }
        if first == nil || isBegun && second == nil {
            builder.appendIncomplete(sequenceAt: start)
            if builder.incompleteOffset != nil { return false }
        } else {
            builder.appendReplacement(forSequenceAt: start)
        }
        // Only the escape character is wrong, also at the end. The bytes after it are text.
        cursor.stepBack(to: start + 1)
        state.isEmpty = false
        return true
    }
}

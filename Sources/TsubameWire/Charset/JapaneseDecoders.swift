// JapaneseDecoders: the decoders of Shift_JIS and EUC-JP.

extension Charset {
    func decodeShiftJIS(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        let table = CharacterTable.jisX0208
        while true {
            builder.append(ascii: cursor.nextASCII())
            let start = cursor.offset
            guard let lead = cursor.next() else { return }
            switch lead {
            case 0x80:
                builder.append(0x80)
            case 0xA1...0xDF:
                builder.append(Self.halfWidthKatakana(lead))
            case 0x81...0x9F, 0xE0...0xFC:
                guard let trail = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
                if let codePoint = Self.shiftJISCodePoint(lead, trail, in: table) {
                    builder.append(codePoint)
                } else {
                    builder.appendReplacement(forSequenceAt: start)
                    if trail < 0x80 { cursor.stepBack() }
                }
            default:
                builder.appendReplacement(forSequenceAt: start)
            }
        }
    }

    func decodeEUCJP(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        let table = CharacterTable.jisX0208
        while true {
            builder.append(ascii: cursor.nextASCII())
            let start = cursor.offset
            guard var lead = cursor.next() else { return }
            guard lead == 0x8E || lead == 0x8F || (0xA1...0xFE).contains(lead) else {
                builder.appendReplacement(forSequenceAt: start)
                continue
            }
            guard var trail = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            var codePoint: UInt32?
            if lead == 0x8E {
                if (0xA1...0xDF).contains(trail) { codePoint = Self.halfWidthKatakana(trail) }
            } else if lead == 0x8F, (0xA1...0xFE).contains(trail) {
                lead = trail
                guard let last = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
                trail = last
                codePoint = Self.eucCodePoint(lead, trail, in: .jisX0212)
            } else {
                codePoint = Self.eucCodePoint(lead, trail, in: table)
            }
            if let codePoint {
                builder.append(codePoint)
            } else {
                builder.appendReplacement(forSequenceAt: start)
                if trail < 0x80 { cursor.stepBack() }
            }
        }
    }

    /// The katakana of a byte from A1 to DF.
    private static func halfWidthKatakana(_ byte: UInt8) -> UInt32 {
        0xFF61 + UInt32(byte) - 0xA1
    }

    private static func eucCodePoint(_ lead: UInt8, _ trail: UInt8, in table: CharacterTable) -> UInt32? {
        guard (0xA1...0xFE).contains(lead), (0xA1...0xFE).contains(trail) else { return nil }
        return table[(Int(lead) - 0xA1) * 94 + Int(trail) - 0xA1]
    }

    /// Shift_JIS packs two rows into one lead byte, and leaves out half-width katakana and 7F.
    private static func shiftJISCodePoint(_ lead: UInt8, _ trail: UInt8, in table: CharacterTable) -> UInt32? {
        guard (0x40...0x7E).contains(trail) || (0x80...0xFC).contains(trail) else { return nil }
        let rowPair = Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)
        let position = rowPair * 2 * 94 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
        // Rows 95 to 114 are for private use.
        if (94 * 94..<114 * 94).contains(position) { return UInt32(0xE000 + position - 94 * 94) }
        return table[position]
    }
}

// ChineseAndKoreanDecoders: the decoders of GB18030, Big5 and EUC-KR.

extension Charset {
    /// The gb18030 decoder of WHATWG section 10.2.1, which is also the decoder of GBK.
    func decodeGB18030(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        let table = CharacterTable.gb18030
        while true {
            builder.append(ascii: cursor.nextASCII())
            let start = cursor.offset
            guard let lead = cursor.next() else { return }
            guard (0x81...0xFE).contains(lead) else {
                // Microsoft's code page 936 has the euro here.
                if lead == 0x80 { builder.append(0x20AC) } else { builder.appendReplacement(forSequenceAt: start) }
                continue
            }
            guard let second = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            guard (0x30...0x39).contains(second) else {
                if let codePoint = Self.gb18030CodePoint(lead, second, in: table) {
                    builder.append(codePoint)
                } else {
                    builder.appendReplacement(forSequenceAt: start)
                    if second < 0x80 { cursor.stepBack() }
                }
                continue
            }
            guard let third = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            guard (0x81...0xFE).contains(third) else {
                builder.appendReplacement(forSequenceAt: start)
                cursor.stepBack(to: start + 1)
                continue
            }
            guard let fourth = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            guard (0x30...0x39).contains(fourth) else {
                builder.appendReplacement(forSequenceAt: start)
                cursor.stepBack(to: start + 1)
                continue
            }
            let place =
                ((Int(lead) - 0x81) * 10 + Int(second) - 0x30) * 1260 + (Int(third) - 0x81) * 10 + Int(fourth) - 0x30
            if let codePoint = Self.gb18030CodePoint(ofFourBytesAt: place) {
                builder.append(codePoint)
            } else {
                builder.appendReplacement(forSequenceAt: start)
            }
        }
    }

    private static func gb18030CodePoint(_ lead: UInt8, _ trail: UInt8, in table: CharacterTable) -> UInt32? {
        guard (0x40...0x7E).contains(trail) || (0x80...0xFE).contains(trail) else { return nil }
        let column = Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
        if let codePoint = table[(Int(lead) - 0x81) * 190 + column] { return codePoint }
        // Each of the three private use areas continues where the one before ends.
        switch (lead, trail) {
        case (0xAA...0xAF, 0xA1...): return UInt32(0xE000 + (Int(lead) - 0xAA) * 94 + Int(trail) - 0xA1)
        case (0xF8...0xFE, 0xA1...): return UInt32(0xE234 + (Int(lead) - 0xF8) * 94 + Int(trail) - 0xA1)
        case (0xA1...0xA7, ...0xA0): return UInt32(0xE4C6 + (Int(lead) - 0xA1) * 96 + column)
        default: return nil
        }
    }

    /// The “index gb18030 ranges code point” of WHATWG section 5. A place is the standard's pointer.
    private static func gb18030CodePoint(ofFourBytesAt place: Int) -> UInt32? {
        if (189_000...1_237_575).contains(place) { return UInt32(0x1_0000 + place - 189_000) }
        guard (0..<39_420).contains(place) else { return nil }
        let ranges = GB18030TableData.ranges
        var (low, high) = (0, ranges.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(ranges[middle].place) <= place { low = middle } else { high = middle }
        }
        return UInt32(ranges[low].codePoint) + UInt32(place - Int(ranges[low].place))
    }

    /// The Big5 decoder of WHATWG section 11.1.1.
    func decodeBig5(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        let table = CharacterTable.big5
        decodePairs(&cursor, into: &builder) { lead, trail, builder in
            guard (0x40...0x7E).contains(trail) || (0xA1...0xFE).contains(trail) else { return false }
            let position = (Int(lead) - 0x81) * 157 + Int(trail) - (trail < 0x7F ? 0x40 : 0x62)
            if let codePoint = table[position] {
                builder.append(codePoint)
            } else if let pair = Self.big5Pairs[position] {
                builder.append(pair.letter)
                builder.append(pair.mark)
            } else {
                return false
            }
            return true
        }
    }

    /// 8862, 8864, 88A3 and 88A5: E and e with a circumflex and a further mark. Unicode has no single character for
    /// them.
    private static let big5Pairs: [Int: (letter: UInt32, mark: UInt32)] = [
        1133: (0x00CA, 0x0304), 1135: (0x00CA, 0x030C), 1164: (0x00EA, 0x0304), 1166: (0x00EA, 0x030C),
    ]

    /// The EUC-KR decoder of WHATWG section 13.1.1.
    func decodeEUCKR(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        let table = CharacterTable.eucKR
        decodePairs(&cursor, into: &builder) { lead, trail, builder in
            guard (0x41...0xFE).contains(trail),
                let codePoint = table[(Int(lead) - 0x81) * 190 + Int(trail) - 0x41]
            else { return false }
            builder.append(codePoint)
            return true
        }
    }

    /// Reads pairs with lead bytes from 81 to FE. `pair` appends the character of a pair, or returns false if there is
    /// none.
    private func decodePairs(
        _ cursor: inout ByteCursor, into builder: inout TextBuilder,
        pair: (_ lead: UInt8, _ trail: UInt8, _ builder: inout TextBuilder) -> Bool
    ) {
        while true {
            builder.append(ascii: cursor.nextASCII())
            let start = cursor.offset
            guard let lead = cursor.next() else { return }
            guard (0x81...0xFE).contains(lead) else {
                builder.appendReplacement(forSequenceAt: start)
                continue
            }
            guard let trail = cursor.next() else { return builder.appendIncomplete(sequenceAt: start) }
            if !pair(lead, trail, &builder) {
                builder.appendReplacement(forSequenceAt: start)
                if trail < 0x80 { cursor.stepBack() }
            }
        }
    }
}

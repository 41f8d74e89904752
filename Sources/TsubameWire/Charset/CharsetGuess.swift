// CharsetGuess: the likely encoding of a text that does not say which one it has.

/// A guess is for readers only. It may be wrong, so no program's output may depend on it.
package enum CharsetGuess {
    /// The most bytes that are looked at.
    private static let sampleBytes = 4096
    /// With this many bytes outside ASCII, more of them hardly change the guess.
    private static let enoughBytes = 64
    /// The most bytes that a decision waits for.
    private static let mostBytes = 512
    private static let latin = Charset.windows1252

    /// The likely encoding of the beginning of a text; nil if only more of the text can tell.
    ///
    /// Text in UTF-8 is recognised even with single wrong bytes. Chinese, Japanese, Korean and Cyrillic encodings are told
    /// apart by their most frequent characters. Every other text is read as windows-1252, as browsers do.
    /// - Parameters:
    ///   - bytes: a part of the text, from the start of a character.
    ///   - isWhole: whether the text ends with these bytes. There is always a guess then.
    package static func guess(_ bytes: some Collection<UInt8>, isWhole: Bool) -> Charset? {
        let sample = Array(bytes.prefix(sampleBytes))
        let high = sample.count { $0 >= 0x80 }
        let mayWait = !isWhole && high < enoughBytes && sample.count < mostBytes
        switch utf8(sample) {
        case .yes: return .utf8
        case .cut, .no: if mayWait { return nil }
        }
        let candidates: [Charset] = [.eucJP, .shiftJIS, .eucKR, .big5, .gb18030, .windows1251, .koi8R]
        let best = candidates.map { ($0, score(sample, $0, isWhole: isWhole)) }.max { $0.1 < $1.1 }
        return best.map { $0.1 > 0.5 ? $0.0 : latin } ?? latin
    }

    private enum Answer {
        case yes, no
        /// So far there is only the beginning of one character.
        case cut
    }

    private static func utf8(_ bytes: [UInt8]) -> Answer {
        var (right, wrong, index) = (0, 0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            let length = byte < 0x80 ? 1 : byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0
            let rest = bytes[(index + 1)...].prefix(max(length - 1, 0)).prefix { $0 & 0xC0 == 0x80 }
            if length == 1 {
                index += 1
            } else if length > 0, rest.count == length - 1 {
                right += 1
                index += length
            } else if length > 0, index + 1 + rest.count == bytes.count {
                return right > wrong * 3 ? .yes : wrong > 0 ? .no : .cut
            } else {
                wrong += 1
                index += 1
            }
        }
        return right > wrong * 3 || wrong == 0 ? .yes : .no
    }

    /// The share of the characters outside ASCII that are frequent in texts of the encoding, from 0 to 1; 0 if the bytes
    /// are not text in it.
    private static func score(_ bytes: [UInt8], _ charset: Charset, isWhole: Bool) -> Double {
        var text = Array(charset.decode(bytes).text.unicodeScalars)
        // The last character may be cut.
        if !isWhole { _ = text.popLast() }
        let scalars = text.filter { $0.value >= 0x80 }
        // In Latin texts, letters outside ASCII stand alone. Two of their bytes would be one character here.
        guard scalars.count > 1, !scalars.contains("\u{FFFD}"), neighbours(text) > 0.7 else { return 0 }
        switch charset {
        // Japanese texts have kana between the characters of Chinese.
        case .eucJP, .shiftJIS:
            let kana = share(of: scalars) { (0x3041...0x30FF).contains($0.value) }
            return kana < 0.1 ? 0 : share(of: scalars) { isIdeograph($0) || (0x3041...0x30FF).contains($0.value) }
        case .eucKR:
            return share(of: scalars) { (0xAC00...0xD7A3).contains($0.value) || (0x3001...0x303F).contains($0.value) }
        case .big5: return share(of: scalars, isIdeograph) * level(bytes, 0xA4...0xC6)
        case .gb18030: return share(of: scalars, isIdeograph) * level(bytes, 0xB0...0xD7)
        // These letters make up two thirds of Russian, and more of its neighbours. The capitals of one encoding are the
        // small letters of the other.
        case .windows1251, .koi8R: return share(of: scalars) { "оеаинтсрвлкмдпуяыі".unicodeScalars.contains($0) }
        default: return 0
        }
    }

    private static func share(of scalars: [Unicode.Scalar], _ isFrequent: (Unicode.Scalar) -> Bool) -> Double {
        Double(scalars.count(where: isFrequent)) / Double(scalars.count)
    }

    /// A character of Chinese, or a punctuation mark that goes with them.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x4E00...0x9FFF, 0x3001...0x303F, 0xFF01...0xFF5E: true
        default: false
        }
    }

    /// The share of the characters outside ASCII that are beside another one.
    private static func neighbours(_ text: [Unicode.Scalar]) -> Double {
        let high = text.indices.filter { text[$0].value >= 0x80 }
        let beside = high.count { index in
            index > 0 && text[index - 1].value >= 0x80 || index + 1 < text.count && text[index + 1].value >= 0x80
        }
        return high.isEmpty ? 0 : Double(beside) / Double(high.count)
    }

    /// The share of the pairs of bytes whose first byte stands for the frequent characters of the encoding.
    private static func level(_ bytes: [UInt8], _ range: ClosedRange<UInt8>) -> Double {
        var (all, frequent, index) = (0, 0, 0)
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
            } else {
                all += 1
                if range.contains(bytes[index]) || bytes[index] == 0xA1 || bytes[index] == 0xA3 { frequent += 1 }
                index += 2
            }
        }
        return all == 0 ? 0 : Double(frequent) / Double(all)
    }
}

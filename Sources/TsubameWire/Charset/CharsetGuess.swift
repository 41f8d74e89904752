// CharsetGuess: the likely encoding of a text that does not say which one it has.

/// A guess is for readers only. It may be wrong, so no program's output may depend on it.
package enum CharsetGuess {
    /// The most bytes that are looked at.
    private static let sampleBytes = 4096
    private static let latin = Charset.windows1252

    /// The likely encoding of the beginning of a text. Text in UTF-8 is always recognised. Chinese, Japanese, Korean and
    /// Cyrillic encodings are told apart by their most frequent characters. Every other text is read as windows-1252, as
    /// browsers do.
    /// - Parameter bytes: a part of the text, from the start of a character. Its last character may be cut.
    package static func guess(_ bytes: some Collection<UInt8>) -> Charset {
        let sample = Array(bytes.prefix(sampleBytes))
        if isUTF8(sample) { return .utf8 }
        let candidates: [Charset] = [.eucJP, .shiftJIS, .eucKR, .big5, .gb18030, .windows1251, .koi8R]
        let best = candidates.map { ($0, score(sample, $0)) }.max { $0.1 < $1.1 }
        return best.map { $0.1 > 0.5 ? $0.0 : latin } ?? latin
    }

    /// Whether the bytes are UTF-8, but for a character that is cut at the end.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        (0...min(3, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    /// The share of the characters outside ASCII that are frequent in texts of the encoding, from 0 to 1; 0 if the bytes
    /// are not text in it.
    private static func score(_ bytes: [UInt8], _ charset: Charset) -> Double {
        let scalars = Array(charset.decode(bytes).text.unicodeScalars.dropLast()).filter { $0.value >= 0x80 }
        guard !scalars.isEmpty, !scalars.contains("\u{FFFD}") else { return 0 }
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
        // small letters of the other. In Latin texts, letters outside ASCII stand alone.
        case .windows1251, .koi8R:
            return neighbours(bytes) < 0.7
                ? 0 : share(of: scalars) { "оеаинтсрвлкмдпуяыі".unicodeScalars.contains($0) }
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

    /// The share of the bytes outside ASCII that are beside another one.
    private static func neighbours(_ bytes: [UInt8]) -> Double {
        let high = bytes.indices.filter { bytes[$0] >= 0x80 }
        let beside = high.count { index in
            index > 0 && bytes[index - 1] >= 0x80 || index + 1 < bytes.count && bytes[index + 1] >= 0x80
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

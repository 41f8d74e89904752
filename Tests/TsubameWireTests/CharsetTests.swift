// Labels of encodings, marks of byte order, and text that is not what it should be.

import Testing
import TsubameWire

@Suite struct CharsetTests {
    @Test(arguments: [
        ("utf-8", Charset.utf8), ("UTF8", .utf8), ("unicode-1-1-utf-8", .utf8),
        ("UTF-16", .utf16), ("ucs-2", .utf16), ("utf-16le", .utf16LittleEndian), ("UTF-16BE", .utf16BigEndian),
        ("ISO-8859-1", .isoLatin1), ("latin1", .isoLatin1), ("US-ASCII", .isoLatin1),
        ("windows-1252", .windows1252), ("cp1252", .windows1252),
        ("Shift_JIS", .shiftJIS), ("SHIFT-JIS", .shiftJIS), ("x-sjis", .shiftJIS), ("Windows-31J", .shiftJIS),
        ("EUC-JP", .eucJP), ("x-euc-jp", .eucJP), ("csEUCPkdFmtJapanese", .eucJP),
        (" \t\r\n\u{0C}euc-jp \n", .eucJP),
    ])
    func labelsOfTheWebAreKnown(label: String, charset: Charset) {
        #expect(Charset(label: label) == charset)
    }

    @Test(arguments: [
        "", " ", "utf", "utf 8", "utf-7", "iso-2022-jp", "iso-8859-15", "\u{0B}utf-8", "ｕｔｆ-8", "\0utf-8",
    ])
    func otherLabelsAreNone(label: String) {
        #expect(Charset(label: label) == nil)
    }

    @Test(arguments: Charset.allCases)
    func theNameIsALabel(of charset: Charset) {
        #expect(Charset(label: charset.name) == charset)
        #expect(Charset(rawValue: charset.name) == charset)
    }

    @Test func aSliceOfALabelIsALabel() {
        #expect(Charset(label: "charset=Shift_JIS".dropFirst(8)) == .shiftJIS)
    }

    @Test(arguments: Charset.allCases)
    func noBytesAreAnEmptyText(in charset: Charset) {
        #expect(charset.wellFormed([]) == "")
    }

    @Test func japaneseReadsAsItWasWritten() {
        let eucJP: [UInt8] = [
            0xA5, 0xC4, 0xA5, 0xA4, 0xA1, 0xBC, 0xA5, 0xC8, 0x20, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1, 0xAD, 0xA1,
        ]
        #expect(Charset.eucJP.wellFormed(eucJP) == "ツイート ｱ丂①")
        let shiftJIS: [UInt8] = [
            0x83, 0x5C, 0x5C, 0xB1, 0x87, 0x40, 0xFB, 0xFC, 0xF0, 0x40, 0x81, 0x60, 0x80,
        ]
        #expect(Charset.shiftJIS.wellFormed(shiftJIS) == "ソ\\ｱ①髙\u{E000}～\u{80}")
    }

    @Test func supplementaryCharactersReadInEveryForm() {
        #expect(Charset.utf8.wellFormed([0xF0, 0xA0, 0xAE, 0x9F]) == "𠮟")
        #expect(Charset.utf16LittleEndian.wellFormed([0x42, 0xD8, 0x9F, 0xDF]) == "𠮟")
        #expect(Charset.utf16BigEndian.wellFormed([0xD8, 0x42, 0xDF, 0x9F]) == "𠮟")
    }

    @Test func utf16FollowsItsMarkAndIsLittleEndianWithout() {
        #expect(Charset.utf16.wellFormed([0xFE, 0xFF, 0x30, 0x42]) == "あ")
        #expect(Charset.utf16.wellFormed([0xFF, 0xFE, 0x42, 0x30]) == "あ")
        #expect(Charset.utf16.wellFormed([0x42, 0x30]) == "あ")
        // Only the first mark is one.
        #expect(Charset.utf16.wellFormed([0xFF, 0xFE, 0xFF, 0xFE]) == "\u{FEFF}")
        #expect(Charset.utf16.decode([0xFE, 0xFF, 0x30]).malformedOffset == 2)
    }

    @Test func markedFormsAreRecognised() {
        #expect(Charset.sniffBOM([0xEF, 0xBB, 0xBF, 0x41])?.charset == .utf8)
        #expect(Charset.sniffBOM([0xEF, 0xBB, 0xBF])?.length == 3)
        #expect(Charset.sniffBOM([0xFE, 0xFF])?.charset == .utf16BigEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00])?.charset == .utf16LittleEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00])?.length == 2)
        for bytes: [UInt8] in [[], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF, 0xFF], [0x41, 0xFE, 0xFF]] {
            #expect(Charset.sniffBOM(bytes) == nil)
        }
    }

    @Test(arguments: [
        // The ASCII after a lead byte is kept, a byte that could not be text is taken into the error.
        (Charset.shiftJIS, [0x41, 0x81, 0x0A, 0x42] as [UInt8], "A\u{FFFD}\nB", 1),
        (.shiftJIS, [0x81, 0xFF, 0x42], "\u{FFFD}B", 0),
        (.shiftJIS, [0x85, 0x9F, 0x42], "\u{FFFD}B", 0),
        (.shiftJIS, [0x81, 0x7F], "\u{FFFD}\u{7F}", 0),
        (.shiftJIS, [0xA0, 0xFD, 0xFE, 0xFF], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", 0),
        (.eucJP, [0xA4, 0x0A, 0x42], "\u{FFFD}\nB", 0),
        (.eucJP, [0x41, 0xA4, 0x80, 0x42], "A\u{FFFD}B", 1),
        (.eucJP, [0x8E, 0xE0, 0x42], "\u{FFFD}B", 0),
        (.eucJP, [0x8F, 0xA2, 0x42], "\u{FFFD}B", 0),
        (.eucJP, [0x8F, 0xA2, 0xFF, 0x42], "\u{FFFD}B", 0),
        (.eucJP, [0x8F, 0x80, 0xA4, 0xA2], "\u{FFFD}あ", 0),
        (.eucJP, [0x80, 0xA0, 0xFF, 0xA4, 0xA2], "\u{FFFD}\u{FFFD}\u{FFFD}あ", 0),
        (.utf8, [0x41, 0xC0, 0x80], "A\u{FFFD}\u{FFFD}", 1),
        (.utf8, [0xE3, 0x81, 0x41], "\u{FFFD}A", 0),
        (.utf8, [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", 0),
        (.utf8, [0xF0, 0x9F, 0x98, 0xE3, 0x81, 0x82], "\u{FFFD}あ", 0),
        (.utf16LittleEndian, [0x41, 0x00, 0x00, 0xDC, 0x42, 0x00], "A\u{FFFD}B", 2),
        (.utf16LittleEndian, [0x00, 0xD8, 0x42, 0x00], "\u{FFFD}B", 0),
        (.utf16BigEndian, [0xD8, 0x00, 0xD8, 0x3D, 0xDE, 0x00], "\u{FFFD}😀", 0),
    ])
    func aWrongSequenceIsOneReplacement(charset: Charset, bytes: [UInt8], text: String, offset: Int) {
        #expect(charset.decode(bytes).text == text)
        #expect(charset.decode(bytes).malformedOffset == offset)
    }

    @Test(arguments: [
        (Charset.shiftJIS, [0x82] as [UInt8]),
        (.eucJP, [0xA4]), (.eucJP, [0x8E]), (.eucJP, [0x8F]), (.eucJP, [0x8F, 0xB0]),
        (.utf8, [0xE3]), (.utf8, [0xE3, 0x81]), (.utf8, [0xF0, 0x9F, 0x98]),
        (.utf16, [0x41]), (.utf16LittleEndian, [0x41]), (.utf16LittleEndian, [0x3D, 0xD8]),
        (.utf16LittleEndian, [0x3D, 0xD8, 0x00]), (.utf16BigEndian, [0xD8, 0x3D, 0xDE]),
    ])
    func whatIsCutOffAtTheEndIsOneReplacement(charset: Charset, end: [UInt8]) {
        let letter: [UInt8]
        switch charset {
        case .utf16, .utf16LittleEndian: letter = [0x41, 0x00]
        case .utf16BigEndian: letter = [0x00, 0x41]
        default: letter = [0x41]
        }
        let decoded = charset.decode(letter + end)
        #expect(decoded.text == "A\u{FFFD}")
        #expect(decoded.malformedOffset == letter.count)
    }

    @Test(arguments: Charset.allCases)
    func anyBytesDecode(as charset: Charset) throws {
        var random = SplitMix64(seed: 2026)
        for length in 0..<600 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
            let decoded = charset.decode(bytes)
            if let offset = decoded.malformedOffset {
                let wellFormed = try #require(charset.wellFormed(bytes.prefix(offset)))
                #expect(decoded.text.unicodeScalars.starts(with: wellFormed.unicodeScalars))
            }
            if !charset.name.hasPrefix("UTF-16") {
                // No error may swallow the end of a line.
                #expect(decoded.text.utf8.count { $0 == 0x0A } == bytes.count { $0 == 0x0A })
            }
        }
    }

    @Test func bytesWithoutContiguousStorageDecode() {
        let backwards: ReversedCollection<[UInt8]> = [0xA2, 0xA4].reversed()
        #expect(Charset.eucJP.decode(backwards).text == "あ")
    }
}

extension Charset {
    /// The text, unless a byte of it is wrong.
    func wellFormed(_ bytes: some Collection<UInt8>) -> String? {
        let decoded = decode(bytes)
        return decoded.malformedOffset == nil ? decoded.text : nil
    }
}

@Suite struct TextDecodingTests {
    @Test func theMarkComesBeforeContentType() {
        #expect(decodeText([0xEF, 0xBB, 0xBF, 0xE3, 0x81, 0x82], contentType: "text/html; charset=euc-jp") == "あ")
        #expect(decodeText([0xFE, 0xFF, 0x30, 0x42], contentType: "text/plain; charset=utf-8") == "あ")
    }

    @Test func contentTypeComesBeforeTheFallback() {
        #expect(decodeText([0xA4, 0xA2], contentType: "text/html; charset=EUC-JP", fallback: .shiftJIS) == "あ")
    }

    @Test(arguments: [nil, "text/html", "text/html; charset=x-unheard-of", "charset=euc-jp", ""])
    func theFallbackComesBeforeUTF8(contentType: String?) {
        #expect(decodeText([0x82, 0xA0], contentType: contentType, fallback: .shiftJIS) == "あ")
        #expect(decodeText([0xE3, 0x81, 0x82], contentType: contentType) == "あ")
    }

    @Test func wrongBytesAreReplaced() {
        #expect(decodeText([0x41, 0xFF], contentType: nil) == "A\u{FFFD}")
    }

    @Test func theEncodingIsToldWithTheLengthOfTheMark() {
        let marked = Charset.determine(for: [0xFF, 0xFE, 0x41, 0x00], contentType: nil, fallback: nil)
        #expect(marked.charset == .utf16LittleEndian && marked.markLength == 2)
        let unmarked = Charset.determine(for: [0x41], contentType: "text/css;charset=sjis", fallback: nil)
        #expect(unmarked.charset == .shiftJIS && unmarked.markLength == 0)
    }
}

/// The same bytes in every run.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

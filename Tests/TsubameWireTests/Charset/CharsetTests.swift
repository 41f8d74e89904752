// CharsetTests: labels of encodings, byte order marks, and malformed text.

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
        ("iso-2022-jp", .iso2022JP), ("csISO2022JP", .iso2022JP),
        ("latin2", .isoLatin2), ("ISO_8859-3:1988", .isoLatin3), ("l4", .isoLatin4), ("cyrillic", .isoCyrillic),
        ("ISO-8859-6-I", .isoArabic), ("greek", .isoGreek), ("visual", .isoHebrew), ("logical", .isoHebrewLogical),
        ("iso885910", .isoLatin6), ("iso-8859-13", .isoLatin7), ("iso8859-14", .isoLatin8),
        ("ISO-8859-15", .isoLatin9), ("iso-8859-16", .isoLatin10),
        // The Windows encodings, as in browsers.
        ("iso-8859-9", .windows1254), ("latin5", .windows1254), ("ISO-8859-11", .windows874), ("TIS-620", .windows874),
        ("cp1250", .windows1250), ("x-cp1251", .windows1251), ("windows-1258", .windows1258),
        ("866", .ibm866), ("koi8", .koi8R), ("KOI8-RU", .koi8U), ("x-mac-roman", .macintosh),
        ("x-mac-ukrainian", .macCyrillic),
        ("GB2312", .gbk), ("chinese", .gbk), ("GB18030", .gb18030), ("Big5-HKSCS", .big5), ("x-x-big5", .big5),
        ("windows-949", .eucKR), ("ks_c_5601-1987", .eucKR),
        (" \t\r\n\u{0C}euc-jp \n", .eucJP),
    ])
    func labelsOfTheWebAreKnown(label: String, charset: Charset) {
        #expect(Charset(label: label) == charset)
    }

    @Test(arguments: [
        "", " ", "utf", "utf 8", "utf-7", "utf-32", "utf-32le", "iso-8859-17", "iso-2022-kr", "hz-gb-2312",
        "x-user-defined", "replacement", "latin7", "utf-8 utf8", "\u{0B}utf-8", "ｕｔｆ-8", "\0utf-8",
    ])
    func otherLabelsAreNone(label: String) {
        #expect(Charset(label: label) == nil)
    }

    @Test(arguments: Charset.allCases)
    func theNameIsALabel(of charset: Charset) {
        // Only the byte order mark identifies UTF-32.
        let isUTF32 = charset == .utf32LittleEndian || charset == .utf32BigEndian
        #expect(Charset(label: charset.name) == (isUTF32 ? nil : charset))
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

    @Test(arguments: [
        (Charset.isoLatin2, [0xBE, 0x6C, 0x75, 0xBB] as [UInt8], "žluť"),
        (.isoCyrillic, [0xBC, 0xD8, 0xE0], "Мир"), (.isoGreek, [0xD9, 0xE1], "Ωα"), (.isoHebrewLogical, [0xF9], "ש"),
        (.isoLatin9, [0xA4], "€"), (.windows874, [0xA1, 0xD2], "กา"), (.windows1251, [0xCC, 0xE8, 0xF0], "Мир"),
        (.windows1254, [0xFE], "ş"), (.windows1256, [0xD4], "ش"), (.koi8R, [0xED, 0xC9, 0xD2], "Мир"),
        (.koi8U, [0xA4, 0xAE], "єў"), (.ibm866, [0x8C, 0xA8, 0xE0], "Мир"), (.macintosh, [0x8E, 0xDB], "é€"),
        (.macCyrillic, [0x8C, 0xE8, 0xF0], "Мир"),
        (.gbk, [0xD6, 0xD0, 0xCE, 0xC4, 0x80], "中文€"),
        (.gb18030, [0x81, 0x30, 0x81, 0x30, 0xAA, 0xA1], "\u{80}\u{E000}"),
        (
            .gb18030, [0x84, 0x31, 0xA4, 0x39, 0x90, 0x30, 0x81, 0x30, 0xE3, 0x32, 0x9A, 0x35],
            "\u{FFFF}\u{10000}\u{10FFFF}"
        ),
        (.big5, [0xA4, 0xA4, 0xA4, 0xE5, 0x88, 0x62, 0x87, 0xA1], "中文\u{CA}\u{304}\u{258DE}"),
        (.eucKR, [0xC7, 0xD1, 0x81, 0x41], "한갂"),
        (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x49, 0x31, 0x1B, 0x28, 0x4A, 0x5C], "日ｱ¥"),
    ])
    func otherScriptsReadAsTheyWereWritten(charset: Charset, bytes: [UInt8], text: String) {
        #expect(charset.wellFormed(bytes) == text)
    }

    @Test func supplementaryCharactersReadInEveryForm() {
        #expect(Charset.utf8.wellFormed([0xF0, 0xA0, 0xAE, 0x9F]) == "𠮟")
        #expect(Charset.utf16LittleEndian.wellFormed([0x42, 0xD8, 0x9F, 0xDF]) == "𠮟")
        #expect(Charset.utf16BigEndian.wellFormed([0xD8, 0x42, 0xDF, 0x9F]) == "𠮟")
        #expect(Charset.utf32LittleEndian.wellFormed([0x9F, 0x0B, 0x02, 0x00]) == "𠮟")
        #expect(Charset.utf32BigEndian.wellFormed([0x00, 0x02, 0x0B, 0x9F]) == "𠮟")
    }

    @Test func utf16FollowsItsMarkAndIsLittleEndianWithout() {
        #expect(Charset.utf16.wellFormed([0xFE, 0xFF, 0x30, 0x42]) == "あ")
        #expect(Charset.utf16.wellFormed([0xFF, 0xFE, 0x42, 0x30]) == "あ")
        #expect(Charset.utf16.wellFormed([0x42, 0x30]) == "あ")
        // Only the first mark is a byte order mark.
        #expect(Charset.utf16.wellFormed([0xFF, 0xFE, 0xFF, 0xFE]) == "\u{FEFF}")
        #expect(Charset.utf16.decode([0xFE, 0xFF, 0x30]).malformedOffset == 2)
    }

    @Test func markedFormsAreRecognised() {
        #expect(Charset.sniffBOM([0xEF, 0xBB, 0xBF, 0x41])?.charset == .utf8)
        #expect(Charset.sniffBOM([0xEF, 0xBB, 0xBF])?.length == 3)
        #expect(Charset.sniffBOM([0xFE, 0xFF])?.charset == .utf16BigEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00])?.charset == .utf16LittleEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00])?.length == 2)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00, 0x01])?.charset == .utf16LittleEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00, 0x00, 0x41])?.charset == .utf32LittleEndian)
        #expect(Charset.sniffBOM([0xFF, 0xFE, 0x00, 0x00])?.length == 4)
        #expect(Charset.sniffBOM([0x00, 0x00, 0xFE, 0xFF])?.charset == .utf32BigEndian)
        #expect(Charset.sniffBOM([0x00, 0x00, 0xFE, 0xFF])?.length == 4)
        for bytes: [UInt8] in [
            [], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF, 0xFF], [0x41, 0xFE, 0xFF], [0x00, 0x00, 0xFE],
        ] {
            #expect(Charset.sniffBOM(bytes) == nil)
        }
    }

    @Test(arguments: [
        // The ASCII after a lead byte is kept; a byte that cannot be text is part of the error.
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
        (.iso2022JP, [0x41, 0x1B, 0x24, 0x43, 0x42], "A\u{FFFD}$CB", 1),
        (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x1B, 0x28, 0x42, 0x41], "\u{FFFD}A", 3),
        (.iso2022JP, [0x1B, 0x24, 0x42, 0x1B, 0x28, 0x42, 0x41], "\u{FFFD}A", 3),
        (.iso2022JP, [0x1B, 0x24, 0x42, 0x0A, 0x46, 0x7C], "\u{FFFD}日", 3),
        (.iso2022JP, [0x0E, 0x80], "\u{FFFD}\u{FFFD}", 0),
        (.gb18030, [0x81, 0x30, 0x81, 0x41], "\u{FFFD}0丄", 0),
        (.gb18030, [0x81, 0x30, 0x0A], "\u{FFFD}0\n", 0),
        (.gb18030, [0x41, 0x84, 0x31, 0xA5, 0x30, 0x42], "A\u{FFFD}B", 1),
        (.gbk, [0x81, 0x7F, 0xFF], "\u{FFFD}\u{7F}\u{FFFD}", 0),
        (.big5, [0x81, 0x40, 0x81, 0xFE, 0x80], "\u{FFFD}@\u{FFFD}\u{FFFD}", 0),
        (.eucKR, [0xC7, 0x0A, 0xC9, 0xA1, 0x80], "\u{FFFD}\n\u{FFFD}\u{FFFD}", 0),
        (.isoArabic, [0xA0, 0xA1], "\u{A0}\u{FFFD}", 1),
        (.utf32BigEndian, [0, 0, 0xD8, 0, 0, 0x11, 0, 0, 0, 0, 0, 0x41], "\u{FFFD}\u{FFFD}A", 0),
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
        (.utf32LittleEndian, [0x41]), (.utf32LittleEndian, [0x41, 0x00, 0x00]),
        (.gb18030, [0x81]), (.gb18030, [0x81, 0x30]), (.gb18030, [0x81, 0x30, 0x81]), (.gbk, [0xD6]),
        (.big5, [0xA4]), (.eucKR, [0xC7]), (.iso2022JP, [0x1B]), (.iso2022JP, [0x1B, 0x24, 0x42, 0x46]),
    ])
    func whatIsCutOffAtTheEndIsOneReplacement(charset: Charset, end: [UInt8]) {
        let letter: [UInt8]
        switch charset {
        case .utf16, .utf16LittleEndian: letter = [0x41, 0x00]
        case .utf16BigEndian: letter = [0x00, 0x41]
        case .utf32LittleEndian: letter = [0x41, 0x00, 0x00, 0x00]
        default: letter = [0x41]
        }
        let decoded = charset.decode(letter + end)
        #expect(decoded.text == "A\u{FFFD}")
        // The sequence that selects the set is complete.
        #expect(decoded.malformedOffset == letter.count + (end.count == 4 ? 3 : 0))
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
            if !charset.name.hasPrefix("UTF-16"), !charset.name.hasPrefix("UTF-32"), charset != .iso2022JP {
                // No error may swallow the end of a line, in encodings where that byte is always the end of a line.
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
    /// The text, or nil if any byte of it is malformed.
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

    @Test func utf32IsToldByItsMark() {
        #expect(decodeText([0xFF, 0xFE, 0, 0, 0x42, 0x30, 0, 0], contentType: "text/plain; charset=utf-8") == "あ")
        #expect(decodeText([0, 0, 0xFE, 0xFF, 0, 0, 0x30, 0x42], contentType: nil) == "あ")
        #expect(decodeText([0xFF, 0xFE, 0x42, 0x30], contentType: nil) == "あ")
    }

    @Test(arguments: [
        ([0x41, 0xFF] as [UInt8], nil, Charset.utf8, 1),
        ([0xEF, 0xBB, 0xBF, 0x41, 0xE3, 0x81], "text/plain; charset=euc-jp", .utf8, 4),
        ([0xFE, 0xFF, 0x30, 0x42, 0xDC, 0x00], nil, .utf16BigEndian, 4),
        ([0xA4, 0xA2, 0xA4], "text/html; charset=EUC-JP", .eucJP, 2),
        ([0x41, 0xFF], "text/html; charset=x-unheard-of", .big5, 1),
    ])
    func readStrictlyTheFirstWrongByteIsAnError(
        bytes: [UInt8], contentType: String?, charset: Charset, offset: Int
    ) {
        #expect(throws: MalformedTextError(charset: charset, offset: offset)) {
            try decodeTextStrictly(bytes, contentType: contentType, fallback: charset == .big5 ? .big5 : nil)
        }
    }

    @Test func readStrictlyAGoodTextIsTheSame() throws {
        #expect(try decodeTextStrictly([0xA4, 0xA2], contentType: "text/html; charset=EUC-JP") == "あ")
        #expect(try decodeTextStrictly([0xFF, 0xFE, 0x42, 0x30], contentType: nil) == "あ")
        #expect(try decodeTextStrictly([UInt8](), contentType: nil) == "")
    }

    @Test func theErrorNamesTheCharsetAndThePlace() {
        let error = MalformedTextError(charset: .shiftJIS, offset: 12)
        #expect("\(error)" == "the text is not valid Shift_JIS at byte 12")
    }

    @Test func theEncodingIsToldWithTheLengthOfTheMark() {
        let marked = Charset.determine(for: [0xFF, 0xFE, 0x41, 0x00], contentType: nil, fallback: nil)
        #expect(marked.charset == .utf16LittleEndian && marked.markLength == 2)
        let unmarked = Charset.determine(for: [0x41], contentType: "text/css;charset=sjis", fallback: nil)
        #expect(unmarked.charset == .shiftJIS && unmarked.markLength == 0)
    }
}

// CharsetDifferenceTests: the differences from Python's codecs that `Charset` documents: all of them, and no others.

import Testing
import TsubameWire

@Suite(.enabled(if: PythonCodecs.areThere, "python3 is not installed: the differences were not looked for"))
struct CharsetDifferenceTests {
    private static let withoutDifferences: [Charset] = [
        .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .isoLatin1, .isoLatin2,
        .isoLatin3, .isoLatin4, .isoCyrillic, .isoArabic, .isoGreek, .isoHebrew, .isoHebrewLogical, .isoLatin6,
        .isoLatin7, .isoLatin8, .isoLatin9, .isoLatin10, .windows1256, .ibm866, .koi8R, .macintosh, .macCyrillic,
        .eucKR,
    ]

    private static let ofSingleBytes: [(charset: Charset, controls: [ClosedRange<UInt8>], others: [UInt8: String])] = [
        (.windows874, [0x81...0x84, 0x86...0x90, 0x98...0x9F], [:]),
        (.windows1250, [0x81...0x81, 0x83...0x83, 0x88...0x88, 0x90...0x90, 0x98...0x98], [:]),
        (.windows1251, [0x98...0x98], [:]),
        (.windows1252, [0x81...0x81, 0x8D...0x8D, 0x8F...0x8F, 0x90...0x90, 0x9D...0x9D], [:]),
        (
            .windows1253,
            [
                0x81...0x81, 0x88...0x88, 0x8A...0x8A, 0x8C...0x90, 0x98...0x98, 0x9A...0x9A, 0x9C...0x9F,
            ], [:]
        ),
        (.windows1254, [0x81...0x81, 0x8D...0x90, 0x9D...0x9E], [:]),
        (.windows1255, [0x81...0x81, 0x8A...0x8A, 0x8C...0x90, 0x9A...0x9A, 0x9C...0x9F], [0xCA: "\u{05BA}"]),
        (
            .windows1257,
            [
                0x81...0x81, 0x83...0x83, 0x88...0x88, 0x8A...0x8A, 0x8C...0x8C, 0x90...0x90, 0x98...0x98, 0x9A...0x9A,
                0x9C...0x9C, 0x9F...0x9F,
            ], [:]
        ),
        (.windows1258, [0x81...0x81, 0x8A...0x8A, 0x8D...0x90, 0x9A...0x9A, 0x9D...0x9E], [:]),
        (.koi8U, [], [0xAE: "ў", 0xBE: "Ў"]),
    ]

    @Test func everyEncodingIsLookedAt() {
        let ofTwoBytes: [Charset] = [.shiftJIS, .eucJP, .iso2022JP, .gbk, .gb18030, .big5]
        let all = Self.withoutDifferences + Self.ofSingleBytes.map(\.charset) + ofTwoBytes
        #expect(all.count == Charset.allCases.count && Set(all) == Set(Charset.allCases))
    }

    @Test(arguments: withoutDifferences)
    func thereIsNone(in charset: Charset) async throws {
        #expect(try await differing(charset).isEmpty)
    }

    @Test(arguments: ofSingleBytes)
    func theyAreControlCharactersAndTheNamedLetters(
        charset: Charset, controls: [ClosedRange<UInt8>], others: [UInt8: String]
    ) async throws {
        var named = others
        for byte in controls.joined() { named[byte] = String(Unicode.Scalar(byte)) }
        let differing = try await differing(charset)
        #expect(differing == Dictionary(uniqueKeysWithValues: named.map { ([$0], hexadecimal($1.utf8)) }))
    }

    @Test func theyAreFourBytesInShiftJIS() async throws {
        let wrong: [UInt8] = [0xA0, 0xFD, 0xFE, 0xFF]
        let differing = try await differing(.shiftJIS)
        let alone = differing.filter { $0.key.count == 1 }
        #expect(alone == [[0xA0]: "!0", [0xFD]: "!0", [0xFE]: "!0", [0xFF]: "!0"])
        // Two-byte sequences differ where one of these is not the second half of a character. Such a byte is an error.
        for (sequence, ours) in differing where sequence.count == 2 {
            #expect(wrong.contains(sequence[0]) && ours == "!0" || wrong.contains(sequence[1]) && ours == "!1")
        }
    }

    private static let windowsInJISX0208: [[UInt8]: String] = [
        [0x21, 0x41]: "\u{FF5E}", [0x21, 0x42]: "\u{2225}", [0x21, 0x5D]: "\u{FF0D}", [0x21, 0x71]: "\u{FFE0}",
        [0x21, 0x72]: "\u{FFE1}", [0x22, 0x4C]: "\u{FFE2}",
    ]

    @Test func theyAreExtensionsAndSevenSignsInEUCJP() async throws {
        var windows = Self.windowsInJISX0208.mapKeys { $0.map { $0 | 0x80 } }
        windows[[0x8F, 0xA2, 0xB7]] = "\u{FF5E}"
        let differing = try await differing(.eucJP)
        for (sequence, character) in windows { #expect(differing[sequence] == hexadecimal(character.utf8)) }
        try expectExtensions(differing.filter { windows[$0.key] == nil }.mapKeys { $0.map { $0 & 0x7F } })
    }

    @Test func theyAreExtensionsSixSignsAndWrongControlsInISO2022JP() async throws {
        let jisX0208: [UInt8] = [0x1B, 0x24, 0x42]
        let characters = Set<UInt8>(0x21...0x7E)
        var extensions: [[UInt8]: String] = [:]
        for (sequence, ours) in try await differing(.iso2022JP) {
            let pair = Array(sequence.dropFirst(3))
            if sequence.starts(with: jisX0208), pair.count == 2, characters.isSuperset(of: pair) {
                if let sign = Self.windowsInJISX0208[pair] {
                    #expect(ours == hexadecimal(sign.utf8))
                } else {
                    extensions[pair] = ours
                }
                continue
            }
            // All others are errors here, at one of three places. These are 0E or 0F, another control character inside a
            // set other than ASCII, or an escape character that begins no sequence or an empty one.
            let place = try #require(Int(ours.dropFirst()), "\(hexadecimal(sequence)) is \(ours)")
            #expect(ours.hasPrefix("!"))
            let byte = sequence[place]
            #expect(byte < 0x20 && (byte == 0x1B || byte == 0x0E || byte == 0x0F || sequence[0] == 0x1B))
        }
        try expectExtensions(extensions)
    }

    /// Row 13 has 83 characters, and rows 89 to 92 have 374. cp932 has the same characters in these rows.
    private func expectExtensions(_ extensions: [[UInt8]: String]) throws {
        #expect(extensions.count == 83 + 374)
        for (place, ours) in extensions {
            try #require(place.count == 2)
            let (row, cell) = (Int(place[0]) - 0x20, Int(place[1]) - 0x20)
            try #require(row == 13 || (89...92).contains(row))
            let (lead, trail) = ((row - 1) * 94 + cell - 1).quotientAndRemainder(dividingBy: 188)
            let shiftJIS = [UInt8(lead + (lead < 0x1F ? 0x81 : 0xC1)), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
            #expect(ours == strictly(.shiftJIS, shiftJIS))
        }
    }

    @Test(arguments: [Charset.gbk, .gb18030])
    func theyAreLaterEditionsTheEuroAndASpace(in charset: Charset) async throws {
        let named: [[UInt8]: String] = [
            [0x80]: "€", [0xA3, 0xA0]: "\u{3000}", [0xA8, 0xBC]: "ḿ", [0x81, 0x35, 0xF4, 0x37]: "\u{E7C7}",
            [0xA6, 0xD9]: "\u{FE10}", [0xA6, 0xDA]: "\u{FE12}", [0xA6, 0xDB]: "\u{FE11}", [0xA6, 0xDC]: "\u{FE13}",
            [0xA6, 0xDD]: "\u{FE14}", [0xA6, 0xDE]: "\u{FE15}", [0xA6, 0xDF]: "\u{FE16}", [0xA6, 0xEC]: "\u{FE17}",
            [0xA6, 0xED]: "\u{FE18}", [0xA6, 0xF3]: "\u{FE19}",
            [0xFE, 0x59]: "\u{9FB4}", [0xFE, 0x61]: "\u{9FB5}", [0xFE, 0x66]: "\u{9FB6}", [0xFE, 0x67]: "\u{9FB7}",
            [0xFE, 0x6D]: "\u{9FB8}", [0xFE, 0x7E]: "\u{9FB9}", [0xFE, 0x90]: "\u{9FBA}", [0xFE, 0xA0]: "\u{9FBB}",
        ]
        let differing = try await differing(charset)
        for (sequence, character) in named { #expect(differing[sequence] == hexadecimal(character.utf8)) }
        // All others have the euro sign before or after a single byte.
        for sequence in differing.keys where named[sequence] == nil {
            #expect(sequence.count == 2 && (sequence[0] == 0x80 || sequence[1] == 0x80 && sequence[0] < 0x80))
        }
    }

    @Test func theyAreSignsAndCharactersOfHongKongInBig5() async throws {
        var signs: [[UInt8]: String] = [
            [0xA1, 0x45]: "\u{2027}", [0xA1, 0x4E]: "\u{FE51}", [0xA1, 0xC2]: "\u{00AF}", [0xA1, 0xE3]: "\u{FF5E}",
            [0xA1, 0xF2]: "\u{2295}", [0xA1, 0xF3]: "\u{2299}", [0xA2, 0x41]: "\u{2215}", [0xA2, 0x42]: "\u{FE68}",
            [0xA2, 0x44]: "\u{FFE5}", [0xA2, 0x46]: "\u{FFE0}", [0xA2, 0x47]: "\u{FFE1}", [0xA3, 0xE0]: "\u{2421}",
            [0xA3, 0xE1]: "€",
        ]
        for byte in UInt8(0xC0)...0xDF {
            signs[[0xA3, byte]] = Unicode.Scalar(0x2400 + UInt32(byte) - 0xC0).map { String($0) }
        }
        let differing = try await differing(.big5)
        for (sequence, character) in signs { #expect(differing[sequence] == hexadecimal(character.utf8)) }

        let characters = differing.filter { signs[$0.key] == nil }
        let added = characters.filter { $0.key[0] == 0x87 }
        #expect(added.count == 68)
        #expect(added.keys.allSatisfy { $0.count == 2 && (0x7A...0xDF).contains($0[1]) })

        let doubled = characters.filter { $0.key[0] != 0x87 }
        #expect(doubled.count == 90)
        #expect(doubled.keys.map(hexadecimal).min() == "8e69" && doubled.keys.map(hexadecimal).max() == "fedd")
        var places: [String: Int] = [:]
        for sequence in CharsetCorpus.of(.big5).sequences where sequence.count == 2 && sequence[0] >= 0x81 {
            places[strictly(.big5, sequence), default: 0] += 1
        }
        #expect(doubled.values.allSatisfy { places[$0, default: 0] > 1 })
    }

    /// The sequences that decode differently from Python's codec, with their texts.
    private func differing(_ charset: Charset) async throws -> [[UInt8]: String] {
        var sequences = CharsetCorpus.of(charset).sequences[...]
        // Single bytes are enough where each byte is a character; the corpus has shown that pairs are two characters.
        if Self.ofSingleBytes.contains(where: { $0.charset == charset }) || charset.name.hasPrefix("ISO-8859") {
            sequences = sequences.prefix(256)
        }
        let python = try await PythonCodecs.answer(charset).strictly(sequences.count)
        try #require(python.count == sequences.count)
        var differing: [[UInt8]: String] = [:]
        for (sequence, theirs) in zip(sequences, python) {
            let ours = strictly(charset, sequence)
            if theirs != ours { differing[sequence] = ours }
        }
        return differing
    }

    /// The text in hexadecimal, or `!` and the offset of the error.
    private func strictly(_ charset: Charset, _ bytes: [UInt8]) -> String {
        let decoded = charset.decode(bytes)
        return decoded.malformedOffset.map { "!\($0)" } ?? hexadecimal(decoded.text.utf8)
    }
}

extension Dictionary {
    fileprivate func mapKeys<T: Hashable>(_ transform: (Key) -> T) -> [T: Value] {
        Dictionary<T, Value>(uniqueKeysWithValues: map { (transform($0.key), $0.value) })
    }
}

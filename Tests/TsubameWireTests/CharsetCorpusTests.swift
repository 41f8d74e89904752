// Every sequence of one and two bytes in every encoding, against Python's codecs.

import Foundation
import Testing
import TsubameWire

/// The sequences and the expected texts are those of `Scripts/check-charsets.py`, which says how they are made.
@Suite struct CharsetCorpusTests {
    /// What `Scripts/check-charsets.py digests` prints, so that the tables are checked where there is no Python.
    static let digests: [(charset: Charset, lines: Int, digest: UInt64)] = [
        (.utf8, 78992, 0xdb8b_dfa8_fb36_8ad5),
        (.utf16, 65680, 0xac32_83aa_3e89_514d),
        (.utf16LittleEndian, 65680, 0xac32_83aa_3e89_514d),
        (.utf16BigEndian, 65680, 0x5690_47d9_0a83_628d),
        (.isoLatin1, 65792, 0x7f88_02af_c46b_e425),
        (.windows1252, 65792, 0xb7ac_9099_78a7_e32a),
        (.shiftJIS, 65792, 0xb6cb_4c2f_7618_fbbd),
        (.eucJP, 131328, 0x82f3_af06_1d8e_83ad),
    ]

    @Test(arguments: digests)
    func everySequenceDecodesAsWhenThePythonCodecsWereAsked(charset: Charset, lines: Int, digest: UInt64) {
        let corpus = Corpus.of(charset)
        let text = charset.decode(Array(corpus.lines.joined())).text
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        #expect(corpus.lines.count == lines)
        #expect(hash == digest)
    }

    @Test(
        .enabled(if: Python.isThere, "python3 is not installed: only the digests of its answers were compared"),
        arguments: Charset.allCases)
    func everySequenceDecodesAsPythonDoes(in charset: Charset) async throws {
        let python = try await Python.answer(charset)
        // Compared outside of #expect, which would work out and print the difference of two megabytes.
        let sameSequences = python.lines == Array(Corpus.of(charset).lines.joined())
        #expect(sameSequences, "the script makes other sequences")

        let text = Array(charset.decode(python.lines).text.utf8)
        if text != python.text {
            let place = zip(text, python.text).prefix { $0 == $1 }.count
            let (ours, theirs) = (text.dropFirst(place).prefix(12), python.text.dropFirst(place).prefix(12))
            Issue.record("from byte \(place) on: \(hexadecimal(ours)) instead of \(hexadecimal(theirs))")
        }
    }

    @Test(
        .enabled(if: Python.isThere, "python3 is not installed: the differences from its codecs were not looked for"),
        arguments: Charset.allCases)
    func theNamedDifferencesFromPythonAreAll(in charset: Charset) async throws {
        let python = try await Python.answer(charset).strict
        let sequences = Corpus.of(charset).sequences
        try #require(python.count == sequences.count)

        var differing: [[UInt8]: String] = [:]
        for (sequence, theirs) in zip(sequences, python) {
            let ours = strictly(charset, sequence)
            if theirs != ours { differing[sequence] = ours }
        }

        switch charset {
        case .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .isoLatin1:
            #expect(differing.isEmpty)

        case .windows1252:
            let controls: [UInt8] = [0x81, 0x8D, 0x8F, 0x90, 0x9D]
            let alone = differing.filter { $0.key.count == 1 }
            #expect(Set(alone.keys) == Set(controls.map { [$0] }))
            for byte in controls { #expect(alone[[byte]] == hexadecimal(String(Unicode.Scalar(byte)).utf8)) }
            #expect(Set(differing.keys) == Set(sequences.filter { !Set($0).isDisjoint(with: controls) }))

        case .shiftJIS:
            let wrong: [UInt8] = [0xA0, 0xFD, 0xFE, 0xFF]
            let alone = differing.filter { $0.key.count == 1 }
            #expect(alone == [[0xA0]: "!0", [0xFD]: "!0", [0xFE]: "!0", [0xFF]: "!0"])
            // Two bytes differ where one of these is not the second half of a character, and are an error at that byte.
            for (sequence, ours) in differing where sequence.count == 2 {
                #expect(wrong.contains(sequence[0]) && ours == "!0" || wrong.contains(sequence[1]) && ours == "!1")
            }

        case .eucJP:
            let windows: [[UInt8]: String] = [
                [0xA1, 0xC1]: "\u{FF5E}", [0xA1, 0xC2]: "\u{2225}", [0xA1, 0xDD]: "\u{FF0D}", [0xA1, 0xF1]: "\u{FFE0}",
                [0xA1, 0xF2]: "\u{FFE1}", [0xA2, 0xCC]: "\u{FFE2}", [0x8F, 0xA2, 0xB7]: "\u{FF5E}",
            ]
            for (sequence, character) in windows { #expect(differing[sequence] == hexadecimal(character.utf8)) }
            let extensions = differing.filter { windows[$0.key] == nil }
            // Row 13 has 83 characters, rows 89 to 92 have 374; which, is what cp932 says in the same rows.
            #expect(extensions.count == 83 + 374)
            for (sequence, ours) in extensions {
                let row = Int(sequence[0]) - 0xA0
                try #require(sequence.count == 2 && (row == 13 || (89...92).contains(row)))
                #expect(ours == strictly(.shiftJIS, asShiftJIS(row: row, cell: Int(sequence[1]) - 0xA0)))
            }
        }
    }

    /// The text in hexadecimal, or `!` and the offset of the error.
    private func strictly(_ charset: Charset, _ bytes: [UInt8]) -> String {
        let decoded = charset.decode(bytes)
        return decoded.malformedOffset.map { "!\($0)" } ?? hexadecimal(decoded.text.utf8)
    }

    private func asShiftJIS(row: Int, cell: Int) -> [UInt8] {
        let (lead, trail) = ((row - 1) * 94 + cell - 1).quotientAndRemainder(dividingBy: 188)
        return [UInt8(lead + (lead < 0x1F ? 0x81 : 0xC1)), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
    }
}

private func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
}

/// The sequences of an encoding, in the script's order.
private struct Corpus {
    private(set) var sequences: [[UInt8]] = []
    /// Those that a line feed can follow, with it.
    let lines: [[UInt8]]

    private static let all = Dictionary(uniqueKeysWithValues: Charset.allCases.map { ($0, Corpus($0)) })

    static func of(_ charset: Charset) -> Corpus { all[charset] ?? Corpus(charset) }

    private init(_ charset: Charset) {
        let bytes = UInt8.min...UInt8.max
        sequences = bytes.map { [$0] } + bytes.flatMap { first in bytes.map { [first, $0] } }
        var lineFeed: [UInt8] = [0x0A]
        switch charset {
        case .eucJP:
            sequences += bytes.flatMap { first in bytes.map { [0x8F, first, $0] } }
        case .utf8:
            let leads: [UInt8] = [0xC1, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
            let borders: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF]
            let threes = leads.flatMap { lead in borders.flatMap { second in borders.map { [lead, second, $0] } } }
            sequences += threes
            sequences += threes.flatMap { three in borders.map { three + [$0] } }
        case .utf16, .utf16LittleEndian, .utf16BigEndian:
            let units: [UInt16] = [
                0x0041, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF,
            ]
            let encoded: [[UInt8]] = units.map {
                let bigEndian = [UInt8($0 >> 8), UInt8($0 & 0xFF)]
                return charset == .utf16BigEndian ? bigEndian : bigEndian.reversed()
            }
            sequences += encoded.flatMap { first in encoded.map { first + $0 } }
            lineFeed = charset == .utf16BigEndian ? [0x00, 0x0A] : [0x0A, 0x00]
        case .isoLatin1, .windows1252, .shiftJIS:
            break
        }
        lines = sequences.filter { $0.count % lineFeed.count == 0 }.map { $0 + lineFeed }
    }
}

/// Python's side, asked once in a run.
private enum Python {
    struct Answer {
        let lines: [UInt8]
        let text: [UInt8]
        let strict: [String]
    }

    static let isThere: Bool = {
        let process = python(["-c", ""])
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let answers = Task { try await ask() }

    static func answer(_ charset: Charset) async throws -> Answer {
        try #require(try await answers.value[charset])
    }

    private static func ask() async throws -> [Charset: Answer] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "charsets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(filePath: #filePath).appending(path: "../../../Scripts/check-charsets.py").standardized
        let process = python([script.path(percentEncoded: false), "make", folder.path(percentEncoded: false)])
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "the script failed")

        var answers: [Charset: Answer] = [:]
        for charset in Charset.allCases {
            func contents(_ ending: String) throws -> Data {
                try Data(contentsOf: folder.appending(path: "\(charset.name).\(ending)"))
            }
            let strict = String(decoding: try contents("python").dropLast(), as: UTF8.self)
            answers[charset] = Answer(
                lines: Array(try contents("bin")), text: Array(try contents("txt")),
                strict: strict.components(separatedBy: "\n"))
        }
        return answers
    }

    private static func python(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}

// CharsetCorpus: the sequences that test encodings, and the results of Python's codecs.

import Foundation
import Testing
import TsubameWire

/// The sequences of an encoding, in the order of `Scripts/tables/check-charsets.py`, which defines them.
struct CharsetCorpus: Sendable {
    let sequences: [[UInt8]]
    /// The number of sequences that the end of a line can follow.
    let lineCount: Int
    /// These sequences, each with its end of line.
    let lines: [UInt8]

    static func of(_ charset: Charset) -> CharsetCorpus {
        switch charset {
        case .utf8: utf8
        case .utf16, .utf16LittleEndian: utf16LittleEndian
        case .utf16BigEndian: utf16BigEndian
        case .utf32LittleEndian: utf32LittleEndian
        case .utf32BigEndian: utf32BigEndian
        case .eucJP: eucJP
        case .iso2022JP: iso2022JP
        case .gbk, .gb18030: gb18030
        default: pairs
        }
    }

    private init(adding more: [[UInt8]] = [], lineEnd: [UInt8] = [0x0A], unit: Int = 1) {
        sequences = Self.all + Self.pairs(after: []) + more
        let whole = sequences.filter { $0.count % unit == 0 }
        lineCount = whole.count
        lines = whole.flatMap { $0 + lineEnd }
    }

    private static let all: [[UInt8]] = (UInt8.min...UInt8.max).map { [$0] }

    private static func pairs(after start: [UInt8]) -> [[UInt8]] {
        let bytes = UInt8.min...UInt8.max
        return bytes.flatMap { first in bytes.map { second in start + [first, second] } }
    }

    private static let pairs = CharsetCorpus()
    private static let eucJP = CharsetCorpus(adding: pairs(after: [0x8F]))

    private static let gb18030: CharsetCorpus = {
        let leads: [UInt8] = [0x81, 0x84, 0x85, 0x8F, 0x90, 0xE3, 0xE4, 0xFE]
        let digits: [UInt8] = [0x2F, 0x30, 0x31, 0x35, 0x38, 0x39, 0x3A]
        let thirds: [UInt8] = [0x41, 0x80, 0x81, 0x82, 0x9A, 0xA4, 0xA5, 0xF4, 0xFE, 0xFF]
        let lasts: [UInt8] = [0x2F, 0x30, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x81]
        let threes = leads.flatMap { lead in digits.flatMap { second in thirds.map { [lead, second, $0] } } }
        return CharsetCorpus(adding: threes + threes.flatMap { three in lasts.map { three + [$0] } })
    }()

    private static let iso2022JP: CharsetCorpus = {
        let escapes: [[UInt8]] = [
            [0x1B, 0x28, 0x42], [0x1B, 0x28, 0x4A], [0x1B, 0x28, 0x49], [0x1B, 0x24, 0x40], [0x1B, 0x24, 0x42],
        ]
        let jisX0208: [UInt8] = [0x1B, 0x24, 0x42]
        let old: [UInt8] = [0x1B, 0x24, 0x40, 0x30]
        var more: [[UInt8]] = pairs(after: [0x1B])
        for escape in escapes { more += all.map { escape + $0 } }
        for first in escapes {
            for second in escapes { more.append(first + second + [0x21, 0x21] as [UInt8]) }
        }
        more += pairs(after: jisX0208)
        more += all.map { old + $0 }
        return CharsetCorpus(adding: more, lineEnd: [0x1B, 0x28, 0x42, 0x0A])
    }()

    private static let utf8: CharsetCorpus = {
        let leads: [UInt8] = [0xC1, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
        let borders: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF]
        let threes = leads.flatMap { lead in borders.flatMap { second in borders.map { [lead, second, $0] } } }
        return CharsetCorpus(adding: threes + threes.flatMap { three in borders.map { three + [$0] } })
    }()

    private static let utf16LittleEndian = utf16 { $0.reversed() }
    private static let utf16BigEndian = utf16 { $0 }

    private static func utf16(_ ordered: ([UInt8]) -> [UInt8]) -> CharsetCorpus {
        let units: [UInt16] = [
            0x0041, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF,
        ]
        let encoded = units.map { ordered([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        return CharsetCorpus(
            adding: encoded.flatMap { first in encoded.map { first + $0 } }, lineEnd: ordered([0, 0x0A]), unit: 2)
    }

    private static let utf32LittleEndian = utf32 { $0.reversed() }
    private static let utf32BigEndian = utf32 { $0 }

    private static func utf32(_ ordered: ([UInt8]) -> [UInt8]) -> CharsetCorpus {
        let units: [UInt32] = [
            0x0000_0041, 0x0000_D7FF, 0x0000_D800, 0x0000_DFFF, 0x0000_E000, 0x0000_FFFF, 0x0001_0000, 0x0010_FFFF,
            0x0011_0000, 0x0100_0041, 0x8000_0041, 0xFFFF_FFFF,
        ]
        let encoded = units.map { unit in
            ordered([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit >> $0) })
        }
        return CharsetCorpus(adding: encoded, lineEnd: ordered([0, 0, 0, 0x0A]), unit: 4)
    }
}

/// The results of Python, which is run once.
enum PythonCodecs {
    struct Answer: Sendable {
        let lines: [UInt8]
        let text: [UInt8]
        fileprivate let strict: [UInt8]

        /// For each of the first `count` sequences the text in hexadecimal, or `!` and the offset of the error.
        func strictly(_ count: Int) -> [String] {
            strict.split(separator: 0x0A, maxSplits: count, omittingEmptySubsequences: false).prefix(count)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    static let areThere: Bool = {
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
        let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/tables/check-charsets.py")
            .standardized
        let process = python([script.path(percentEncoded: false), "make", folder.path(percentEncoded: false)])
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "the script failed")

        var answers: [Charset: Answer] = [:]
        for charset in Charset.allCases {
            func contents(_ ending: String) throws -> [UInt8] {
                Array(try Data(contentsOf: folder.appending(path: "\(charset.name).\(ending)")))
            }
            answers[charset] = Answer(
                lines: try contents("bin"), text: try contents("txt"), strict: try contents("python"))
        }
        return answers
    }

    private static func python(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-B"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}

func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
}

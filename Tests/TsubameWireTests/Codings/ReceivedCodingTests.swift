// ReceivedCodingTests: the rules for every coding that can be decoded. The libraries of brotli and zstd made their
// fixtures.

import Testing
import TsubameCore
import TsubameWire

@Suite struct ReceivedCodingTests {
    /// One text in each coding whose library is installed here.
    struct Sample: Sendable, CustomTestStringConvertible {
        let coding: ReceivedCoding
        let coded: [UInt8]
        var testDescription: String { coding.rawValue }
    }

    static let text = InflateDecoderTests.text
    static let samples = [
        Sample(coding: .gzip, coded: InflateDecoderTests.gzip),
        Sample(coding: .deflate, coded: InflateDecoderTests.zlib),
        Sample(coding: .deflate, coded: InflateDecoderTests.raw),
        Sample(
            coding: .brotli,
            coded: bytes(
                """
                1bd501f81d076eac33cc5b44dc56decdb1e9642c566ec8689030b6b7c884731de61c52677906b0801fdf6aa71e0011
                2634c372072f924a1bdb71b96409a9b4b11d974b95904a1bdb717b0f
                """)),
        // With a checksum and without.
        Sample(
            coding: .zstd,
            coded: bytes(
                """
                28b52ffd046885020022c50d10c0b701b081f21f884964f74ec98a7a4a4084e7f1777bfdf77b7a701a7d36976fbb26
                8766b1576bf5755b6a483cabbb4010388590714c27a81040be6ff0d5104e047edddd7ed94faaa50c520a0b292011
                """)),
        Sample(
            coding: .zstd,
            coded: bytes(
                """
                28b52ffd006885020022c50d10c0b701b081f21f884964f74ec98a7a4a4084e7f1777bfdf77b7a701a7d36976fbb26
                8766b1576bf5755b6a483cabbb4010388590714c27a81040be6ff0d5104e047edddd7ed94faaa50c520a
                """)),
    ].filter { ReceivedCoding.available.contains($0.coding) }

    private static func pieces(_ bytes: [UInt8], _ generator: inout some RandomNumberGenerator) -> [[UInt8]] {
        var (pieces, rest) = ([[UInt8]](), bytes[...])
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(Int.random(in: 0...20, using: &generator))))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        return pieces
    }

    @Test func whatIsOfferedIsWhatCanBeDecoded() throws {
        #expect(ReceivedCoding.offer.hasPrefix("gzip, deflate"))
        #expect(ReceivedCoding.offer == ReceivedCoding.available.map(\.rawValue).joined(separator: ", "))
        #expect(ReceivedCoding.available.contains(.brotli) == BrotliDecoder.isAvailable)
        #expect(ReceivedCoding.available.contains(.zstd) == ZstandardDecoder.isAvailable)
        for coding in ReceivedCoding.allCases {
            #expect(
                (ReceivedCoding(named: coding.rawValue.uppercased()) == nil)
                    != ReceivedCoding.available.contains(coding))
        }
        #expect(ReceivedCoding(named: "X-GZip") == .gzip)
        for name in ["", "x", "identity", "compress", "dcb", "brotli", "gzip "] {
            #expect(ReceivedCoding(named: name) == nil)
        }
    }

    @Test("BAD-INPUT 38: a content is the same however it is cut", arguments: samples)
    func cuts(_ sample: Sample) throws {
        let coded = sample.coded
        for cut in 0...coded.count {
            let decoded = try sample.coding.decoder().decode([Array(coded[..<cut]), Array(coded[cut...])])
            #expect(decoded == Self.text)
        }
        for (room, pieces) in [(1, [coded]), (1, coded.map { [$0] }), (7, coded.map { [$0] }), (470, [coded])] {
            #expect(try sample.coding.decoder().decode(pieces, room: room) == Self.text)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let pieces = Self.pieces(coded, &generator)
            let room = Int.random(in: 1...600)
            #expect(try sample.coding.decoder().decode(pieces, room: room) == Self.text, "\(pieces.map(\.count))")
        }
    }

    @Test("BAD-INPUT 38: a content that is cut short is an error", arguments: samples) func truncated(_ sample: Sample)
    {
        for cut in 1..<sample.coded.count {
            for pieces in [[Array(sample.coded[..<cut])], sample.coded[..<cut].map { [$0] }] {
                #expect(throws: ContentCodingError(coding: sample.coding.rawValue, reason: .truncated)) {
                    try sample.coding.decoder().decode(pieces)
                }
            }
        }
    }

    @Test("BAD-INPUT 38: bytes that do not belong to it are an error", arguments: samples)
    func trailing(_ sample: Sample) {
        for rest in ["x", "(", "(\u{00B5}", "\u{1}garbage"] {
            let coded = sample.coded + Array(rest.utf8)
            for pieces in [[coded], [sample.coded, Array(rest.utf8)], coded.map { [$0] }] {
                let error = #expect(throws: ContentCodingError.self) {
                    try sample.coding.decoder().decode(pieces, room: 100)
                }
                // A "(" may begin a frame.
                let isBegun = sample.coding == .zstd && rest == "("
                #expect(error?.reason == (isBegun ? .truncated : .trailingBytes))
            }
        }
    }

    @Test("BAD-INPUT 38: what was decoded before bytes that do not belong to it is given first", arguments: samples)
    func decodedBeforeAnError(_ sample: Sample) throws {
        let trailing = ContentCodingError(coding: sample.coding.rawValue, reason: .trailingBytes)
        // The room is more than enough, or just enough.
        for (room, garbage) in [(4_096, "garbage"), (Self.text.count, "garbage"), (Self.text.count, "g")] {
            let decoder = try sample.coding.decoder()
            var rest = (sample.coded + Array(garbage.utf8))[...]
            var output = [UInt8](repeating: 0, count: room)
            func decode() throws -> [UInt8] {
                var consumed = 0
                let produced = try output.withUnsafeMutableBytes { output in
                    try rest.withUnsafeBytes { try decoder.decode(into: output, from: $0, inputConsumed: &consumed) }
                }
                try #require(produced > 0 || consumed > 0)
                rest = rest.dropFirst(consumed)
                return Array(output.prefix(produced))
            }
            var decoded: [UInt8] = []
            while decoded.count < Self.text.count { decoded += try decode() }
            #expect(decoded == Self.text)
            // The next call throws; it does not return without having done anything.
            #expect(throws: trailing) { try decode() }
            #expect(throws: trailing) { try decode() }
            #expect(throws: trailing) { try decoder.finish() }
        }
    }

    @Test("what a call had no room for is there without further bytes", arguments: ReceivedCoding.available)
    func outputThatWaits(_ coding: ReceivedCoding) throws {
        let coded = try #require(CodedZeros.coded(coding, pieces: 1))
        let decoder = try coding.decoder()
        var output = [UInt8](repeating: 1, count: 1_000)
        var (rest, total) = (coded[...], 0)
        repeat {
            var consumed = 0
            total += try output.withUnsafeMutableBytes { output in
                try rest.withUnsafeBytes { bytes in
                    // No bytes may also have no address.
                    let input = rest.isEmpty ? UnsafeRawBufferPointer(start: nil, count: 0) : bytes
                    return try decoder.decode(into: output, from: input, inputConsumed: &consumed)
                }
            }
            rest = rest.dropFirst(consumed)
        } while !rest.isEmpty || decoder.mayHaveMore
        try decoder.finish()
        #expect(total == 1 << 20)
    }

    @Test("BAD-INPUT 38: what is of no coding is corrupt, and stays so", arguments: samples)
    func corrupt(_ sample: Sample) throws {
        let decoder = try sample.coding.decoder()
        let garbage = [UInt8](repeating: 0xFF, count: 100)
        for _ in 0..<3 {
            let error = #expect(throws: ContentCodingError.self) { try decoder.drain(garbage, room: 16) }
            guard case .corrupt = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(throws: ContentCodingError.self) { try decoder.drain(sample.coded, room: 16) }
        #expect(throws: ContentCodingError.self) { try decoder.finish() }
    }

    @Test("BAD-INPUT 38: changed bytes never trap or hang, and never give what is not bounded", arguments: samples)
    func changedBytes(_ sample: Sample) throws {
        for position in sample.coded.indices {
            for bit in 0..<8 {
                var changed = sample.coded
                changed[position] ^= 1 << UInt8(bit)
                let decoder = try sample.coding.decoder()
                do {
                    _ = try decoder.decode([changed], room: 700)
                } catch is ContentCodingError {
                    // Without a checksum, some changes cannot be detected.
                }
            }
        }
    }

    @Test(arguments: ReceivedCoding.available) func noByteAtAllIsAnEmptyContent(_ coding: ReceivedCoding) throws {
        #expect(try coding.decoder().decode([]) == [])
        #expect(try coding.decoder().decode([[], []]) == [])
    }

    @Test(arguments: ReceivedCoding.available) func noRoomIsNoError(_ coding: ReceivedCoding) throws {
        let sample = try #require(Self.samples.first { $0.coding == coding })
        let decoder = try coding.decoder()
        var consumed = 9
        let produced = try sample.coded.withUnsafeBytes {
            try decoder.decode(
                into: UnsafeMutableRawBufferPointer(start: nil, count: 0), from: $0, inputConsumed: &consumed)
        }
        #expect(produced == 0 && consumed == 0)
        #expect(try decoder.decode([sample.coded]) == Self.text)
    }

    @Test("BAD-INPUT 38: no call gives more than 256 KiB", arguments: ReceivedCoding.available)
    func bounded(_ coding: ReceivedCoding) throws {
        // 64 MiB of zeros.
        guard let coded = CodedZeros.coded(coding, pieces: 64) else {
            try Test.cancel("nothing encodes \(coding) here")
        }
        let decoder = try coding.decoder()
        var output = [UInt8](repeating: 1, count: 1 << 20)
        var (rest, total) = (coded[...], 0)
        while !rest.isEmpty || decoder.mayHaveMore {
            var consumed = 0
            let produced = try output.withUnsafeMutableBytes { output in
                try rest.withUnsafeBytes { try decoder.decode(into: output, from: $0, inputConsumed: &consumed) }
            }
            #expect(produced <= 256 << 10)
            #expect(produced > 0 || consumed > 0)
            rest = rest.dropFirst(consumed)
            total += produced
        }
        try decoder.finish()
        #expect(total == 64 << 20)
        #expect(output[256 << 10] == 1)
    }
}

@Suite struct EncoderPieceTests {
    @Test(arguments: [ReceivedCoding.gzip, .deflate, .brotli, .zstd])
    func `content that is encoded in pieces is one content`(_ coding: ReceivedCoding) throws {
        // Where the library is not installed, there is no encoder.
        guard let coded = CodedZeros.coded(coding, pieces: 3) else {
            #expect(coding == .brotli && BrotliEncoder() == nil || coding == .zstd && ZstandardEncoder() == nil)
            return
        }
        let decoder: (any ContentDecoder)? =
            switch coding {
            case .gzip: InflateDecoder(.gzip)
            case .deflate: InflateDecoder(.deflate)
            case .brotli: BrotliDecoder()
            case .zstd: ZstandardDecoder()
            }
        let content = try #require(decoder).decode([coded], room: 1 << 16)
        #expect(content == [UInt8](repeating: 0, count: 3 << 20))
    }
}

/// Megabytes of zeros, made by the library's own encoders.
enum CodedZeros {
    static func coded(_ coding: ReceivedCoding, pieces: Int) -> [UInt8]? {
        let encoder: (any ContentEncoder)? =
            switch coding {
            case .gzip: DeflateEncoder(.gzip)
            case .deflate: DeflateEncoder(.deflate)
            case .brotli: BrotliEncoder()
            case .zstd: ZstandardEncoder()
            }
        let piece = Bytes([UInt8](repeating: 0, count: 1 << 20))
        var output: [UInt8] = []
        for number in 1...pieces {
            guard encoder?.encode(piece, isLast: number == pieces, into: &output) == true else { return nil }
        }
        return output
    }
}

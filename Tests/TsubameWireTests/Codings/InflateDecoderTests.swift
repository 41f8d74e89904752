// InflateDecoderTests: gzip and deflate. Python's zlib made the fixtures.

import Testing
import TsubameWire

@Suite struct InflateDecoderTests {
    /// 470 bytes: `swallow 0; swallow 1; … swallow 39; `
    static let text = Array((0..<40).map { "swallow \($0); " }.joined().utf8)
    static let gzip = bytes(
        """
        1f8b08000000000002ff4dd0b90d80401403d1562801db9ca21af2950836d8f62140fa934df664f771b7f68c69bea6fe
        a72a5d99caa572addc2af7caa3f204410e9e000aa2400aa6800aaac00aaee19a3be11aaee11aaee11aaee11a6ee0066e
        7830dcc00ddcc00ddcc0cde7becab19c37d6010000
        """)
    static let zlib = bytes(
        """
        78da4dd0b90d80401403d1562801db9ca21af2950836d8f62140fa934df664f771b7f68c69bea6fea72a5d99caa572ad
        dc2af7caa3f204410e9e000aa2400aa6800aaac00aaee19a3be11aaee11aaee11aaee11a6ee0066e7830dcc00ddcc00d
        dcc0cde7bed4059ab1
        """)
    static let raw = bytes(
        """
        4dd0b90d80401403d1562801db9ca21af2950836d8f62140fa934df664f771b7f68c69bea6fea72a5d99caa572addc2a
        f7caa3f204410e9e000aa2400aa6800aaac00aaee19a3be11aaee11aaee11aaee11a6ee0066e7830dcc00ddcc00ddcc0
        cde7be
        """)
    /// With a name, a comment, extra data and a checksum of the header.
    static let gzipWithFields = bytes(
        "1f8b081e0000000002ff02007879612e7478740063001d614bccc95148cb4ccd49290600cbbb26e00a000000")
    static let hello = bytes("1f8b08000000000002ffcb48cdc9c9570000f6f981ed06000000")
    static let world = bytes("1f8b08000000000002ff2bcf2fca4901004311773a05000000")
    static let empty = bytes("1f8b08000000000002ff03000000000000000000")
    @Test func `output that had no room comes without any input`() throws {
        let decoder = InflateDecoder(.gzip)
        var output = [UInt8](repeating: 1, count: 1_000)
        var (rest, total) = (Self.zeros[...], 0)
        while !rest.isEmpty || decoder.mayHaveMore {
            var consumed = 0
            total += try output.withUnsafeMutableBytes { output in
                if rest.isEmpty {
                    return try decoder.decode(
                        into: output, from: UnsafeRawBufferPointer(start: nil, count: 0), inputConsumed: &consumed)
                }
                return try rest.withUnsafeBytes { try decoder.decode(into: output, from: $0, inputConsumed: &consumed) }
            }
            rest = rest.dropFirst(consumed)
        }
        #expect(total == 65_536)
    }

    /// 65,536 zeros.
    static let zeros = bytes(
        """
        1f8b08000000000002ffedc101010000008090feafee080a000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000006aeb8e97d700000100
        """)

    @Test(arguments: [
        (InflateDecoder.Coding.gzip, gzip), (.deflate, zlib), (.deflate, raw),
    ])
    func aContentIsDecodedHoweverItIsCut(_ coding: InflateDecoder.Coding, _ coded: [UInt8]) throws {
        #expect(try decode(coding, [coded]) == Self.text)
        for cut in 0...coded.count {
            #expect(try decode(coding, [Array(coded[..<cut]), Array(coded[cut...])]) == Self.text)
        }
        for (room, pieces) in [(1, [coded]), (1, coded.map { [$0] }), (7, coded.map { [$0] }), (470, [coded])] {
            #expect(try decode(coding, pieces, room: room) == Self.text)
        }
    }

    @Test func otherFormsOfTheSameCodingsAreRead() throws {
        #expect(try decode(.gzip, [Self.gzipWithFields]) == Array("all fields".utf8))
        #expect(try decode(.gzip, [Self.empty]) == [])
        #expect(try decode(.deflate, [bytes("010b00f4ff73746f7265642074657874")]) == Array("stored text".utf8))
        #expect(
            try decode(.deflate, [bytes("7801010b00f4ff73746f72656420746578741b190477")])
                == Array("stored text".utf8))
        #expect(try decode(.deflate, [bytes("0300")]) == [])
        #expect(try decode(.deflate, [bytes("789c030000000001")]) == [])
    }

    @Test(arguments: [(InflateDecoder.Coding.gzip, gzip), (.deflate, zlib), (.deflate, raw), (.gzip, gzipWithFields)])
    func everyCutShortContentIsAnError(_ coding: InflateDecoder.Coding, _ coded: [UInt8]) {
        for cut in 1..<coded.count {
            #expect(throws: ContentCodingError(coding: coding.rawValue, reason: .truncated)) {
                try decode(coding, [Array(coded[..<cut])])
            }
        }
    }

    @Test(arguments: [InflateDecoder.Coding.gzip, .deflate])
    func noByteAtAllIsAnEmptyContent(_ coding: InflateDecoder.Coding) throws {
        #expect(try decode(coding, []) == [])
        #expect(try decode(coding, [[], []]) == [])
    }

    @Test func aChangedBitNeverChangesTheContentUnnoticed() {
        for (coding, coded) in [(InflateDecoder.Coding.gzip, Self.gzip), (.deflate, Self.zlib)] {
            var errors = 0
            for position in coded.indices {
                for bit in 0..<8 {
                    var changed = coded
                    changed[position] ^= 1 << bit
                    do {
                        // The time and the operating system in gzip's header may have any value.
                        #expect(try decode(coding, [changed]) == Self.text)
                    } catch is ContentCodingError {
                        errors += 1
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(errors > (coded.count - 10) * 8)
        }
    }

    @Test(arguments: [
        (InflateDecoder.Coding.gzip, "68656c6c6f"), (.gzip, "1f8c0800"), (.gzip, "1f8b0900000000000000"),
        (.gzip, "1f8b08e0000000000000"), (.deflate, "68656c6c6f20776f726c64"), (.deflate, "789d0300"),
        (.deflate, "ffffffff"), (.deflate, "78f90c24030a2b86500a501a0031910633"), (.gzip, "789c030000000001"),
        (.deflate, "1f8b08000000000002ffcb48cdc9c9570000f6f981ed06000000"), (.gzip, "0000"), (.gzip, "0a0a"),
    ])
    func whatIsNotOfTheCodingIsCorrupt(_ coding: InflateDecoder.Coding, _ digits: String) {
        let error = #expect(throws: ContentCodingError.self) { try decode(coding, [bytes(digits)]) }
        guard case .corrupt = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func anErrorStays() {
        let decoder = InflateDecoder(.gzip)
        for _ in 0..<3 {
            #expect(throws: ContentCodingError.self) { try decoder.drain(Array("garbage".utf8), room: 16) }
        }
        #expect(throws: ContentCodingError.self) { try decoder.drain(Self.gzip, room: 16) }
        #expect(throws: ContentCodingError.self) { try decoder.finish() }
    }

    @Test func allMembersOfAGzipContentAreDecoded() throws {
        let two = Self.hello + Self.world
        #expect(try decode(.gzip, [two]) == Array("hello world".utf8))
        for cut in 0...two.count {
            #expect(try decode(.gzip, [Array(two[..<cut]), Array(two[cut...])]) == Array("hello world".utf8))
        }
        #expect(try decode(.gzip, two.map { [$0] }, room: 1) == Array("hello world".utf8))
        #expect(
            try decode(.gzip, [Self.hello + Self.empty + Self.empty + Self.world]) == Array("hello world".utf8))
    }

    @Test func aMemberThatIsCutShortIsAnError() {
        let two = Self.hello + Self.world
        for cut in Self.hello.count + 1..<two.count {
            #expect(throws: ContentCodingError(coding: "gzip", reason: .truncated)) {
                try decode(.gzip, [Array(two[..<cut])])
            }
        }
    }

    @Test func zerosMayFollowTheEnd() throws {
        let padding = [UInt8](repeating: 0, count: 600)
        #expect(try decode(.gzip, [Self.hello + padding]) == Array("hello ".utf8))
        #expect(try decode(.gzip, [Self.hello, [0], [], [0]]) == Array("hello ".utf8))
        #expect(try decode(.deflate, [Self.zlib + padding]) == Self.text)
    }

    @Test(arguments: [
        (InflateDecoder.Coding.gzip, hello, "garbage"), (.gzip, hello, "\n"), (.gzip, hello, "\0\0x"),
        (.deflate, zlib, "x"), (.deflate, raw, "\u{1F}"),
    ])
    func nothingElseMayFollowTheEnd(_ coding: InflateDecoder.Coding, _ coded: [UInt8], _ rest: String) {
        for pieces in [[coded + Array(rest.utf8)], [coded, Array(rest.utf8)], (coded + Array(rest.utf8)).map { [$0] }] {
            #expect(throws: ContentCodingError(coding: coding.rawValue, reason: .trailingBytes)) {
                try decode(coding, pieces)
            }
        }
        #expect(throws: ContentCodingError(coding: "gzip", reason: .trailingBytes)) {
            try decode(.gzip, [Self.hello + [0] + Self.world])
        }
    }

    @Test func noCallGivesMoreThan256KiB() throws {
        let coded = Array(repeatElement(Self.zeros, count: 64).joined())
        let decoder = InflateDecoder(.gzip)
        var output = [UInt8](repeating: 1, count: 1_048_576)
        var rest = coded[...]
        var total = 0
        while !rest.isEmpty || decoder.mayHaveMore {
            var consumed = 0
            let produced = try output.withUnsafeMutableBytes { output in
                try rest.withUnsafeBytes { try decoder.decode(into: output, from: $0, inputConsumed: &consumed) }
            }
            #expect(produced <= InflateDecoder.maximumOutput)
            #expect(produced > 0 || consumed > 0)
            rest = rest.dropFirst(consumed)
            total += produced
        }
        try decoder.finish()
        #expect(total == 4_194_304)
        #expect(output.prefix(InflateDecoder.maximumOutput).allSatisfy { $0 == 0 })
        #expect(output[InflateDecoder.maximumOutput] == 1)
    }

    @Test func noRoomIsNoError() throws {
        let decoder = InflateDecoder(.gzip)
        var consumed = 9
        let produced = try Self.gzip.withUnsafeBytes {
            try decoder.decode(
                into: UnsafeMutableRawBufferPointer(start: nil, count: 0), from: $0, inputConsumed: &consumed)
        }
        #expect(produced == 0)
        #expect(consumed == 0)
    }

    private func decode(
        _ coding: InflateDecoder.Coding, _ pieces: [[UInt8]], room: Int = 4_096
    ) throws -> [UInt8] {
        try InflateDecoder(coding).decode(pieces, room: room)
    }
}

// ZstandardDecoderTests: Zstandard's own rules. They run only where libzstd is installed.

import Testing
import TsubameWire

@Suite(.enabled(if: ZstandardDecoder.isAvailable)) struct ZstandardDecoderTests {
    private static let hello = bytes("28b52ffd005831000068656c6c6f20")
    private static let world = bytes("28b52ffd0458290000776f726c64ef51ee66")
    private static let empty = bytes("28b52ffd240001000099e9d851")
    private static let skipped = bytes("5a2a4d18050000006162636465")

    private func decode(_ pieces: [[UInt8]], room: Int = 4_096) throws -> [UInt8] {
        try #require(ZstandardDecoder()).decode(pieces, room: room)
    }

    @Test func allFramesAreDecodedAndSkippableOnesSkipped() throws {
        let parts = [Self.skipped, Self.hello, Self.skipped, Self.skipped, Self.empty, Self.world, Self.skipped]
        let all = Array(parts.joined())
        let expected = Array("hello world".utf8)
        #expect(try decode([all]) == expected)
        #expect(try decode(parts) == expected)
        #expect(try decode(all.map { [$0] }, room: 1) == expected)
        for cut in 0...all.count {
            #expect(try decode([Array(all[..<cut]), Array(all[cut...])]) == expected)
        }
        #expect(try decode([Self.skipped]) == [])
        for low in UInt8(0)...15 {
            let skipped = [0x50 | low] + Self.skipped.dropFirst()
            #expect(try decode([skipped + Self.hello]) == Array("hello ".utf8))
        }
    }

    @Test func `a block that is larger than the room is given piece by piece`() throws {
        // One block of 65,536 times the same byte.
        let frame = bytes("28b52ffd 60 00ff 030008 61")
        #expect(try decode([frame], room: 4_096) == [UInt8](repeating: 0x61, count: 65_536))
        #expect(try decode([frame], room: 65_536) == [UInt8](repeating: 0x61, count: 65_536))
    }

    @Test("BAD-INPUT 38: a frame that is cut short is an error, be it the second or one to be skipped")
    func truncatedFrames() {
        for last in [Self.world, Self.skipped] {
            for cut in 1..<last.count {
                #expect(throws: ContentCodingError(coding: "zstd", reason: .truncated)) {
                    try decode([Self.hello + last[..<cut]])
                }
            }
        }
    }

    @Test("BAD-INPUT 38: a changed bit is an error where there is a checksum") func checksum() {
        for position in 9..<Self.world.count {
            var changed = Self.world
            changed[position] ^= 1
            #expect(throws: ContentCodingError.self) { try decode([changed]) }
        }
    }

    @Test func `a frame is as good in one piece as in two`() throws {
        // An empty compressed block, which the library refuses if it gets the whole frame at once.
        let coded = bytes("502a4d18 02000000 7878 28b52ffd 20 00 050000")
        for cut in 0...coded.count {
            #expect(try decode([Array(coded[..<cut]), Array(coded[cut...])]) == [], "\(cut)")
        }
    }

    @Test func `the encoder adds a checksum`() throws {
        let coded = try #require(CodedZeros.coded(.zstd, pieces: 1))
        // Bit 2 of the frame header descriptor (RFC 8878 section 3.1.1.1.1).
        #expect(coded[4] & 4 == 4)
    }

    /// A frame of one block of zeros whose head announces a window of 2 to the power of `log` bytes.
    private func frame(windowLog log: UInt8) -> [UInt8] {
        bytes("28b52ffd00") + [(log - 10) << 3] + bytes("430000") + [0]
    }

    @Test("BAD-INPUT 38: a window of more than 8 MiB is refused before memory is taken") func largeWindow() throws {
        #expect(try decode([frame(windowLog: 10)]).count == 8)
        #expect(try decode([frame(windowLog: 23)]).count == 8)
        for log in [24, 27, 31, 41] as [UInt8] {
            #expect(
                throws: ContentCodingError(coding: "zstd", reason: .corrupt("its window is larger than 8 MiB"))
            ) { try #require(ZstandardDecoder()).drain(frame(windowLog: log), room: 16) }
        }
        // The frame has one segment and announces one byte more than 8 MiB.
        #expect(throws: ContentCodingError.self) { try decode([bytes("28b52ffda001008000") + bytes("4300000000")]) }
    }

    @Test func `BAD-INPUT 38: a frame that ends before the size it announces is an error, whatever the cuts are`() {
        // One segment of 34 bytes is announced, and the only block is empty.
        let frame = bytes("28b52ffd2022010000")
        for cut in 0...frame.count {
            #expect(
                throws: ContentCodingError.self, "cut at \(cut)"
            ) { try decode([Array(frame[..<cut]), Array(frame[cut...])]) }
        }
    }

    @Test("BAD-INPUT 38: formats older than the RFC are not taken", arguments: ["1eb52ffd", "22b52ffd", "27b52ffd"])
    func olderFormats(_ magic: String) {
        #expect(throws: ContentCodingError(coding: "zstd", reason: .corrupt("no frame begins here"))) {
            try decode([bytes(magic) + Self.hello.dropFirst(4)])
        }
        #expect(throws: ContentCodingError(coding: "zstd", reason: .trailingBytes)) {
            try decode([Self.hello + bytes(magic) + Self.hello.dropFirst(4)])
        }
    }

    @Test("BAD-INPUT 38: the call that meets the fault throws, if it has decoded nothing")
    func theFaultIsNotPutOff() throws {
        // No frame; a window of 16 MiB; a block of the type that is reserved.
        for wrong in [bytes("00"), frame(windowLog: 24), bytes("28b52ffd2000070000")] {
            let decoder = try #require(ZstandardDecoder())
            var room = [UInt8](repeating: 0, count: 64)
            var consumed = 0
            #expect(throws: ContentCodingError.self) {
                try room.withUnsafeMutableBytes { room in
                    try wrong.withUnsafeBytes { try decoder.decode(into: room, from: $0, inputConsumed: &consumed) }
                }
            }
        }
    }

    @Test func aDictionaryIsNotThere() {
        // Frame_Header_Descriptor 01: one byte of a dictionary ID follows the window.
        #expect(throws: ContentCodingError.self) { try decode([bytes("28b52ffd015807 31000068656c6c6f20")]) }
    }
}

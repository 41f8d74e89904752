// HPACKMutationTests: random heads, encoded and decoded, and random changes to blocks: the fields survive, and nothing
// traps.

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKMutationTests {
    /// Random texts, the same on every machine.
    private struct Generator: RandomNumberGenerator {
        private var numbers: SplitMix64

        init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

        mutating func next() -> UInt64 { numbers.next() }

        mutating func text(upTo length: Int) -> String {
            let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789-/=; %\u{1}~é日")
            return String(
                (0..<Int.random(in: 0...length, using: &self)).map { _ in
                    characters.randomElement(using: &self) ?? "a"
                })
        }

        /// Names and values repeat, as they do in real heads.
        mutating func head(_ names: [String]) -> [TextField] {
            (0..<Int.random(in: 0...15, using: &self)).map { _ in
                let name = Bool.random(using: &self) ? names.randomElement(using: &self) ?? "" : text(upTo: 20)
                let value = Bool.random(using: &self) ? "\(Int.random(in: 0..<4, using: &self))" : text(upTo: 200)
                return TextField(name, value)
            }
        }
    }

    private static let names = [
        ":path", ":method", ":status", "accept", "cookie", "x", "etag", "user-agent", "x-request-id", "",
    ]

    @Test("Random heads are read as they were written, whatever sizes the tables have in between", arguments: 0..<8)
    func roundTrips(seed: UInt64) throws {
        var generator = Generator(seed: seed)
        let bound = [4096, 200, 0, 64, 10_000, 4096, 1000, 65_536][Int(seed)]
        var encoder = HPACKEncoder(tableSize: bound)
        var decoder = HPACKDecoder(tableSize: 10_000)
        encoder.setPeerTableSize(10_000)
        var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 100)
        for _ in 0..<200 {
            while Int.random(in: 0..<10, using: &generator) == 0 {
                encoder.setPeerTableSize(Int.random(in: 0...10_000, using: &generator))
            }
            let head = generator.head(Self.names)
            var block: [UInt8] = []
            encoder.beginBlock(into: &block)
            for field in head {
                let indexing = [HPACKEncoder.Indexing.indexed, .indexed, .notIndexed, .neverIndexed]
                    .randomElement(using: &generator)
                encoder.encode(field, indexing ?? .indexed, into: &block)
            }
            fields.removeAll(maxBytes: 1 << 20, maxFields: 100)
            try decoder.decode(block, into: &fields)
            #expect(fields.text == head)
            #expect(decoder.table.size == encoder.table.size)
            #expect(decoder.table.maxSize == encoder.table.maxSize)
        }
        #expect(decoder.table.text == encoder.table.text)
    }

    @Test("No change to a block traps, and no table grows beyond its bound", arguments: 0..<4)
    func mutations(seed: UInt64) {
        var generator = Generator(seed: seed &+ 100)
        var fields = DecodedFields(maxBytes: 4096, maxFields: 20)
        for _ in 0..<700 {
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder()
            for _ in 0..<4 {
                var block = encoder.block(generator.head(Self.names))
                for _ in 0..<Int.random(in: 0...3, using: &generator) where !block.isEmpty {
                    let at = Int.random(in: 0..<block.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: block[at] = UInt8.random(in: 0...255, using: &generator)
                    case 1: block[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    case 2: block.remove(at: at)
                    default: block.insert([0x00, 0x20, 0x3F, 0x7F, 0x80, 0xBE, 0xFF][at % 7], at: at)
                    }
                }
                fields.removeAll(maxBytes: 4096, maxFields: 20)
                guard (try? decoder.decode(block, into: &fields)) != nil else { break }
                #expect(decoder.table.size <= 4096)
                #expect(fields.count <= 20)
                #expect(fields.bytes.count <= 4096)
            }
        }
    }
}

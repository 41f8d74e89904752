// HPACKSizeTests: the dynamic table's size: the encoder's announcements, and evictions at both ends (RFC 7541 sections
// 4.2 and 6.3).

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKSizeTests {
    @Test(
        "The next block begins with the smallest and the final size, and only where they are due",
        arguments: [
            ([], ""), ([4096], ""), ([100_000], ""), ([0], "20"), ([30], "3e"), ([31], "3f00"), ([-1], "20"),
            ([1337], "3f9a0a"), ([256, 128], "3f61"), ([128, 256], "3f61 3fe101"), ([0, 4096], "20 3fe11f"),
            ([256, 0, 100, 128], "20 3f61"), ([4096, 100_000, 4096], "3fe11f"),
        ])
    func updates(sizes: [Int], digits: String) {
        var encoder = HPACKEncoder()
        for size in sizes { encoder.setPeerTableSize(size) }
        #expect(encoder.block([]) == bytes(digits))
        #expect(encoder.block([]) == [])
        #expect(encoder.table.maxSize == sizes.last.map { min(max($0, 0), 4096) } ?? 4096)
    }

    @Test("A table that grows keeps its entries, from the newest to the oldest", arguments: [15, 16, 17, 32, 33, 60])
    func growingTable(count: Int) throws {
        // A literal with incremental indexing for each entry, and then each entry by its index.
        var block: [UInt8] = []
        for number in 0..<count { block += [0x40, 1, 0x61, 1, UInt8(0x30 + number)] }
        for age in 0..<count { block.append(0x80 | UInt8(62 + age)) }
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 1_000)
        try decoder.decode(block, into: &fields)
        let values = fields.slots.map { fields.bytes[Int($0.valueStart)] }
        let written = (0..<count).map { UInt8(0x30 + $0) }
        #expect(values == written + written.reversed())
    }

    @Test("Our own bound is announced where it is below what the peer starts from, and never exceeded")
    func ownBounds() {
        var small = HPACKEncoder(tableSize: 100)
        #expect(small.block([]) == bytes("3f45"))
        small.setPeerTableSize(8192)
        #expect(small.block([]) == [])
        #expect(small.table.maxSize == 100)

        var large = HPACKEncoder(tableSize: 8192)
        #expect(large.block([]) == [])
        #expect(large.table.maxSize == 4096)
        large.setPeerTableSize(100_000)
        #expect(large.block([]) == bytes("3fe13f"))
        #expect(large.table.maxSize == 8192)
        // A peer that lowers its limit gets an update, even if our own limit is lower all the time.
        large.setPeerTableSize(50_000)
        #expect(large.block([]) == bytes("3fe13f"))

        var none = HPACKEncoder(tableSize: 0)
        #expect(none.block([TextField("a", "b")]) == bytes("20 0001 6101 62"))
        #expect(none.table.count == 0)
    }

    @Test("A smaller size makes both ends forget the same entries, a larger one forgets none")
    func bothEndsForget() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        let head = (0..<10).map { TextField("name-\($0)", "value") }
        #expect(try decoder.fields(of: encoder.block(head)) == head)
        #expect(decoder.table.size == 430)
        for (size, count) in [(4096, 10), (430, 10), (429, 9), (4096, 9), (86, 2), (85, 1), (43, 1), (42, 0)] {
            encoder.setPeerTableSize(size)
            #expect(try decoder.fields(of: encoder.block([])) == [])
            #expect(encoder.table.text == Array(head.reversed().prefix(count)))
            #expect(decoder.table.text == encoder.table.text)
            #expect(decoder.table.size == count * 43)
            #expect(decoder.table.maxSize == size)
        }
        encoder.setPeerTableSize(4096)
        #expect(try decoder.fields(of: encoder.block(head)) == head)
        #expect(decoder.table.count == 10)
    }

    @Test("A decoder starts from 4,096 bytes or from less, if less was announced, and grows when the peer says so")
    func announcedSizes() throws {
        #expect(HPACKDecoder(tableSize: 256).table.maxSize == 256)
        var decoder = HPACKDecoder(tableSize: 65536)
        #expect(decoder.table.maxSize == 4096)
        var encoder = HPACKEncoder(tableSize: 65536)
        encoder.setPeerTableSize(65536)
        let head = (0..<700).map { TextField("name-\($0)", String(repeating: "v", count: $0 % 50)) }
        for _ in 0..<3 {
            #expect(try decoder.fields(of: encoder.block(head)) == head)
            #expect(decoder.table.text == encoder.table.text)
        }
        #expect(decoder.table.count == 700)
        // Every field comes from the table by then, in two or three bytes.
        #expect(encoder.block(head).count < 3 * head.count)
    }
}

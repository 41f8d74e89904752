// HPACKLimitTests: the limits on a head, and that no block makes the decoder hold more.

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKLimitTests {
    /// An entry that fills the table, and `count` fields that refer to it, one byte each.
    private func bomb(_ count: Int, tableSize: Int = 4096) -> [UInt8] {
        let value = [UInt8](repeating: 0x21, count: tableSize - 33)
        var block: [UInt8] = [0x40, 0x01, 0x61, 0x7F]
        // The length in groups of seven bits.
        var rest = value.count - 127
        while rest >= 128 {
            block.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        block.append(UInt8(rest))
        return block + value + [UInt8](repeating: 0xBE, count: count)
    }

    @Test("A small block that names a large entry a few times too often is not kept, and the next one is read")
    func aBomb() throws {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 64 << 10, maxFields: 1000)
        try decoder.decode(bomb(60), into: &fields)
        #expect(fields.excess == .bytes)
        #expect(fields.count == 16)
        // Without the overhead that each field counts.
        #expect(fields.bytes.count == 16 * 4064)
        #expect(decoder.table.count == 1)
        #expect(decoder.table.size == 4096)

        fields.removeAll(maxBytes: 64 << 10, maxFields: 1000)
        #expect(fields.excess == nil)
        #expect(fields.count == 0)
        try decoder.decode(bytes("82 be"), into: &fields)
        #expect(fields.excess == nil)
        #expect(fields.text.map(\.name) == [":method", "a"])
        #expect(fields.text.last?.value.utf8.count == 4063)
    }

    /// An entry whose name fills the table, and `count` entries with the same name, two bytes each.
    private func bombOfNames(_ count: Int) -> [UInt8] {
        var block: [UInt8] = [0x40, 0x7F, 0xE1, 0x1E] + [UInt8](repeating: 0x21, count: 4064) + [0x00]
        for _ in 0..<count { block += [0x7E, 0x00] }
        return block
    }

    @Test("FAULT 4: a block that decodes to more than four times its limit is refused, and so is all after it")
    func floods() throws {
        // Each field counts 4,096 bytes, so 16 are kept and 48 are dropped.
        for (count, isRefused) in [(63, false), (64, true), (60_000, true)] {
            for block in [bomb(count), bombOfNames(count)] {
                var decoder = HPACKDecoder()
                var fields = DecodedFields(maxBytes: 64 << 10, maxFields: 1000)
                do throws(WireError) {
                    try decoder.decode(block, into: &fields)
                    #expect(!isRefused)
                } catch {
                    #expect(isRefused)
                    #expect(error.kind == .limitExceeded)
                    do throws(WireError) {
                        try decoder.decode([0x82], into: &fields)
                        Issue.record("a block after the refused one was decoded")
                    } catch let again {
                        #expect(again == error)
                    }
                }
                #expect(fields.count == 16)
            }
        }
    }

    @Test("FAULT 4: what is dropped of one block does not count against the next")
    func blocksAreCountedAlone() throws {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 64 << 10, maxFields: 2)
        for _ in 0..<20 {
            fields.removeAll(maxBytes: 64 << 10, maxFields: 2)
            try decoder.decode(bomb(40), into: &fields)
            #expect(fields.count == 2)
            #expect(fields.excess == .fields)
        }
    }

    @Test("A bomb of new entries, each with the large name of the one before, is held within the table")
    func aBombOfNames() throws {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 64 << 10, maxFields: 1000)
        try decoder.decode(bombOfNames(50), into: &fields)
        #expect(fields.excess == .bytes)
        #expect(fields.count == 16)
        #expect(decoder.table.text == [TextField(String(repeating: "!", count: 4064), "")])
    }

    @Test("Fields behind the limit go to the table all the same, so that later blocks are read right")
    func theTableStaysInStep() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        let heads = (0..<5).map { head in (0..<20).map { TextField("name-\($0)", "value-\(head * $0 % 7)") } }
        for head in heads.dropLast() {
            var fields = DecodedFields(maxBytes: 200, maxFields: 100)
            try decoder.decode(encoder.block(head), into: &fields)
            #expect(fields.excess == .bytes)
            #expect(fields.text == Array(head.prefix(4)))
            #expect(decoder.table.text == encoder.table.text)
        }
        let last = try #require(heads.last)
        #expect(try decoder.fields(of: encoder.block(last)) == last)
    }

    @Test("A head of exactly the limits is kept; a byte or a field more is not")
    func limits() throws {
        let head = [TextField(":status", "200"), TextField("a", "b"), TextField("cd", "")]
        var encoder = HPACKEncoder()
        let block = encoder.block(head)
        let size = head.reduce(0) { $0 + $1.size }
        for (maxBytes, maxFields, count, excess) in [
            (size, 3, 3, nil), (size + 1, 4, 3, nil), (size - 1, 3, 2, DecodedFields.Excess.bytes),
            (size, 2, 2, .fields),
            (size, 0, 0, .fields), (0, 3, 0, .bytes), (31, 3, 0, .bytes), (-1, -1, 0, .bytes), (.max, .max, 3, nil),
        ] {
            var decoder = HPACKDecoder()
            var fields = DecodedFields(maxBytes: maxBytes, maxFields: maxFields)
            try decoder.decode(block, into: &fields)
            #expect(fields.excess == excess)
            #expect(fields.text == Array(head.prefix(count)))
        }
    }

    @Test("What comes behind the excess is not kept, though it would fit")
    func nothingBehindTheExcess() throws {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 100, maxFields: 10)
        // ":path: /", then a field of 100 bytes, then ":path: /" again.
        try decoder.decode([0x84, 0x04, 0x64] + [UInt8](repeating: 0x2F, count: 100) + [0x84], into: &fields)
        #expect(fields.text == [TextField(":path", "/")])
        #expect(fields.excess == .bytes)
    }

    @Test("The fields of several blocks lie one behind the other until they are removed")
    func severalBlocks() throws {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 1000, maxFields: 10)
        try decoder.decode(bytes("82"), into: &fields)
        try decoder.decode(bytes("84"), into: &fields)
        #expect(fields.text == [TextField(":method", "GET"), TextField(":path", "/")])
        fields.removeAll(maxBytes: 1000, maxFields: 10)
        #expect(fields.text.isEmpty)
        #expect(fields.bytes.isEmpty)
    }

    @Test("Heads far larger than the memory that is there at first are read whole")
    func largeHeads() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 2000)
        for length in [0, 1, 500, 5000, 200_000, 3, 200_000] {
            let head =
                [TextField("large", String(repeating: "ab~\u{1}", count: length))]
                + (0..<1500).map { TextField("name-\($0)", "v") }
            fields.removeAll(maxBytes: 1 << 20, maxFields: 2000)
            try decoder.decode(encoder.block(head), into: &fields)
            #expect(fields.excess == nil)
            #expect(fields.text == head)
        }
    }

    @Test("Entries that do not fit into the table empty it; those that just fit stay alone (RFC 7541 4.4)")
    func largeEntries() throws {
        var decoder = HPACKDecoder(tableSize: 100)
        #expect(try decoder.fields(of: bytes("4001 6101 62")) == [TextField("a", "b")])
        #expect(decoder.table.size == 34)
        // 32 + 1 + 67 bytes.
        let fits = [0x40, 0x01, 0x61, 67] + [UInt8](repeating: 0x62, count: 67)
        #expect(try decoder.fields(of: fits).count == 1)
        #expect(decoder.table.count == 1)
        #expect(decoder.table.size == 100)
        let larger = [0x40, 0x01, 0x61, 68] + [UInt8](repeating: 0x62, count: 68)
        #expect(try decoder.fields(of: larger + [0x82]).count == 2)
        #expect(decoder.table.count == 0)
        #expect(decoder.table.size == 0)
        #expect(throws: WireError.self) { try decoder.fields(of: bytes("be")) }
    }

    @Test("A name taken from an entry that goes because of it stays right (RFC 7541 4.4)")
    func namesOfEvictedEntries() throws {
        var decoder = HPACKDecoder(tableSize: 64)
        let name = "0123456789"
        #expect(try decoder.fields(of: [0x40, 10] + Array(name.utf8) + [1, 0x61]) == [TextField(name, "a")])
        // Each entry evicts the entry that its name refers to.
        for value in ["bcd", "", "efghijklmnopqrstuvwxyz", "z"] {
            let block = [0x7E, UInt8(value.utf8.count)] + Array(value.utf8)
            #expect(try decoder.fields(of: block) == [TextField(name, value)])
            #expect(decoder.table.text == [TextField(name, value)])
        }
        // The same with an entry that is larger than the table: the name is right, and the table is empty.
        let value = String(repeating: "x", count: 23)
        #expect(try decoder.fields(of: [0x7E, 23] + Array(value.utf8)) == [TextField(name, value)])
        #expect(decoder.table.text == [])
    }
}

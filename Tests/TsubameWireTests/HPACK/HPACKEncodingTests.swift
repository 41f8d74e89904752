// HPACKEncodingTests: the encoder's representation of a field: its table, and whether it is indexed.

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKEncodingTests {
    @Test("All 61 entries of the static table are one byte, and are read as that")
    func staticEntries() throws {
        var decoder = HPACKDecoder()
        for index in 1...61 {
            let fields = try decoder.fields(of: [0x80 | UInt8(index)])
            var encoder = HPACKEncoder()
            #expect(encoder.block(fields) == [0x80 | UInt8(index)])
            #expect(encoder.block(fields, .notIndexed) == [0x80 | UInt8(index)])
            #expect(encoder.table.count == 0)
        }
    }

    @Test("What is never to be indexed says so, whatever the tables hold, and enters none")
    func neverIndexed() throws {
        var encoder = HPACKEncoder()
        let custom = TextField("token", "#####")
        let cookie = TextField("cookie", "#####")
        #expect(encoder.block([custom, cookie]).first == 0x40)
        #expect(encoder.block([custom, cookie]) == bytes("bfbe"))
        // By name alone: 15 + 48 of the dynamic table, 15 + 17 of the static table.
        #expect(encoder.block([custom], .neverIndexed) == bytes("1f30 0523 2323 2323"))
        #expect(encoder.block([cookie], .neverIndexed) == bytes("1f11 0523 2323 2323"))
        #expect(encoder.block([TextField(":method", "GET")], .neverIndexed) == bytes("12 03 474554"))
        #expect(encoder.block([TextField("#", "")], .neverIndexed) == bytes("10 0123 00"))
        #expect(encoder.table.text == [cookie, custom])
    }

    @Test("What is not to be indexed uses what the tables have, and adds nothing")
    func notIndexed() {
        var encoder = HPACKEncoder()
        #expect(encoder.block([TextField(":path", "##")], .notIndexed) == bytes("04 022323"))
        #expect(encoder.block([TextField("##", "##")], .notIndexed) == bytes("00 022323 022323"))
        #expect(encoder.table.count == 0)
        _ = encoder.block([TextField("##", "##")])
        #expect(encoder.block([TextField("##", "##")], .notIndexed) == bytes("be"))
        #expect(encoder.block([TextField("##", "#")], .notIndexed) == bytes("0f2f 0123"))
        #expect(encoder.table.count == 1)
    }

    @Test("What does not fit into the table is sent without emptying it")
    func largeFields() throws {
        var encoder = HPACKEncoder()
        let small = TextField("##", "##")
        _ = encoder.block([small])
        let fits = TextField("x", String(repeating: "#", count: 4096 - 33))
        let larger = TextField("x", String(repeating: "#", count: 4096 - 32))
        #expect(encoder.block([larger]).first == 0x00)
        #expect(encoder.table.text == [small])
        #expect(encoder.block([fits]).first == 0x40)
        #expect(encoder.table.text == [fits])
    }

    @Test("Of equal names, and of equal fields, the newest is taken; those that are gone are not")
    func theNewest() throws {
        var encoder = HPACKEncoder(tableSize: 120)
        // 40 bytes each, so that the table holds three.
        let fields = (0..<6).map { TextField("name", "###\($0)") }
        _ = encoder.block(Array(fields.prefix(3)))
        #expect(encoder.block([fields[0], fields[1], fields[2]]) == bytes("c0 bf be"))
        // The name of the newest entry; the oldest entry is evicted.
        #expect(encoder.block([fields[3]]) == bytes("7e 04 2323 2333"))
        #expect(encoder.block([fields[0]], .notIndexed) == bytes("0f2f 04 2323 2330"))
        #expect(encoder.block([fields[1], fields[2], fields[3]]) == bytes("c0 bf be"))
        _ = encoder.block(fields)
        #expect(encoder.table.text == [fields[5], fields[4], fields[3]])
    }

    @Test("Twenty thousand different fields later the tables are as small, and in step")
    func manyFields() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        for round in 0..<2_000 {
            let head = (0..<10).map { TextField("name-\($0)", "\(round * $0 % 1009)") }
            let read = try decoder.fields(of: encoder.block(head))
            if read != head { Issue.record("round \(round): \(read)") }
        }
        #expect(decoder.table.text == encoder.table.text)
        #expect(encoder.table.size <= 4096)
    }
}

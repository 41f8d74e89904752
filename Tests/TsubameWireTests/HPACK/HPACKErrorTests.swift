// HPACKErrorTests: RFC 7541's decoding errors: each is refused with its position, and the decoder reads no further.

import Testing
import TsubameCore
import TsubameWire

@Suite struct HPACKErrorTests {
    private func refusal(_ block: [UInt8], tableSize: Int = 4096) -> WireError? {
        var decoder = HPACKDecoder(tableSize: tableSize)
        do throws(WireError) {
            _ = try decoder.fields(of: block)
            return nil
        } catch {
            #expect(error.kind == .invalidResponse)
            return error
        }
    }

    @Test(
        "What is broken is refused, with what it is and where",
        arguments: [
            // Indices (2.3.3, 6.1).
            ("80", "index 0", 0), ("8280", "index 0", 1), ("be", "index 62 of 61", 0), ("c1", "index 65 of 61", 0),
            ("4001 6101 62 be bf", "index 63 of 62", 6), ("7e 0161", "index 62 of 61", 0),
            ("0f2f 0161", "index 62 of 61", 0), ("1f2f 0161", "index 62 of 61", 0),
            ("ffff ffff 0f", "index 33554558 of 61", 0),
            // Integers (5.1).
            ("ff", "integer is cut off", 0), ("82 ff80", "integer is cut off", 1), ("3f", "integer is cut off", 0),
            ("0f", "integer is cut off", 0), ("0001 617f", "integer is cut off", 3), ("7f", "integer is cut off", 0),
            ("ff80 8080 8008", "integer is too large", 0), ("ffff ffff ff7f", "integer is too large", 0),
            ("ff80 8080 8080 00", "integer has too many bytes", 0),
            ("82 ffff ffff ffff ffff ff7f", "too many bytes", 1),
            // Strings (5.2).
            ("00", "string is missing", 1), ("40 0161", "string is missing", 3), ("04", "string is missing", 1),
            ("00 0261", "string of 2 bytes where 1 are left", 1), ("04 01", "string of 1 bytes where 0 are left", 1),
            ("04 82f8", "string of 2 bytes where 1 are left", 1), ("04 7fff ffff 07", "string of", 1),
            // "a" is 00011.
            ("04 8118", "ends within a code", 1), ("04 811e", "ends within a code", 1),
            ("04 821f ff", "more than 7 bits of padding", 1), ("04 81ff", "more than 7 bits of padding", 1),
            ("04 82ffff", "more than 7 bits of padding", 1), ("04 82fffe", "ends within a code", 1),
            ("04 84ff ffff ff", "code for its end", 1), ("04 851f ffff ffff", "code for its end", 1),
            ("00 81ff 00", "more than 7 bits of padding", 1),
            // Size updates (4.2, 6.3).
            ("3fe2 1f", "size update to 4097, above 4096", 0), ("3f ffff ff07", "size update", 0),
            ("82 20", "size update after a field", 1), ("20 82 20", "size update after a field", 2),
            ("0001 6101 62 3f 01", "size update after a field", 5),
        ])
    func refused(digits: String, words: String, offset: Int) throws {
        let error = try #require(refusal(bytes(digits)))
        #expect(error.description.contains(words))
        #expect(error.description.hasSuffix("at byte \(offset)"))
    }

    @Test(
        "What is at the very limit is read",
        arguments: [
            ("", 0), ("bd", 1), ("4001 6101 62 be", 2), ("20", 0), ("3fe1 1f", 0), ("20 3fe1 1f 82", 1),
            ("3fe1 1f 20 20 82", 1), ("0001 6100", 1), ("0000 00", 1), ("0080 80", 1), ("04 811f", 1),
            // Integers with more bytes than they need, up to five.
            ("0f80 8080 8000 0161", 1), ("3f80 8080 8000", 0),
        ])
    func read(digits: String, count: Int) throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: bytes(digits)).count == count)
    }

    @Test("The announced size bounds updates, whatever it is", arguments: [0, 1, 30, 31, 100, 4095, 4097, 65536])
    func announcedSizes(size: Int) throws {
        func update(_ size: Int) -> [UInt8] {
            var encoder = HPACKEncoder(tableSize: size)
            // The size goes to zero first, so that an update is due in any case.
            encoder.setPeerTableSize(0)
            encoder.setPeerTableSize(size)
            return encoder.block([])
        }
        #expect(refusal(update(size), tableSize: size) == nil)
        let error = refusal(update(size + 1), tableSize: size)
        #expect(error?.description.contains("size update to \(size + 1), above \(size)") == true)
    }

    @Test("Behind an error nothing is read: the table is out of step")
    func theErrorStays() throws {
        var decoder = HPACKDecoder()
        let first = #expect(throws: WireError.self) { try decoder.fields(of: bytes("8280")) }
        let second = #expect(throws: WireError.self) { try decoder.fields(of: bytes("82")) }
        #expect(first == second)
    }

    @Test("Every block that is cut short is read up to a field's end, or refused")
    func cutBlocks() throws {
        let fields = (0..<20).map { TextField("name-\($0)", String(repeating: "é%", count: $0)) }
        var encoder = HPACKEncoder()
        let block = encoder.block(fields)
        var whole = 0
        for count in 0..<block.count {
            var decoder = HPACKDecoder()
            if let read = try? decoder.fields(of: Array(block.prefix(count))) {
                #expect(read == Array(fields.prefix(read.count)))
                whole += 1
            }
        }
        #expect(whole == fields.count)
    }
}

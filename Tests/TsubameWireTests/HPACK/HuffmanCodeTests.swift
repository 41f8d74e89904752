// HuffmanCodeTests: the Huffman code built from its lengths equals the code in RFC 7541 Appendix B.

import Testing
import TsubameCore
@testable import TsubameWire

@Suite struct HuffmanCodeTests {
    /// A literal without indexing, named "a", with a coded value of these bits.
    private func block(_ bits: String) -> [UInt8] {
        let padded = bits + String(repeating: "1", count: (8 - bits.count % 8) % 8)
        var value: [UInt8] = []
        var rest = Substring(padded)
        while let byte = UInt8(rest.prefix(8), radix: 2) {
            value.append(byte)
            rest = rest.dropFirst(8)
        }
        precondition(value.count < 127)
        return [0x00, 0x01, 0x61, 0x80 | UInt8(value.count)] + value
    }

    private func bits(_ symbol: Int) -> String {
        let code = String(Self.codes[symbol].code, radix: 2)
        return String(repeating: "0", count: Self.codes[symbol].length - code.count) + code
    }

    private func values(_ block: [UInt8]) throws -> [[UInt8]] {
        var decoder = HPACKDecoder()
        var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 100)
        try decoder.decode(block, into: &fields)
        return fields.slots.map { slot in
            Array(fields.bytes[Int(slot.valueStart)..<Int(slot.valueStart + slot.valueLength)])
        }
    }

    @Test("Each character's code is read: alone with padding, eight times without, and with others around it")
    func eachCodeIsRead() throws {
        for symbol in 0..<256 {
            let bits = bits(symbol)
            let byte = UInt8(symbol)
            #expect(try values(block(bits)) == [[byte]])
            #expect(try values(block(String(repeating: bits, count: 8))) == [Array(repeating: byte, count: 8)])
            for before in 1..<8 {
                let between = String(repeating: self.bits(0x61), count: before)
                let expected = Array(repeating: UInt8(0x61), count: before)
                #expect(try values(block(between + bits + between)) == [expected + [byte] + expected])
            }
        }
    }

    @Test("Each character's code is written, padded with ones")
    func eachCodeIsWritten() {
        for symbol in 0..<256 {
            // Enough short codes that the coded string is the shorter one.
            for before in 16..<24 {
                let value = Array(repeating: UInt8(0x61), count: before) + [UInt8(symbol)]
                var encoder = HPACKEncoder()
                var output: [UInt8] = []
                Array("a".utf8).withUnsafeBytes { name in
                    value.withUnsafeBytes { encoder.encode(name, $0, .notIndexed, into: &output) }
                }
                // The name takes one byte, with or without the Huffman code.
                output[1...2] = [0x01, 0x61]
                #expect(output == block(String(repeating: bits(0x61), count: before) + bits(symbol)))
            }
        }
    }

    @Test("No code but those is read, and nothing but ones is padding")
    func everyStringOfTwoBytesIsReadAsTheCodesSay() throws {
        let names = Dictionary(uniqueKeysWithValues: (0..<256).map { (bits($0), UInt8($0)) })
        for number in 0..<0x10000 {
            let digits = String(number, radix: 2)
            let bits = String(repeating: "0", count: 16 - digits.count) + digits
            var expected: [UInt8]? = []
            var code = ""
            for bit in bits {
                code.append(bit)
                guard let byte = names[code] else { continue }
                expected?.append(byte)
                code = ""
            }
            if code.count > 7 || code.contains("0") { expected = nil }
            let read = try? values([0x00, 0x01, 0x61, 0x82, UInt8(number >> 8), UInt8(number & 0xFF)])
            if read != expected.map({ [$0] }) { Issue.record("\(bits): \(String(describing: read))") }
        }
    }

    @Test("Nothing behind the string is read, whatever its length") func nothingBehindTheStringIsRead() throws {
        let memory = GuardedMemory(capacity: 64)
        for length in 1...40 {
            // Eight characters of five bits fill five bytes, and 'a' is 00011.
            let value = [UInt8](repeating: 0x61, count: length)
            let coded = Array(block(String(repeating: bits(0x61), count: length)).dropFirst(4))
            var output = [UInt8](repeating: 0, count: 128)
            let count = try output.withUnsafeMutableBytes { output in
                try HuffmanCode.shared.decode(memory.copy(of: coded), to: #require(output.baseAddress))
            }
            #expect(Array(output.prefix(count)) == value)
        }
    }

    @Test("No bytes are no characters") func noBytes() throws {
        var output = [UInt8](repeating: 0, count: 16)
        let count = try output.withUnsafeMutableBytes { output in
            try HuffmanCode.shared.decode(
                UnsafeRawBufferPointer(start: nil, count: 0), to: #require(output.baseAddress))
        }
        #expect(count == 0)
    }

    @Test("The code for the end of the string is an error wherever it stands")
    func theEndOfTheString() {
        let end = bits(256)
        #expect(end == String(repeating: "1", count: 30))
        for before in 0..<16 {
            for after in 0..<9 {
                let bits =
                    String(repeating: bits(0x61), count: before) + end + String(repeating: bits(0x61), count: after)
                let error = #expect(throws: WireError.self) { try values(block(bits)) }
                #expect(error?.description.contains("Huffman") == true)
            }
        }
    }

    /// The codes of RFC 7541 Appendix B, aligned to the right.
    private static let codes: [(code: UInt32, length: Int)] = zip(hexadecimals, lengths).map { ($0, $1) }

    private static let hexadecimals: [UInt32] = [
        0x1ff8, 0x7fffd8, 0xfffffe2, 0xfffffe3, 0xfffffe4, 0xfffffe5, 0xfffffe6, 0xfffffe7,
        0xfffffe8, 0xffffea, 0x3ffffffc, 0xfffffe9, 0xfffffea, 0x3ffffffd, 0xfffffeb, 0xfffffec,
        0xfffffed, 0xfffffee, 0xfffffef, 0xffffff0, 0xffffff1, 0xffffff2, 0x3ffffffe, 0xffffff3,
        0xffffff4, 0xffffff5, 0xffffff6, 0xffffff7, 0xffffff8, 0xffffff9, 0xffffffa, 0xffffffb,
        0x14, 0x3f8, 0x3f9, 0xffa, 0x1ff9, 0x15, 0xf8, 0x7fa,
        0x3fa, 0x3fb, 0xf9, 0x7fb, 0xfa, 0x16, 0x17, 0x18,
        0x0, 0x1, 0x2, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,
        0x1e, 0x1f, 0x5c, 0xfb, 0x7ffc, 0x20, 0xffb, 0x3fc,
        0x1ffa, 0x21, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x62,
        0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a,
        0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72,
        0xfc, 0x73, 0xfd, 0x1ffb, 0x7fff0, 0x1ffc, 0x3ffc, 0x22,
        0x7ffd, 0x3, 0x23, 0x4, 0x24, 0x5, 0x25, 0x26,
        0x27, 0x6, 0x74, 0x75, 0x28, 0x29, 0x2a, 0x7,
        0x2b, 0x76, 0x2c, 0x8, 0x9, 0x2d, 0x77, 0x78,
        0x79, 0x7a, 0x7b, 0x7ffe, 0x7fc, 0x3ffd, 0x1ffd, 0xffffffc,
        0xfffe6, 0x3fffd2, 0xfffe7, 0xfffe8, 0x3fffd3, 0x3fffd4, 0x3fffd5, 0x7fffd9,
        0x3fffd6, 0x7fffda, 0x7fffdb, 0x7fffdc, 0x7fffdd, 0x7fffde, 0xffffeb, 0x7fffdf,
        0xffffec, 0xffffed, 0x3fffd7, 0x7fffe0, 0xffffee, 0x7fffe1, 0x7fffe2, 0x7fffe3,
        0x7fffe4, 0x1fffdc, 0x3fffd8, 0x7fffe5, 0x3fffd9, 0x7fffe6, 0x7fffe7, 0xffffef,
        0x3fffda, 0x1fffdd, 0xfffe9, 0x3fffdb, 0x3fffdc, 0x7fffe8, 0x7fffe9, 0x1fffde,
        0x7fffea, 0x3fffdd, 0x3fffde, 0xfffff0, 0x1fffdf, 0x3fffdf, 0x7fffeb, 0x7fffec,
        0x1fffe0, 0x1fffe1, 0x3fffe0, 0x1fffe2, 0x7fffed, 0x3fffe1, 0x7fffee, 0x7fffef,
        0xfffea, 0x3fffe2, 0x3fffe3, 0x3fffe4, 0x7ffff0, 0x3fffe5, 0x3fffe6, 0x7ffff1,
        0x3ffffe0, 0x3ffffe1, 0xfffeb, 0x7fff1, 0x3fffe7, 0x7ffff2, 0x3fffe8, 0x1ffffec,
        0x3ffffe2, 0x3ffffe3, 0x3ffffe4, 0x7ffffde, 0x7ffffdf, 0x3ffffe5, 0xfffff1, 0x1ffffed,
        0x7fff2, 0x1fffe3, 0x3ffffe6, 0x7ffffe0, 0x7ffffe1, 0x3ffffe7, 0x7ffffe2, 0xfffff2,
        0x1fffe4, 0x1fffe5, 0x3ffffe8, 0x3ffffe9, 0xffffffd, 0x7ffffe3, 0x7ffffe4, 0x7ffffe5,
        0xfffec, 0xfffff3, 0xfffed, 0x1fffe6, 0x3fffe9, 0x1fffe7, 0x1fffe8, 0x7ffff3,
        0x3fffea, 0x3fffeb, 0x1ffffee, 0x1ffffef, 0xfffff4, 0xfffff5, 0x3ffffea, 0x7ffff4,
        0x3ffffeb, 0x7ffffe6, 0x3ffffec, 0x3ffffed, 0x7ffffe7, 0x7ffffe8, 0x7ffffe9, 0x7ffffea,
        0x7ffffeb, 0xffffffe, 0x7ffffec, 0x7ffffed, 0x7ffffee, 0x7ffffef, 0x7fffff0, 0x3ffffee,
        0x3fffffff,
    ]

    private static let lengths: [Int] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
        28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
        7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
        23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
        21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]
}

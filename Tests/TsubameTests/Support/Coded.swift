// Coded: coded contents, made by hand for RFC 1950, 1951 and 1952, and by the libraries for brotli and zstd.

import TsubameCore
import TsubameWire

/// Contents in the codings that a client decodes. Blocks are stored without compression, except in the bombs.
enum Coded {
    static func gzip(_ text: String) -> [UInt8] { gzip(Array(text.utf8)) }

    static func gzip(_ content: [UInt8]) -> [UInt8] {
        gzipHeader + stored(content) + littleEndian(crc32(content)) + littleEndian(UInt32(content.count))
    }

    /// `deflate` as RFC 9110 defines it, in zlib's format.
    static func zlib(_ content: [UInt8]) -> [UInt8] {
        [0x78, 0x01] + stored(content) + littleEndian(adler32(content)).reversed()
    }

    /// `deflate` as some servers send it, without zlib's format.
    static func rawDeflate(_ content: [UInt8]) -> [UInt8] { stored(content) }

    /// nil where libbrotlienc is not installed.
    static func brotli(_ content: [UInt8]) -> [UInt8]? { encoded(content, by: BrotliEncoder()) }

    /// nil where libzstd is not installed.
    static func zstd(_ content: [UInt8]) -> [UInt8]? { encoded(content, by: ZstandardEncoder()) }

    private static func encoded(_ content: [UInt8], by encoder: (any ContentEncoder)?) -> [UInt8]? {
        var output: [UInt8] = []
        return encoder?.encode(Bytes(content), isLast: true, into: &output) == true ? output : nil
    }

    /// The beginning of a zstd frame that never ends, with 32,768 zeros for each byte.
    /// - Returns: a start, and a piece that can follow the start any number of times.
    static var endlessZstdZeros: (start: [UInt8], piece: [UInt8]) {
        // A window of 128 KiB, and blocks of one byte that is repeated 128 Ki times.
        let block: [UInt8] = [0x02, 0x00, 0x10, 0x00]
        return ([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38], Array(repeatElement(block, count: 1_024).joined()))
    }

    /// The beginning of a gzip member that never ends, with 1,270 zeros for each byte.
    /// - Returns: a start, and a piece that can follow the start any number of times.
    static var endlessZeros: (start: [UInt8], piece: [UInt8]) {
        // A last block with fixed codes (3 bits), a literal zero (8 bits), then copies of 258 bytes from one byte back.
        // A copy is 11000101 for the length and 00000 for the distance. Eight copies take 13 bytes, at any bit offset.
        var bits: [Bool] = [true, true, false] + binary("00110000")
        for _ in 0..<16 { bits += binary("11000101") + binary("00000") }
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { bits[start + $1] ? $0 | 1 << UInt8($1) : $0 }
        }
        let period = Array(bytes[2..<15])
        return (gzipHeader + bytes[..<2], Array(repeatElement(period, count: 512).joined()))
    }

    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    private static func binary(_ digits: String) -> [Bool] { digits.map { $0 == "1" } }

    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = content[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            output += [rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8)]
            output += [UInt8(~length & 255), UInt8(~length >> 8)] + block
        } while !rest.isEmpty
        return output
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32($0 * 8)) }
    }

    private static func crc32(_ content: [UInt8]) -> UInt32 {
        var sum: UInt32 = ~0
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
        }
        return ~sum
    }

    private static func adler32(_ content: [UInt8]) -> UInt32 {
        let (a, b) = content.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65_521
            return (a, (sums.1 + a) % 65_521)
        }
        return b << 16 | a
    }
}

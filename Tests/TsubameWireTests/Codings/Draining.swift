// Draining: reads the whole output of a decoder, for tests.

import TsubameWire

extension ContentDecoder {
    /// The whole output for this piece of input, taken `room` bytes at a time.
    func drain(_ input: [UInt8], room: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        var rest = input[...]
        var buffer = [UInt8](repeating: 0, count: room)
        repeat {
            var consumed = 0
            let produced = try buffer.withUnsafeMutableBytes { buffer in
                try rest.withUnsafeBytes { try decode(into: buffer, from: $0, inputConsumed: &consumed) }
            }
            output += buffer.prefix(produced)
            rest = rest.dropFirst(consumed)
        } while !rest.isEmpty || mayHaveMore
        return output
    }

    /// The content of these pieces, which must be complete.
    func decode(_ pieces: [[UInt8]], room: Int = 4_096) throws -> [UInt8] {
        var output: [UInt8] = []
        for piece in pieces { output += try drain(piece, room: room) }
        try finish()
        return output
    }
}

/// The bytes of hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
        UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
    }
}

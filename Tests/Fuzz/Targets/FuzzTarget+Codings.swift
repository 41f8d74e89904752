// FuzzTarget+Codings: gzip, deflate, brotli and zstd. A decoder returns the same bytes for each way to cut its input, and writes
// no more than its output holds.

import TsubameCore
import TsubameWire

/// The content that a decoder made of an input, or its error.
struct DecodedInput: Equatable {
    /// At most this many bytes are looked at. A few bytes of input can decode to gigabytes.
    static let limit = 1 << 18

    var bytes: [UInt8] = []
    var failure: String?
    var isCutOff = false

    /// - Parameter room: the size of the output of one call.
    init(_ decoder: any ContentDecoder, _ pieces: [[UInt8]], room: Int) throws(Finding) {
        for piece in pieces {
            guard try take(piece, decoder, room) else { return }
        }
        do throws(ContentCodingError) {
            try decoder.finish()
        } catch {
            failure = "\(error)"
        }
    }

    /// - Returns: whether the decoder takes more.
    private mutating func take(_ piece: [UInt8], _ decoder: any ContentDecoder, _ room: Int) throws(Finding) -> Bool {
        var output = [UInt8](repeating: 0, count: room)
        var rest = piece
        var idle = 0
        repeat {
            var consumed = 0
            var written = 0
            do throws(ContentCodingError) {
                written = try rest.withExactCopy { memory throws(ContentCodingError) in
                    var count = 0
                    var failure: ContentCodingError?
                    output.withUnsafeMutableBytes { buffer in
                        do throws(ContentCodingError) {
                            count = try decoder.decode(into: buffer, from: memory, inputConsumed: &consumed)
                        } catch {
                            failure = error
                        }
                    }
                    if let failure { throw failure }
                    return count
                }
            } catch {
                failure = "\(error)"
                return false
            }
            try require((0...rest.count).contains(consumed), "\(consumed) of \(rest.count) bytes were consumed")
            try require((0...room).contains(written), "\(written) bytes were written into \(room)")
            bytes += output[..<written]
            rest.removeFirst(consumed)
            idle = consumed == 0 && written == 0 ? idle + 1 : 0
            try require(idle < 3, "the decoder neither reads nor writes")
            if bytes.count >= Self.limit {
                bytes.removeSubrange(Self.limit...)
                isCutOff = true
                return false
            }
        } while !rest.isEmpty || decoder.mayHaveMore
        return true
    }
}

extension FuzzTarget {
    private static func coding(_ name: String, _ coding: ReceivedCoding) -> FuzzTarget {
        FuzzTarget(
            name, upTo: 2_048, needs: "the library for \(name)",
            isAvailable: { ReceivedCoding.available.contains(coding) }
        ) { bytes in
            let whole = try DecodedInput(try coding.decoder(), [bytes], room: 65_536)
            let cut = try DecodedInput(try coding.decoder(), Cuts.pieces(bytes), room: 1_000)
            guard !whole.isCutOff, !cut.isCutOff else {
                let other = whole.isCutOff ? cut : whole
                try require(other.isCutOff || other.failure != nil, "another cut is a shorter content")
                // With an error, libzstd does not give the last block.
                let mayMiss = coding == .zstd && other.failure != nil ? 128 << 10 : 0
                let missing = abs(whole.bytes.count - cut.bytes.count)
                try require(missing <= mayMiss, "another cut gives \(missing) bytes less or more")
                let areEqual = zip(whole.bytes, cut.bytes).allSatisfy(==)
                return try require(areEqual, "another cut is another content")
            }
            if whole.failure == nil, cut.failure == nil {
                try requireEqual(whole.bytes, cut.bytes, "another cut is another content")
            }
            try requireEqual(
                whole.failure == nil, cut.failure == nil,
                "another cut fails: \(whole.failure ?? "") / \(cut.failure ?? "")")
        }
    }

    static let codings = [
        coding("gzip", .gzip), coding("deflate", .deflate), coding("br", .brotli), coding("zstd", .zstd),
    ]
}

// DecodingTransform: decodes a body piece by piece, within DecodingLimits.

import TsubameCore
import TsubameWire

/// Decodes one content coding of a body.
// Only the one reader of a body uses it.
final class DecodingTransform: BodyTransform, @unchecked Sendable {
    private let coding: ReceivedCoding
    /// Made on first use, because many bodies, such as a redirect's, are never read.
    private var made: (any ContentDecoder)?
    private var input = Bytes()
    private var mayHaveMore = false
    private var barren = DecodingLimits.BarrenInput()

    init(_ coding: ReceivedCoding) { self.coding = coding }

    func push(_ input: Bytes) { self.input = input }

    func pull() throws(CallError) -> Bytes? {
        guard input.count > 0 || mayHaveMore else { return nil }
        do throws(ContentCodingError) {
            let decoder = try decoder()
            var consumed = 0
            let capacity = Swift.min(Swift.max(input.count * 4, 4 << 10), DecodingLimits.outputBytes)
            let output = try Bytes(capacity: capacity) { target throws(ContentCodingError) in
                try input.withUnsafeBytes { source throws(ContentCodingError) in
                    try decoder.decode(into: target, from: source, inputConsumed: &consumed)
                }
            }
            // The decoder has neither consumed nor produced anything: it waits for more input.
            let stands = consumed == 0 && output.count == 0
            input = stands ? Bytes() : input.slice(consumed..<Swift.max(consumed, input.count))
            mayHaveMore = decoder.mayHaveMore && output.count == capacity
            try barren.count(consumed, hasOutput: output.count > 0, of: coding)
            // A short output must not keep the whole buffer in memory.
            return output.count < capacity / 4 ? output.copied() : output
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }

    private func decoder() throws(ContentCodingError) -> any ContentDecoder {
        if let made { return made }
        let decoder = try coding.decoder()
        made = decoder
        return decoder
    }

    func finish() throws(CallError) {
        do throws(ContentCodingError) {
            try made?.finish()
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }
}

// ResponseMutationTests: random changes to responses: nothing traps, and no cut changes the outcome.

import Testing
import TsubameCore
import TsubameWire

@Suite struct ResponseMutationTests {
    private static let seeds: [[UInt8]] = [
        "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhelloHTTP/1.1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n z\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.0 200 OK\nContent-Length: 6, 6\nConnection: close\n\nworld!",
        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length:\r\n 3\r\nContent-Length: 03\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nX-Very-Long-Field-Name-Of-Ours: some value, with text\r\n\r\nuntil the connection closes",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    ].map(latin1)

    private static let pieces: [[UInt8]] = [
        "\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "0", "1", "\u{0}", "\u{7F}", "\u{FF}", "chunked",
        "Content-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n", "\r\n ", "HTTP/1.1 100\r\n\r\n", "-", "F", "FFFFFFFFFFFFFFFF", "close",
        "\r\n\r\n",
    ].map(latin1)

    private func mutated(_ seed: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where !bytes.isEmpty: bytes[at] = UInt8.random(in: 0...255, using: &generator)
            case 1 where !bytes.isEmpty: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2 where !bytes.isEmpty: bytes.remove(at: at)
            case 3 where !bytes.isEmpty:
                bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...9, using: &generator)))
            case 4:
                let from = Int.random(in: 0...bytes.count, using: &generator)
                let piece = bytes[from..<min(bytes.count, from + Int.random(in: 0...20, using: &generator))]
                bytes.insert(contentsOf: Array(piece), at: min(at, bytes.count))
            default:
                let piece = Self.pieces.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: piece, at: min(at, bytes.count))
            }
        }
        return bytes
    }

    @Test("BAD-INPUT 1 to 16: no mutation traps, and none comes to something else when it is cut", arguments: 0..<6)
    func mutations(index: Int) {
        var generator = SplitMix64(seed: 0x7375_6261_6D65 &+ UInt64(index))
        var kinds: Set<CallError.Kind?> = []
        for _ in 0..<1_000 {
            let bytes = mutated(Self.seeds[index], &generator)
            var feeder = ResponseFeeder(isHead: Bool.random(using: &generator) && index == 0)
            // Small limits make the responses exceed them, too.
            if Bool.random(using: &generator) {
                feeder.limits.headBytes = 120
                feeder.limits.lineBytes = 50
                feeder.limits.headFields = 5
                feeder.limits.chunkExtensionBytes = 8
                feeder.limits.trailerBytes = 30
                feeder.limits.informationalResponses = 2
            }
            let whole = feeder.feed(bytes)
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            let cut = feeder.feed(bytes, cuts: cuts)
            let bytewise = feeder.feed(bytes, cuts: 1..<max(bytes.count, 1))
            guard whole == cut, whole == bytewise else {
                Issue.record(
                    """
                    \(String(decoding: bytes, as: UTF8.self).debugDescription)
                    whole: \(whole)
                    cut at \(cuts): \(cut)
                    byte by byte: \(bytewise)
                    """)
                return
            }
            kinds.insert(whole.error?.kind)
        }
        // The mutations reach both outcomes.
        #expect(kinds.contains(.invalidResponse))
        #expect(kinds.contains(nil))
    }
}

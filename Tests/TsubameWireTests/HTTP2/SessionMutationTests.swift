// SessionMutationTests: random frames and random changes to valid ones: nothing traps, and the events do not depend on
// the cuts.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionMutationTests {
    /// A generator of a peer's frames, most of them valid. They are the same on every machine.
    private struct Peer: RandomNumberGenerator {
        private var numbers: SplitMix64
        /// The number of requests.
        var count = 1

        init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

        mutating func next() -> UInt64 { numbers.next() }

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
        mutating func isOne(of count: Int) -> Bool { number(0..<count) == 0 }
        mutating func pick<T>(_ choices: [T]) -> T { choices[number(0..<choices.count)] }
        mutating func noise(_ range: Range<Int>) -> [UInt8] {
            (0..<number(range)).map { _ in UInt8(truncatingIfNeeded: next()) }
        }

        mutating func fields(_ status: Int?) -> [UInt8] {
            var block = status.map { PeerFrame.block([":status": "\($0)"]) } ?? []
            for _ in 0..<number(0..<4) {
                switch number(0..<12) {
                case 0: block += PeerFrame.block(["content-length": "\(number(0..<40))"])
                case 1: block.append(isOne(of: 3) ? 0xBE : UInt8(0x80 + number(16..<57)))
                case 2: block += PeerFrame.block([pick(["Upper", "connection", ":status", "a\nb", ""]): "x"])
                case 3..<7: block += PeerFrame.indexed("name-\(number(0..<3))", "value \(number(0..<3))")
                default: block += PeerFrame.block(["a": " b "])
                }
            }
            return block
        }

        mutating func headers(_ stream: UInt32, _ block: [UInt8], ends: Bool) -> [UInt8] {
            guard isOne(of: 3) else { return PeerFrame.headers(stream, block: block, ends: ends) }
            let cut = number(0..<(block.count + 1))
            return PeerFrame.headers(stream, block: Array(block[..<cut]), ends: ends, endsBlock: false)
                + (isOne(of: 3) ? PeerFrame.continuation(stream, [], endsBlock: false) : [])
                + PeerFrame.continuation(stream, Array(block[cut...]))
        }

        mutating func frame() -> [UInt8] {
            let stream = UInt32(2 * number(0..<(isOne(of: 50) ? 4 : count)) + 1)
            switch number(0..<24) {
            case 0..<6: return headers(stream, fields(pick([200, 200, 200, 100, 103, 204, 404])), ends: isOne(of: 3))
            case 6..<14:
                let padding = isOne(of: 4) ? UInt8(number(0..<5)) : nil
                return PeerFrame.data(stream, noise(0..<30), ends: isOne(of: 3), padding: padding)
            case 14: return headers(stream, fields(nil), ends: true)
            case 15: return PeerFrame.ping(UInt8(number(0..<256)))
            case 16: return PeerFrame.settings((pick([1, 3, 4, 6, 8]), UInt32(pick([0, 1, 16_384, 65_535, 1 << 20]))))
            case 17: return PeerFrame.windowUpdate(pick([0, stream]), UInt32(pick([0, 1, 1_000, 0x7FFF_0000])))
            case 18: return PeerFrame.reset(stream, UInt32(number(0..<16)))
            case 19: return isOne(of: 4) ? PeerFrame.goAway(last: stream, UInt32(number(0..<16)), "why") : []
            case 20: return PeerFrame.frame(2, 0, stream, noise(5..<6))
            case 21: return PeerFrame.frame(UInt8(number(10..<256)), UInt8(number(0..<256)), stream, noise(0..<20))
            case 22: return isOne(of: 4) ? PeerFrame.frame(4, 1) : []
            default:
                guard isOne(of: 8) else { return [] }
                return PeerFrame.frame(UInt8(number(0..<11)), UInt8(number(0..<256)), stream, noise(0..<20))
            }
        }

        /// The frames of one response, which may be valid.
        mutating func response(_ stream: UInt32) -> [[UInt8]] {
            let information = isOne(of: 4) ? [headers(stream, fields(103), ends: false)] : []
            let body = (0..<number(0..<4)).map { _ in PeerFrame.data(stream, noise(0..<30), ends: false) }
            let end = isOne(of: 4) ? headers(stream, fields(nil), ends: true) : PeerFrame.data(stream, noise(0..<30))
            let block = isOne(of: 3) ? fields(pick([200, 204, 404])) : PeerFrame.block([":status": "200"])
            return information + [headers(stream, block, ends: false)] + body + [end]
        }

        /// A series of frames, some bytes of which may be wrong.
        mutating func stream() -> [UInt8] {
            var responses = (0..<count).map { response(UInt32(2 * $0 + 1))[...] }
            var bytes: [UInt8] = []
            for _ in 0..<number(1..<20) {
                bytes += isOne(of: 6) ? frame() : responses[number(0..<count)].popFirst() ?? []
            }
            guard isOne(of: 3) else { return bytes }
            for _ in 0..<number(1..<4) where !bytes.isEmpty {
                let at = number(0..<bytes.count)
                switch number(0..<4) {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: next())
                case 1: bytes[at] ^= 1 << UInt8(number(0..<8))
                case 2: bytes.remove(at: at)
                default: bytes.insert(pick([0, 1, 4, 9, 0x7F, 0x80, 0xFF]), at: at)
                }
            }
            return bytes
        }

        mutating func requests() -> [FedRequest] {
            count = number(1..<4)
            return (0..<count).map { _ in
                FedRequest(method: isOne(of: 5) ? "HEAD" : "GET", isWhole: !isOne(of: 3))
            }
        }

        mutating func cuts(_ count: Int) -> [Int] {
            (0..<number(1..<9)).map { _ in number(0..<(count + 1)) }.sorted()
        }
    }

    @Test(
        "Whatever comes, nothing traps, and reads of one byte and of any other length tell the same", arguments: 0..<4)
    func mutations(seed: UInt64) {
        var peer = Peer(seed: seed)
        var (faults, responses) = (0, 0)
        for _ in 0..<250 {
            var feeder = SessionFeeder(requests: peer.requests())
            feeder.hasPreface = !peer.isOne(of: 50)
            let stream = peer.stream()
            let whole = feeder.feed(stream)
            let pieces = feeder.feed(stream, cuts: peer.cuts(stream.count))
            #expect(pieces == whole)
            let bytes = feeder.feed(stream, cuts: 1..<(stream.count + 10))
            #expect(bytes == whole)
            if whole.error != nil { faults += 1 }
            responses += whole.events.count { if case .end = $0 { true } else { false } }
        }
        // The session neither refuses everything nor accepts everything.
        #expect(faults > 25 && faults < 225 && responses > 50, "\(faults) faults, \(responses) responses")
    }

    @Test("Bytes that are no frames at all trap nowhere", arguments: 0..<2)
    func noise(seed: UInt64) {
        var peer = Peer(seed: seed &+ 1_000)
        for _ in 0..<400 {
            var feeder = SessionFeeder.streams(2)
            feeder.hasPreface = peer.isOne(of: 2)
            let stream = peer.noise(0..<80)
            let whole = feeder.feed(stream)
            #expect(feeder.feed(stream, cuts: peer.cuts(stream.count)) == whole)
        }
    }
}

// ResponseFeeder: feeds bytes to a decoder as a connection would, cut in every way, and reports the outcome.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

/// A decoder's result for a stream of bytes, in a form that must not depend on how the stream was cut.
struct Outcome: Equatable, CustomStringConvertible {
    struct Head: Equatable {
        var status: Int
        var version: HTTPVersion
        var reason: String
        var fields: [String]

        init(_ head: ReceivedHead) {
            status = head.status
            version = head.version
            reason = head.reason
            fields = ReceivedFields(head).map { "\($0.name.rawName): \($0.value)" }
        }
    }

    var informational: [Head] = []
    var head: Head?
    var body: [UInt8] = []
    var trailers: [String] = []
    var isOver = false
    var error: WireError?
    var isReusable = false
    var hasSeenBytes = false
    /// The bytes after the end of the response.
    var leftover: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }

    var description: String {
        if let error { return "\(error.kind.rawValue): \(error)" }
        let head = head.map { "\($0.status) \($0.reason) \($0.fields)" } ?? "no head"
        return "\(head) \(body.count) bytes \"\(text.prefix(60))\" \(isOver ? "over" : "not over")"
            + " reusable \(isReusable) leftover \(leftover.count) trailers \(trailers)"
    }
}

struct ResponseFeeder {
    var isHead = false
    var limits = Limits()
    /// Whether the peer closes after the bytes.
    var closes = true
    /// Whether buffered bytes are checked against the limits; false for limits that hold no bytes.
    var checksKept = true
    /// Whether the connection keeps consumed bytes in its buffer and does not move the rest to the front.
    var keepsConsumed = false

    /// - Parameter cuts: the positions at which the stream is cut into reads.
    func feed(_ bytes: [UInt8], cuts: some Sequence<Int>) -> Outcome {
        var outcome = Outcome()
        var decoder = ResponseDecoder(limits: limits)
        decoder.begin(isHead: isHead)
        var buffer: [UInt8] = []
        // `remainsSafe` appends a head.
        let memory = GuardedMemory(capacity: bytes.count + 100)
        var offset = 0
        var start = 0
        var ends = Array(cuts)
        ends.append(bytes.count)
        for end in ends where end > start {
            buffer += bytes[start..<end]
            start = end
            run(&decoder, buffer, &offset, &outcome, memory)
            if outcome.isOver || outcome.error != nil { break }
            #expect(
                !checksKept || buffer.count - offset <= max(limits.headBytes, limits.trailerBytes),
                "too much is kept waiting")
            if !keepsConsumed {
                buffer.removeFirst(offset)
                offset = 0
            }
        }
        if outcome.isOver || outcome.error != nil {
            outcome.leftover = Array(buffer[offset...] + bytes[start...])
        } else if closes {
            finish(&decoder, buffer.count - offset, &outcome)
        }
        outcome.isReusable = decoder.isReusable
        outcome.hasSeenBytes = decoder.hasSeenBytes
        return outcome
    }

    /// Feeds the bytes in one read.
    func feed(_ bytes: [UInt8]) -> Outcome { feed(bytes, cuts: []) }

    /// Feeds the bytes in one read, in two at every position, and in reads of one byte. The outcome must be the same.
    func feedInEveryWay(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> Outcome {
        let whole = feed(bytes)
        // The cuts of a long stream are spread out, so that a test does not take minutes.
        for cut in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 1_500)) {
            let outcome = feed(bytes, cuts: [cut])
            guard outcome == whole else {
                Issue.record("cut at \(cut): \(outcome), whole: \(whole)", sourceLocation: sourceLocation)
                break
            }
        }
        var keeping = self
        keeping.keepsConsumed = true
        for feeder in [self, keeping] {
            let outcome = feeder.feed(bytes, cuts: 1..<max(bytes.count, 1))
            #expect(outcome == whole, "byte by byte", sourceLocation: sourceLocation)
        }
        return whole
    }

    func feedInEveryWay(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Outcome {
        feedInEveryWay(latin1(text), sourceLocation: sourceLocation)
    }

    /// Feeds a stream that is too long to be cut everywhere. It arrives in one read, in two reads at every position
    /// around each bound, and in reads of one byte around them. The outcome must be the same.
    /// - Parameter bounds: the positions that matter.
    func feedCutAround(
        _ bounds: [Int], _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome {
        let whole = feed(bytes)
        for bound in bounds {
            let around = max(bound - 4, 1)..<min(bound + 5, bytes.count)
            #expect(!around.isEmpty, "no bound of this stream", sourceLocation: sourceLocation)
            for cut in around {
                let outcome = feed(bytes, cuts: [cut])
                #expect(outcome == whole, "cut at \(cut)", sourceLocation: sourceLocation)
            }
        }
        let bytewise = bounds.flatMap { max($0 - 50, 1)..<min($0 + 50, bytes.count) }
        var keeping = self
        keeping.keepsConsumed = true
        for feeder in [self, keeping] {
            let outcome = feeder.feed(bytes, cuts: bytewise)
            #expect(outcome == whole, "byte by byte", sourceLocation: sourceLocation)
            let pieces = feeder.feed(bytes, cuts: stride(from: 1, to: bytes.count, by: 997))
            #expect(pieces == whole, "in pieces of 997 bytes", sourceLocation: sourceLocation)
        }
        return whole
    }

    private func run(
        _ decoder: inout ResponseDecoder, _ buffer: [UInt8], _ offset: inout Int, _ outcome: inout Outcome,
        _ memory: GuardedMemory
    ) {
        while !outcome.isOver, outcome.error == nil {
            let before = offset
            do throws(WireError) {
                let event = try next(&decoder, buffer, &offset, memory)
                #expect(offset >= before && offset <= buffer.count)
                switch event {
                case .needsMore:
                    return
                case .informational(let head):
                    outcome.informational.append(Outcome.Head(head))
                case .whole(let head, let body):
                    #expect(body.count <= 16 << 10)
                    outcome.head = Outcome.Head(head)
                    outcome.body = Array(body)
                    outcome.isOver = true
                case .head(let head, let length):
                    #expect(length != 0)
                    outcome.head = Outcome.Head(head)
                case .body(let range):
                    #expect(!range.isEmpty && range.lowerBound >= before && range.upperBound == offset)
                    outcome.body += buffer[range]
                case .end(let trailers):
                    outcome.isOver = true
                    outcome.trailers = (trailers ?? [:]).map { "\($0.name.rawName): \($0.value)" }
                }
            } catch {
                outcome.error = error
            }
        }
        remainsSafe(&decoder, buffer, offset, outcome, memory)
    }

    private func finish(_ decoder: inout ResponseDecoder, _ unconsumed: Int, _ outcome: inout Outcome) {
        do throws(WireError) {
            if case .end(let trailers) = try decoder.endOfInput(unconsumed: unconsumed) {
                outcome.isOver = true
                outcome.trailers = (trailers ?? [:]).map { "\($0.name.rawName): \($0.value)" }
            } else {
                Issue.record("the end of input is no end")
            }
        } catch {
            outcome.error = error
        }
    }

    /// After the end or an error, more bytes change nothing.
    private func remainsSafe(
        _ decoder: inout ResponseDecoder, _ buffer: [UInt8], _ offset: Int, _ outcome: Outcome,
        _ memory: GuardedMemory
    ) {
        var offset = offset
        let before = offset
        let more = buffer + latin1("HTTP/1.1 200 OK\r\n\r\n")
        do throws(WireError) {
            guard case .end(nil) = try next(&decoder, more, &offset, memory), outcome.isOver else {
                Issue.record("something came after the end")
                return
            }
            #expect(offset == before)
        } catch {
            #expect(error == outcome.error)
        }
    }

    private func next(
        _ decoder: inout ResponseDecoder, _ buffer: [UInt8], _ offset: inout Int, _ memory: GuardedMemory
    ) throws(WireError) -> ResponseDecoder.Event {
        try decoder.next(memory.copy(of: buffer), &offset)
    }
}

/// One byte for each character, so that a test can write any byte.
func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

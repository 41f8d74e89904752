// SessionFeeder: feeds bytes to an HTTP/2 session as a connection would, cut in every way, and reports the outcome.

import Testing
import TsubameCore
import TsubameWire

/// A request that is open when the peer's bytes arrive.
struct FedRequest: Sendable {
    var method = "GET"
    /// Whether the request is complete; otherwise its body follows later.
    var isWhole = true
    var limits = Limits()
}

struct SessionFeeder: Sendable {
    var requests = [FedRequest()]
    var limits = Limits()
    /// Whether the peer's preface comes before the bytes. Its event and its acknowledgement are left out.
    var hasPreface = true

    static func streams(_ count: Int) -> SessionFeeder {
        SessionFeeder(requests: [FedRequest](repeating: FedRequest(), count: count))
    }

    /// Feeds the bytes in one read, or cut into several.
    func feed(_ bytes: [UInt8], cuts: some Sequence<Int> = EmptyCollection<Int>()) -> SessionOutcome {
        var run = SessionRun(requests, limits)
        let bytes = (hasPreface ? PeerFrame.settings() : []) + bytes
        var start = 0
        for end in cuts.prefix(while: { $0 < bytes.count }) + [bytes.count] where end > start {
            run.read(bytes[start..<end])
            start = end
        }
        guard hasPreface else { return run.finish() }
        var outcome = run.finish()
        #expect(outcome.events.first == .settings)
        #expect(outcome.sent.first == .settingsAcknowledgement)
        outcome.events.removeFirst()
        outcome.sent.removeFirst()
        return outcome
    }

    /// Feeds the bytes in one read, in two at every position, and in reads of one byte. The outcome must be the same.
    func feedInEveryWay(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> SessionOutcome {
        let whole = feed(bytes)
        let count = bytes.count + (hasPreface ? 9 : 0)
        for cut in stride(from: 1, to: count, by: max(1, count / 500)) {
            let outcome = feed(bytes, cuts: [cut])
            guard outcome == whole else {
                Issue.record("cut at \(cut): \(outcome), whole: \(whole)", sourceLocation: sourceLocation)
                break
            }
        }
        guard count < 4_000 else { return whole }
        let outcome = feed(bytes, cuts: 1..<max(count, 1))
        #expect(outcome == whole, "byte by byte", sourceLocation: sourceLocation)
        return whole
    }
}

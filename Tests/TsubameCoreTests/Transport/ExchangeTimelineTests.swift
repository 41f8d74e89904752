// ExchangeTimelineTests: the deadline that holds in each phase of an exchange, as a value without a clock.

import HTTPTypes
import Testing
import TsubameCore
import TsubamePlatform

@Suite struct ExchangeTimelineTests {
    private static let millisecond: MonotonicTime = 1_000_000

    /// Timeouts of 1 to 5 ms, so that each deadline names itself by its length.
    private func timeline(total: MonotonicTime = MonotonicClock.never) -> ExchangeTimeline {
        var timeouts = Timeouts()
        timeouts.pool = .milliseconds(1)
        timeouts.connect = .milliseconds(2)
        timeouts.tls = .milliseconds(3)
        timeouts.head = .milliseconds(4)
        timeouts.idle = .milliseconds(5)
        return ExchangeTimeline(start: 100, timeouts: timeouts, deadline: total)
    }

    private let info = ConnectionInfo(remoteAddress: "127.0.0.1:80", version: .http11)

    /// The deadline in milliseconds after `now`.
    private func left(_ timeline: ExchangeTimeline, at now: MonotonicTime) -> MonotonicTime {
        (timeline.due - now) / Self.millisecond
    }

    @Test func `each phase has its deadline and its name in the error`() throws {
        var timeline = timeline()
        #expect(timeline.due == MonotonicClock.never)
        timeline.begin(at: 1_000)
        #expect(left(timeline, at: 1_000) == 4)
        let request = Request(.get, uri: try TargetURI(parsing: "http://h/"))
        let steps: [(CallEvent.Kind, MonotonicTime, CallError.Phase, Timeouts.Name)] = [
            (.queued(why: ""), 1, .waiting, .pool), (.resolving(host: "h"), 2, .resolving, .connect),
            (.securing, 3, .securing, .tls), (.secured(info), 4, .sendingHead, .head),
            (.sent(request), 4, .waitingForHead, .head),
        ]
        for (step, (event, milliseconds, phase, name)) in steps.enumerated() {
            let now = 10_000 + MonotonicTime(step)
            timeline.note(event, at: now)
            #expect(left(timeline, at: now) == milliseconds)
            #expect(timeline.phase == phase)
            #expect(timeline.expired.timeout == name)
            #expect(timeline.expired.phase == phase)
        }
        #expect(timeline.connection == info)
    }

    @Test func `the look-up and all addresses share one deadline`() {
        var timeline = timeline()
        timeline.note(.resolving(host: "h"), at: 1_000)
        timeline.note(.resolved(addresses: ["::1"]), at: 2_000)
        timeline.note(.connecting(address: "::1"), at: 3_000)
        timeline.note(.connecting(address: "127.0.0.1"), at: 4_000)
        #expect(left(timeline, at: 1_000) == 2)
        timeline.note(.queued(why: ""), at: 5_000)
        timeline.note(.connecting(address: "::1"), at: 6_000)
        #expect(left(timeline, at: 6_000) == 2)
    }

    @Test func `a body that moves holds off the idle deadline, and the head's begins at its end`() throws {
        var timeline = timeline()
        timeline.moveBody(at: 1_000)
        timeline.moveBody(at: 2_000)
        #expect(left(timeline, at: 2_000) == 5)
        // The head of the request may be reported after its body was begun.
        timeline.note(.sent(Request(.get, uri: try TargetURI(parsing: "http://h/"))), at: 3_000)
        #expect(timeline.phase == .sendingBody)
        timeline.waitForHead(from: 4_000)
        #expect(left(timeline, at: 4_000) == 4)
        #expect(timeline.phase == .waitingForHead)
    }

    @Test func `progress that a transport reports counts as a body`() {
        var timeline = timeline()
        timeline.note(.sending(TransferProgress(bytes: 1, total: 10)), at: 1_000)
        #expect(timeline.phase == .sendingBody)
        timeline.note(.sending(TransferProgress(bytes: 10, total: 10)), at: 2_000)
        #expect(timeline.phase == .waitingForHead)
        timeline.note(.sending(TransferProgress(bytes: 1, total: nil)), at: 3_000)
        #expect(timeline.phase == .sendingBody)
    }

    @Test func `only a reader that waits has an idle deadline`() {
        var timeline = timeline()
        timeline.receiveHead(at: 1_000)
        #expect(timeline.due == MonotonicClock.never && timeline.hasHead)
        timeline.waitForPiece(from: 2_000)
        #expect(left(timeline, at: 2_000) == 5)
        #expect(timeline.expired.timeout == .idle)
        timeline.receivePiece()
        #expect(timeline.due == MonotonicClock.never)
    }

    @Test func `the total comes first if it is earlier, and holds where nothing else does`() {
        let total = 3 * Self.millisecond
        var timeline = timeline(total: total)
        timeline.begin(at: 0)
        #expect(timeline.due == total && timeline.expired.timeout == .total)
        timeline.note(.queued(why: ""), at: 0)
        #expect(timeline.due == Self.millisecond && timeline.expired.timeout == .pool)
        timeline.receiveHead(at: 0)
        #expect(timeline.due == total && timeline.expired.timeout == .total)
    }

    @Test func `a timeout that is off never comes, and one beyond the clock neither`() {
        var timeouts = Timeouts()
        timeouts.head = nil
        timeouts.idle = .seconds(Int64.max)
        var timeline = ExchangeTimeline(start: 0, timeouts: timeouts, deadline: MonotonicClock.never)
        timeline.begin(at: 1_000)
        #expect(timeline.due == MonotonicClock.never)
        timeline.moveBody(at: MonotonicClock.never - 1)
        #expect(timeline.due == MonotonicClock.never)
    }

    @Test func `a counter reports at most every 50 ms`() {
        var counter = TransferCounter(total: 10)
        let start: MonotonicTime = 1_000_000_000
        #expect(counter.add(Bytes("ab"), at: start) == TransferProgress(bytes: 2, total: 10))
        #expect(counter.add(Bytes("cd"), at: start + 49_999_999) == nil)
        #expect(counter.add(Bytes("ef"), at: start + 50_000_000) == TransferProgress(bytes: 6, total: 10))
        #expect(counter.final == TransferProgress(bytes: 6, total: 6))
    }

    @Test func `observers receive the beginning of a body, in the pieces in which it comes`() {
        var beginning = ObservedBeginning(limit: 3)
        let first = beginning.next(Bytes("ab"))
        #expect(first?.bytes == Bytes("ab") && first?.offset == 0)
        #expect(beginning.next(Bytes()) == nil)
        let second = beginning.next(Bytes("cd"))
        #expect(second?.bytes == Bytes("c") && second?.offset == 2)
        #expect(beginning.next(Bytes("ef")) == nil && beginning.end() == nil)
    }

    @Test func `observers that want bodies learn that a body is empty`() {
        var beginning = ObservedBeginning(limit: 3)
        let piece = beginning.end()
        #expect(piece?.bytes == Bytes() && piece?.offset == 0)
        #expect(beginning.end() == nil)
        var unwanted = ObservedBeginning(limit: 0)
        #expect(unwanted.next(Bytes("ab")) == nil && unwanted.end() == nil)
    }
}

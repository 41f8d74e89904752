// ManualClock: a clock whose time passes only when a test says so.

/// A clock that is turned by hand.
///
/// ```swift
/// let clock = ManualClock()
/// let stub = StubTransport(clock: clock) { $0.on(.get, "slow").respond(text: "at last").delay(.seconds(60)) }
/// let call = Task { try await client.get("slow").text() }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// ```
/// Whoever sleeps until a time that has come wakes, earliest deadline first. A sleeper counts as awake from the moment
/// the clock was turned, so that `waitForSleepers` after `advance` waits for the next sleep and not for the last one.
public final class ManualClock: Clock, Sendable {
    /// A time on a ``ManualClock``, counted from its making.
    public struct Instant: InstantProtocol {
        /// How far the clock had been turned.
        public var offset: Duration

        /// The time at which the clock has been turned so far.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The time so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// From this time to the other.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Earlier is less.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant()
        /// The deadlines of those who sleep.
        var sleepers: [UInt64: Instant] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Watched(State())

    /// A clock at zero.
    public init() {}

    /// How far the clock has been turned.
    public var now: Instant { state.read { $0.now } }
    /// Zero: it can be turned as little as one likes.
    public var minimumResolution: Duration { .zero }

    /// How many sleep now.
    public var sleepers: Int { state.read { $0.sleepers.count } }

    /// Turns the clock forward. A negative duration does nothing: this clock never goes back.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Turns the clock forward to `instant`; does nothing if that is past.
    public func advance(to instant: Instant) {
        // One deadline after the other, each a change of its own: so they wake in order.
        while true {
            let isDone = state.change { state -> Bool in
                guard instant >= state.now else { return true }
                let next = state.sleepers.values.filter { $0 <= instant }.min()
                state.now = max(state.now, next ?? instant)
                let now = state.now
                state.sleepers = state.sleepers.filter { $0.value > now }
                return next == nil
            }
            if isDone { return }
        }
    }

    /// Turns the clock forward to the first deadline of a sleeper.
    /// - Returns: false if nobody sleeps.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        guard let next = state.read({ $0.sleepers.values.min() }) else { return false }
        advance(to: next)
        return true
    }

    /// Waits until the clock has been turned to `deadline` or beyond.
    /// - Throws: `CancellationError` if the task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.change { state -> UInt64? in
            guard deadline > state.now else { return nil }
            state.lastID += 1
            state.sleepers[state.lastID] = deadline
            return state.lastID
        }
        guard let id else { return }
        defer { state.change { $0.sleepers[id] = nil } }
        try await state.wait { $0.sleepers[id] == nil }
    }

    /// Waits until at least so many sleep.
    /// - Throws: `CancellationError` if the task is cancelled before that.
    public func waitForSleepers(_ count: Int) async throws(CancellationError) {
        try await state.wait { $0.sleepers.count >= count }
    }
}

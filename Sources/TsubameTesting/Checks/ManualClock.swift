// ManualClock: a clock whose time passes only when a test advances it.

/// A clock that a test advances by hand.
///
/// ```swift
/// let clock = ManualClock()
/// let stub = StubTransport(clock: clock) { $0.on(.get, "slow").respond(text: "at last").delay(.seconds(60)) }
/// let call = Task { try await client.get("slow").text() }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// ```
/// Sleepers whose deadline has come wake, earliest deadline first. A sleeper counts as awake from the moment the clock
/// is advanced. So `waitForSleepers` after `advance` waits for the next sleep and not for the last one.
public final class ManualClock: Clock, Sendable {
    /// A time on a ``ManualClock``, counted from the clock's creation.
    public struct Instant: InstantProtocol {
        /// The time that has passed on the clock.
        public var offset: Duration

        /// The time at which this much has passed on the clock.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The time after `duration` more.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration from this time to the other.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// An earlier time is less than a later one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant()
        /// The deadlines of the sleeping tasks.
        var sleepers: [UInt64: Instant] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Watched(State())

    /// A clock at zero.
    public init() {}

    /// The current time of the clock.
    public var now: Instant { state.read { $0.now } }
    /// Zero, because the clock can be advanced by any duration.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.read { $0.sleepers.count } }

    /// Advances the clock. A negative duration has no effect, because this clock never goes back.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Advances the clock to `instant`. A time in the past has no effect.
    public func advance(to instant: Instant) {
        // One deadline after the other, each a change of its own, so that sleepers wake in order.
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

    /// Advances the clock to the first deadline of a sleeper.
    /// - Returns: false if no task sleeps.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        guard let next = state.read({ $0.sleepers.values.min() }) else { return false }
        advance(to: next)
        return true
    }

    /// Waits until the clock has reached `deadline`.
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

    /// Waits until at least `count` tasks sleep.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError` if the task is cancelled before that.
    public func waitForSleepers(_ count: Int, within time: Duration = .seconds(60)) async throws {
        try await state.wait(
            within: time, for: "\(count) sleeping tasks on a ManualClock", seen: { "\($0.sleepers.count)" },
            until: { $0.sleepers.count >= count })
    }
}

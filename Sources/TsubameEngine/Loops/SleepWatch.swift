// SleepWatch: how long the machine has slept, as a value.

import TsubamePlatform

/// Compares the clock that stops while the machine sleeps with the one that does not.
///
/// After a sleep of an hour, a connection that was idle for a second is most likely dead, and no sign of that has reached this
/// machine. Timers do not count the hour.
struct SleepWatch {
    /// How often it looks at most, in nanoseconds.
    private static let interval: MonotonicTime = 50_000_000
    /// A shorter sleep, in nanoseconds, does not count. The clocks are read one after the other.
    private static let shortest: Int64 = 1_000_000_000

    private(set) var lastLook: MonotonicTime = 0
    /// By how much the clock with sleep was ahead at the last look; nil before the first one.
    private var lead: Int64?

    @inline(__always)
    func isDue(at time: MonotonicTime) -> Bool { time >= lastLook &+ Self.interval }

    /// - Returns: how long the machine has slept since the last look; 0 at the first one.
    mutating func look(at now: MonotonicTime, withSleep continuous: MonotonicTime) -> MonotonicTime {
        lastLook = now
        let (before, after) = (lead, Int64(bitPattern: continuous &- now))
        guard let before else {
            lead = after
            return 0
        }
        // Small differences add up to a sleep, since the older value stays.
        let slept = after &- before
        guard slept >= Self.shortest else { return 0 }
        lead = after
        return MonotonicTime(slept)
    }
}

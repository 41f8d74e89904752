// LoopPool+Idle: the connections that carry nothing.

import NIOCore
import TsubamePlatform

extension LoopPool {
    /// Has an idle connection closed: the longest idle one of this loop or, if there is none here, of another.
    func makeRoom() {
        if closeLongestIdle() { return }
        for other in siblings + callers.all where other !== self {
            other.loop.execute { other.closeLongestIdle() }
        }
    }

    @discardableResult
    func closeLongestIdle() -> Bool {
        let longest = origins.all.values.filter { $0.pool.idleCount > 0 }.min { left, right in
            left.pool.longestIdleSince ?? .max < right.pool.longestIdleSince ?? .max
        }
        guard let longest else { return false }
        longest.pool.closeLongestIdle(&events.actions)
        carryOut(longest)
        return true
    }

    func startIdleSweep() {
        guard idleSweep == nil else { return }
        idleSweep = loop.scheduleTask(in: .seconds(1)) { self.sweepIdle() }
    }

    /// Before an exchange looks for a connection: the machine may have slept, and idle connections are then older than the
    /// timers say.
    /// - Parameter time: about now. It is at hand, so that most calls read no clock.
    @inline(__always)
    func noticeSleep(at time: MonotonicTime) {
        if sleepWatch.isDue(at: time) { closeAged() }
    }

    @inline(never)
    private func closeAged() {
        let slept = sleepWatch.look(at: MonotonicClock.now, withSleep: MonotonicClock.nowWithSleep)
        if slept > 0 { closeExpiredIdle(slept: slept) }
    }

    private func closeExpiredIdle(slept: MonotonicTime = 0) {
        let now = MonotonicClock.now
        for origin in Array(origins.all.values) {
            origin.pool.closeExpired(at: now, slept: slept, &events.actions)
            carryOut(origin)
        }
    }

    private func sweepIdle() {
        idleSweep = nil
        closeExpiredIdle()
        if origins.all.values.contains(where: { $0.pool.idleCount > 0 }) { startIdleSweep() }
    }
}

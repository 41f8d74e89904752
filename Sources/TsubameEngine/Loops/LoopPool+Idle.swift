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
        guard timers.idleSweep == nil else { return }
        timers.idleSweep = loop.scheduleTask(in: .seconds(1)) { self.sweepIdle() }
    }

    /// Before a connection is chosen, and before one becomes idle: the machine may have slept. The connections that were idle
    /// then are older than the timers say.
    @inline(__always)
    func noticeSleep(at now: MonotonicTime) {
        if timers.sleepWatch.isDue(at: now) { closeAged() }
    }

    /// - Parameter start: when the call began. Most calls began just now, so that the clock need not be read.
    @inline(__always)
    func noticeSleep(sinceCallAt start: MonotonicTime) {
        if start > timers.sleepWatch.lastLook { noticeSleep(at: start) } else { noticeSleep(at: MonotonicClock.now) }
    }

    @inline(never)
    private func closeAged() {
        let slept = lookForSleep()
        if slept > 0 { closeExpiredIdle(slept: slept) }
    }

    private func lookForSleep() -> MonotonicTime {
        timers.sleepWatch.look(at: MonotonicClock.now, withSleep: MonotonicClock.nowWithSleep)
    }

    private func closeExpiredIdle(slept: MonotonicTime) {
        let now = MonotonicClock.now
        for origin in Array(origins.all.values) {
            origin.pool.closeExpired(at: now, slept: slept, &events.actions)
            carryOut(origin)
        }
    }

    private func sweepIdle() {
        timers.idleSweep = nil
        closeExpiredIdle(slept: lookForSleep())
        if origins.all.values.contains(where: { $0.pool.idleCount > 0 }) { startIdleSweep() }
    }
}

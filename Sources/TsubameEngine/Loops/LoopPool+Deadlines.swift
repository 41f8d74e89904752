// LoopPool+Deadlines: the time that exchanges may wait for a connection.

import TsubameCore
import TsubamePlatform
import TsubameSockets

/// The loop calls the pool when the first of the exchanges that wait may wait no longer. Until then it refers to the pool.
extension LoopPool: LoopMember {
    /// In nanoseconds: how long a search for waiters whose time has passed puts off the next one, since each looks at all of them.
    private static let searchInterval: MonotonicTime = 5_000_000

    func setWaitDeadline(of waiter: Waiter, from now: MonotonicTime) {
        waiter.startPoolTime(at: now)
        if waiter.isWaiting { setWaitDeadline(waiter.due) }
    }

    private func setWaitDeadline(_ due: MonotonicTime) {
        guard due < timers.waitDue else { return }
        timers.waitDue = due
        let id = timers.waitID ?? loop.loop.add(self)
        timers.waitID = id
        loop.loop.setDeadline(of: id, to: due)
    }

    func ready(_ states: Readiness) {}

    func deadlinePassed() {
        timers.waitDue = MonotonicClock.never
        let now = MonotonicClock.now
        var next = MonotonicClock.never
        for waiter in origins.all.values.flatMap(\.pool.waiters) {
            if waiter.due > now { next = Swift.min(next, waiter.due) } else { waiter.expire() }
        }
        // A waiter that has expired may have made room for others, which set an earlier time.
        if next != MonotonicClock.never { setWaitDeadline(Swift.max(next, now + Self.searchInterval)) }
        if timers.waitDue == MonotonicClock.never { endWaitDeadline() }
    }

    func endWaitDeadline() {
        if let id = timers.waitID.take() { loop.loop.remove(id) }
        timers.waitDue = MonotonicClock.never
    }
}

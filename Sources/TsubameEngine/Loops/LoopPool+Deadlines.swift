// LoopPool+Deadlines: the time that exchanges may wait for a connection.

import NIOCore
import TsubameCore
import TsubamePlatform

extension LoopPool {
    /// In nanoseconds: how long a search for waiters whose time has passed puts off the next one, since each looks at all of them.
    private static let searchInterval: MonotonicTime = 5_000_000

    func setWaitDeadline(of waiter: Waiter, from now: MonotonicTime) {
        waiter.startPoolTime(at: now)
        if waiter.isWaiting, waiter.due < timers.waiting.due { timers.waiting.set(waiter.due, on: loop, waitFires) }
    }

    // A strong reference, which ends when the client is closed and no request waits. A weak one would slow each later retain of
    // this object.
    private var waitFires: @Sendable () -> Void { { self.waitFired() } }

    private func waitFired() {
        guard timers.waiting.hasPassed(on: loop, waitFires) else { return }
        timers.waiting.clear()
        let now = MonotonicClock.now
        var next = MonotonicClock.never
        for waiter in origins.all.values.flatMap(\.pool.waiters) {
            if waiter.due > now { next = Swift.min(next, waiter.due) } else { waiter.expire() }
        }
        guard next != MonotonicClock.never else { return }
        // A waiter that has expired may have made room for others, which set an earlier time.
        let again = Swift.max(next, now + Self.searchInterval)
        if again < timers.waiting.due { timers.waiting.set(again, on: loop, waitFires) }
    }
}

// LoopPool+Deadlines: the time that exchanges may wait for a connection.

import NIOCore
import TsubameCore
import TsubamePlatform

extension LoopPool {
    func setWaitDeadline(of waiter: Waiter) {
        waiter.startPoolTime(at: MonotonicClock.now)
        if waiter.isWaiting, waiter.due < waitDeadline.due { waitDeadline.set(waiter.due, on: loop, waitFires) }
    }

    // A strong reference, which ends when the client is closed and no request waits. A weak one would slow each later retain of
    // this object.
    private var waitFires: @Sendable () -> Void { { self.waitFired() } }

    private func waitFired() {
        guard waitDeadline.hasPassed(on: loop, waitFires) else { return }
        waitDeadline.clear()
        let now = MonotonicClock.now
        var next = MonotonicClock.never
        for waiter in origins.all.values.flatMap(\.pool.waiters) {
            if waiter.due > now { next = Swift.min(next, waiter.due) } else { waiter.expire() }
        }
        if next != MonotonicClock.never { waitDeadline.set(next, on: loop, waitFires) }
    }
}

// LoopPool+Deadlines: the time that exchanges may wait for a connection.

import NIOCore
import TsubameCore
import TsubamePlatform

extension LoopPool {
    func setWaitDeadline(of exchange: Exchange) {
        guard exchange.isWaiting else { return }
        let call = exchange.call
        let poolTime = call.timeouts.nanoseconds(.pool)
        let (limit, overflow) = MonotonicClock.now.addingReportingOverflow(poolTime)
        // While a connection is being made, its own deadlines run.
        let isConnecting = exchange.phase != .waiting
        let due = isConnecting || overflow ? MonotonicClock.never : limit
        exchange.waitLimit = call.deadline <= due ? .total : .pool
        exchange.waitDeadline = Swift.min(due, call.deadline)
        if exchange.waitDeadline < waitDeadline.due {
            waitDeadline.set(exchange.waitDeadline, on: loop, self.waitFires)
        }
    }

    // Strong, and cancelled when the client is closed and nothing waits any more: a weak reference would make each later one
    // to this object dearer.
    private var waitFires: @Sendable () -> Void { { self.waitFired() } }

    private func waitFired() {
        guard waitDeadline.hasPassed(on: loop, waitFires) else { return }
        waitDeadline.clear()
        let now = MonotonicClock.now
        var next = MonotonicClock.never
        for exchange in origins.values.flatMap(\.pool.waiters) {
            if exchange.waitDeadline > now {
                next = Swift.min(next, exchange.waitDeadline)
            } else if exchange.waitLimit == .total {
                exchange.fail(exchange.call.expired(exchange.phase))
            } else {
                let time = Duration.nanoseconds(clamping: exchange.call.timeouts.nanoseconds(.pool)).inSeconds
                exchange.timedOut(.pool, "no connection to \(exchange.key.origin.authority) was free within \(time)")
            }
        }
        if next != MonotonicClock.never { waitDeadline.set(next, on: loop, self.waitFires) }
    }
}

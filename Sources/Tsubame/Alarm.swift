// Alarm: something that is done at a time, unless it is no longer wanted by then.

import Dispatch
import Synchronization
import TsubameCore

/// Rings once at its time; dropped before, it stays silent.
///
/// A dispatch timer and not a sleeping task: what blocking calls wait for must not depend on a free thread of the
/// concurrency pool. Nor on one of `DispatchQueue.global()`, on which the blocking calls themselves may run: with four of
/// them on two cores its timers were 1.8 s late, with eight more than 5 s. A serial queue gets a thread beside that pool, and
/// is on time within 1 ms. All alarms share it, so that what runs there must neither block nor call the user's code.
final class Alarm: Sendable {
    private static let queue = DispatchQueue(label: "tsubame.alarms")
    /// A dropped alarm leaves its timer behind: no longer than this, in nanoseconds.
    private static let longestTimer: UInt64 = 60_000_000_000

    private let due: MonotonicTime
    private let ring: @Sendable () -> Void
    private let mayBlock: Bool

    /// - Parameter mayBlock: whether `ring` may block or call the user's code; it runs on a queue of its own then.
    init(at due: MonotonicTime, mayBlock: Bool = false, _ ring: @escaping @Sendable () -> Void) {
        self.due = due
        self.mayBlock = mayBlock
        self.ring = ring
        arm()
    }

    private func arm() {
        let now = MonotonicClock.now
        let left = min(due > now ? due - now : 0, Self.longestTimer)
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: left))) { [weak self] in
            guard let self else { return }
            guard MonotonicClock.now >= due else { return arm() }
            if mayBlock { DispatchQueue(label: "tsubame.alarm").async(execute: ring) } else { ring() }
        }
    }
}

/// Lets one waiter go on, once: by the first who has a reason to.
final class Latch<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Settles the value, unless that has been done.
    func settle(_ value: Value) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The value, once it has been settled; nil only if another one waits already.
    func wait() async -> Value? {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLock { state in
                guard state.value == nil, state.waiter == nil else { return true }
                state.waiter = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
        return state.withLock { $0.value }
    }
}

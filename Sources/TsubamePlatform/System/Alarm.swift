// Alarm: a closure that runs at a given time, unless the alarm is released before.

#if canImport(Dispatch)
internal import Dispatch
#endif

/// Runs its closure once, at its time. An alarm that is released before then does nothing.
///
/// The alarm is a dispatch timer and not a sleeping task: blocking calls wait for it, and must not depend on a free
/// thread of the concurrency pool. `DispatchQueue.global()` does not serve either, because the blocking calls
/// themselves may run there. With four of them on two cores its timers were 1.8 s late, with eight more than 5 s. A
/// serial queue gets a thread of its own and is on time within 1 ms. All alarms share this queue, so closures on it
/// must neither block nor call the user's code.
package final class Alarm: Sendable {
    #if canImport(Dispatch)
    private static let queue = DispatchQueue(label: "tsubame.alarms")
    #endif
    /// The longest timer, in nanoseconds. A released alarm leaves its timer running for no longer than this.
    private static let longestTimer: UInt64 = 60_000_000_000

    /// When it rings.
    package let due: MonotonicTime
    private let ring: @Sendable () -> Void
    private let mayBlock: Bool

    /// - Parameter mayBlock: whether `ring` may block or call the user's code. It then runs on a queue of its own.
    package init(at due: MonotonicTime, mayBlock: Bool = false, _ ring: @escaping @Sendable () -> Void) {
        self.due = due
        self.mayBlock = mayBlock
        self.ring = ring
        arm()
    }

    private func arm() {
        let now = MonotonicClock.now
        let left = min(due > now ? due - now : 0, Self.longestTimer)
        #if canImport(Dispatch)
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: left))) { [weak self] in self?.check() }
        #else
        // WebAssembly has neither dispatch nor calls that block a thread.
        Task { [weak self] in
            try? await Task.sleep(for: .nanoseconds(clamping: left))
            self?.check()
        }
        #endif
    }

    private func check() {
        guard MonotonicClock.now >= due else { return arm() }
        #if canImport(Dispatch)
        if mayBlock { return DispatchQueue(label: "tsubame.alarm").async(execute: ring) }
        #endif
        ring()
    }
}

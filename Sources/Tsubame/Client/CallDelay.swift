// CallDelay: a delay of a call, before a retry or for a rate.

package import TsubameCore
import TsubamePlatform

package enum CallDelay {
    /// Returns after the delay. The call's cancellation and its deadline end it early.
    /// - Parameter clock: the clock of the delay, or nil for real time.
    package static func wait(
        _ delay: Duration, on clock: (any Clock<Duration>)?, for call: Call, _ phase: CallError.Phase
    ) async throws(CallError) {
        let wait = CallWait<Void>(phase)
        var alarm: Alarm?
        var sleep: Task<Void, Never>?
        defer {
            withExtendedLifetime(alarm) {}
            sleep?.cancel()
        }
        try await wait.value(for: call) {
            if let clock {
                let sleeping = Self.sleep(delay, on: clock)
                sleep = Task(executorPreference: call.options.executor) {
                    // A clock that fails ends the delay. A cancelled task has nothing left to settle.
                    try? await sleeping()
                    wait.settle(())
                }
            } else {
                let (due, overflow) = MonotonicClock.now.addingReportingOverflow(delay.nanosecondsClamped)
                if !overflow { alarm = Alarm(at: due) { wait.settle(()) } }
            }
        }
    }

    /// The delay begins now, and not when its task runs.
    private static func sleep<C: Clock>(
        _ delay: Duration, on clock: C
    ) -> @Sendable () async throws -> Void where C.Duration == Duration {
        let due = clock.now.advanced(by: delay)
        return { try await clock.sleep(until: due, tolerance: nil) }
    }
}

/// A clock behind one reference, so that the chain stays cheap to pass.
final class DelayClock: Sendable {
    let clock: any Clock<Duration>

    init(_ clock: any Clock<Duration>) { self.clock = clock }
}

// CallDelay: a delay of a call, before a retry or for a rate.

import TsubameCore
import TsubamePlatform

enum CallDelay {
    /// Returns after the delay. The call's cancellation and its deadline end it early.
    /// - Parameter clock: the clock of the delay, or nil for real time.
    static func wait(
        _ delay: Duration, on clock: (any Clock<Duration>)?, for call: Call, _ phase: CallError.Phase
    ) async throws(CallError) {
        let wait = CallWait<Void>()
        var alarm: Alarm?
        var sleep: Task<Void, Never>?
        defer {
            withExtendedLifetime(alarm) {}
            sleep?.cancel()
        }
        try await wait.value(for: call, phase) {
            if let clock {
                sleep = Task(executorPreference: call.executor) {
                    if (try? await clock.sleep(for: delay)) != nil { wait.settle(()) }
                }
            } else {
                let (due, overflow) = MonotonicClock.now.addingReportingOverflow(delay.nanosecondsClamped)
                if !overflow { alarm = Alarm(at: due) { wait.settle(()) } }
            }
        }
    }
}

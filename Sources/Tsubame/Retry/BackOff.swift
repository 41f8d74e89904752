// BackOff: the delay before a request is sent again.

import TsubameCore
import TsubamePlatform

/// A delay that the call's cancellation or deadline ends early.
final class BackOff: CallCancellable {
    private enum Reason: Sendable { case elapsed, cancelled, expired }

    private let latch = Latch<Reason>()

    func cancel() { latch.settle(.cancelled) }

    /// - Parameter clock: the clock of the delay, or nil for real time.
    static func wait(
        _ delay: Duration, on clock: (any Clock<Duration>)?, _ call: Call
    ) async throws(CallError) {
        let wait = BackOff()
        guard call.onCancel(wait) else { throw call.cancelled(.backingOff) }
        let latch = wait.latch
        var alarms: [Alarm] = []
        var sleep: Task<Void, Never>?
        if call.deadline != MonotonicClock.never {
            alarms.append(Alarm(at: call.deadline) { latch.settle(.expired) })
        }
        if let clock {
            sleep = Task(executorPreference: call.executor) {
                if (try? await clock.sleep(for: delay)) != nil { latch.settle(.elapsed) }
            }
        } else {
            let (due, overflow) = MonotonicClock.now.addingReportingOverflow(delay.nanosecondsClamped)
            if !overflow { alarms.append(Alarm(at: due) { latch.settle(.elapsed) }) }
        }
        let reason = await latch.wait()
        withExtendedLifetime(alarms) {}
        sleep?.cancel()
        switch reason {
        case .elapsed: return
        case .expired: throw call.expired(.backingOff)
        case .cancelled, nil: throw call.cancelled(.backingOff)
        }
    }
}

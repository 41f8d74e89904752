// StubDelay: waits for a stub's delay, but no longer than its call may last.

internal import TsubameCore

/// One delayed answer.
final class StubDelay: CallCancellable {
    private enum Outcome: Sendable {
        case elapsed, cancelled, totalExpired, headExpired
    }

    private let outcome = Watched<Outcome?>(nil)

    /// The call was cancelled.
    func cancel() { settle(.cancelled) }

    private func settle(_ value: Outcome) {
        outcome.change { if $0 == nil { $0 = value } }
    }

    static func wait(
        _ delay: Duration, on clock: any Clock<Duration>, request: Request, call: Call
    ) async throws(CallError) {
        let waiting = StubDelay()
        guard call.onCancel(waiting) else { throw call.cancelled(.waitingForHead) }
        let now = MonotonicClock.now
        let (headDeadline, overflow) = now.addingReportingOverflow(call.timeouts.nanoseconds(.head))
        let isTotal = overflow || call.deadline <= headDeadline
        let deadline = isTotal ? call.deadline : headDeadline

        let sleep = Task {
            do {
                try await clock.sleep(for: delay)
                waiting.settle(.elapsed)
            } catch {
                waiting.settle(.cancelled)
            }
        }
        defer { sleep.cancel() }
        var alarm: Task<Void, any Error>?
        if deadline != MonotonicClock.never {
            alarm = Task {
                try await Task.sleep(for: .nanoseconds(clamping: deadline > now ? deadline - now : 0))
                waiting.settle(isTotal ? .totalExpired : .headExpired)
            }
        }
        defer { alarm?.cancel() }

        do {
            try await waiting.outcome.wait { $0 != nil }
        } catch {
            throw call.cancelled(.waitingForHead)
        }
        switch waiting.outcome.read({ $0 }) {
        case .elapsed: return
        case .cancelled, nil: throw call.cancelled(.waitingForHead)
        case .totalExpired: throw call.expired(.waitingForHead)
        case .headExpired:
            let limit = Duration.nanoseconds(clamping: call.timeouts.nanoseconds(.head)).inSeconds
            throw CallError(
                .timeout, "no head after \(limit)", phase: .waitingForHead, timeout: .head, request: request)
        }
    }
}

// StubWait: waits for a stub's answer, but no longer than its call may last.

internal import TsubameCore
import TsubamePlatform

/// One answer that takes its time: a delay, a closure, or both.
final class StubWait: CallCancellable {
    private enum Outcome: Sendable {
        case answered(Result<Response, CallError>)
        case cancelled, totalExpired, headExpired
    }

    private let outcome = Watched<Outcome?>(nil)

    /// The call was cancelled.
    func cancel() { settle(.cancelled) }

    private func settle(_ value: Outcome) {
        outcome.change { if $0 == nil { $0 = value } }
    }

    /// The response that `answer` makes. If the call ends first, the answer's task is cancelled and not awaited.
    static func run(
        request: Request, call: Call, _ answer: @escaping @Sendable () async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        let waiting = StubWait()
        guard call.onCancel(waiting) else { throw call.cancelled(.waitingForHead) }
        let now = MonotonicClock.now
        let (headDeadline, overflow) = now.addingReportingOverflow(call.timeouts.nanoseconds(.head))
        let isTotal = overflow || call.deadline <= headDeadline
        let deadline = isTotal ? call.deadline : headDeadline

        // On the executor of the call, so that a call that blocks its thread needs no other thread.
        let task = Task(executorPreference: call.executor) {
            do throws(CallError) {
                waiting.settle(.answered(.success(try await answer())))
            } catch {
                waiting.settle(.answered(.failure(error)))
            }
        }
        defer { task.cancel() }
        var alarm: Task<Void, any Error>?
        if deadline != MonotonicClock.never {
            alarm = Task(executorPreference: call.executor) {
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
        case .answered(let result): return try result.get()
        case .cancelled, nil: throw call.cancelled(.waitingForHead)
        case .totalExpired: throw call.expired(.waitingForHead)
        case .headExpired:
            let limit = Duration.nanoseconds(clamping: call.timeouts.nanoseconds(.head)).inSeconds
            throw CallError(
                .timeout, "no head after \(limit)", phase: .waitingForHead, timeout: .head, request: request)
        }
    }
}

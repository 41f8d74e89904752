// BackgroundWork: what blocks its thread, done on a queue while a call waits for it.

import Dispatch
import TsubameCore

/// The wait is ended early by the call's cancellation and by its deadline; the work itself is done nevertheless.
final class BackgroundWork<Value: Sendable>: CallCancellable {
    private enum End: Sendable {
        case done(Value)
        case cancelled
        case expired
    }

    private let latch = Latch<End>()

    private init() {}

    func cancel() { latch.settle(.cancelled) }

    static func run(
        on queue: DispatchQueue, _ call: Call, _ work: @escaping @Sendable () -> Value
    ) async throws(CallError) -> Value {
        let wait = BackgroundWork()
        // A response that has come may have a body that cancelling must end later, too.
        let (isCancelled, previous) = call.exchangeHandler(wait)
        if isCancelled { throw call.cancelled(.preparing) }
        let latch = wait.latch
        let hasDeadline = call.deadline != MonotonicClock.never
        let alarm = hasDeadline ? Alarm(at: call.deadline) { latch.settle(.expired) } : nil
        queue.async { latch.settle(.done(work())) }
        let end = await latch.wait()
        withExtendedLifetime(alarm) {}
        switch end {
        case .done(let value):
            if !call.exchangeHandler(previous).isCancelled { return value }
        case .expired:
            throw call.expired(.preparing)
        case .cancelled, nil: break
        }
        previous?.cancel()
        throw call.cancelled(.preparing)
    }
}

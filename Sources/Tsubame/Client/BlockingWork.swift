// BlockingWork: work that blocks its thread, run on a queue while a call waits for the result.

import Dispatch
import TsubameCore
import TsubamePlatform

/// The call's cancellation or deadline ends the wait early. The work itself still runs to its end.
final class BlockingWork<Value: Sendable>: CallCancellable {
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
        let wait = BlockingWork()
        // If a response has come, its body keeps its own cancel handler, which is put back afterwards.
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

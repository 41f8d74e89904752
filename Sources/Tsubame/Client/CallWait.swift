// CallWait: the wait of a call for a value that something else settles.

import TsubameCore
import TsubamePlatform

/// One wait. The call's cancellation and its deadline end it early. So the library's own members of the chain need no task
/// to wait: retries, limits, coalescing, tokens, and work on a queue.
final class CallWait<Value: Sendable>: CallCancellable {
    private enum End: Sendable {
        case settled(Value)
        case cancelled
        case expired
    }

    private let latch = Latch<End>()
    private let phase: CallError.Phase

    /// - Parameter phase: the phase that errors name.
    init(_ phase: CallError.Phase) { self.phase = phase }

    var cancellationPhase: CallError.Phase? { phase }

    /// Ends the wait with a value. Only the first end counts.
    func settle(_ value: Value) { latch.settle(.settled(value)) }

    func cancel() { latch.settle(.cancelled) }

    /// Waits for the value.
    /// - Parameters:
    ///   - endsWithTask: whether the wait ends when the task is cancelled, as well as with the call.
    ///   - begin: starts the work that settles the value. It is not called if the call is already cancelled.
    /// - Throws: ``CallError/Kind/cancelled`` or ``CallError/Kind/timeout``.
    func value(
        for call: Call, endsWithTask: Bool = false, after begin: () -> Void = {}
    ) async throws(CallError) -> Value {
        // A body that is arriving keeps its own cancel handler, which is put back afterwards.
        let (isCancelled, previous) = call.exchangeHandler(self)
        if isCancelled { throw call.cancelled(phase) }
        let hasDeadline = call.deadline != MonotonicClock.never
        let alarm = hasDeadline ? Alarm(at: call.deadline) { [latch] in latch.settle(.expired) } : nil
        begin()
        let end: End?
        if call.options.isGuarded || endsWithTask {
            // A user's interceptor may have cancelled the task in which it continues, and nothing else of the call.
            end = await withTaskCancellationHandler {
                await latch.wait()
            } onCancel: {
                cancel()
            }
        } else {
            end = await latch.wait()
        }
        withExtendedLifetime(alarm) {}
        let isOver = call.restoreHandler(previous, insteadOf: self)
        if isOver { previous?.cancel() }
        switch end {
        case .settled(let value) where !isOver: return value
        case .expired: throw call.expired(phase)
        case .settled, .cancelled, nil: throw call.cancelled(phase)
        }
    }
}

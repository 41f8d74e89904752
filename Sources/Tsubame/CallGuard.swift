// CallGuard: ends a call in time although an interceptor of the user's waits for something that cannot be ended.

import TsubameCore

/// Runs the way down the corridor in a task of its own. The first of its response, the call's deadline and the call's
/// cancellation is the outcome; then the task is cancelled, and whatever an around still waits for concerns nobody.
final class CallGuard: CallCancellable {
    /// An exchange keeps the same deadline, and its error says more: it gets so many nanoseconds to come first.
    private static let grace: UInt64 = 5_000_000

    private let call: Call
    private let latch = Latch<Result<Response, CallError>>()

    private init(_ call: Call) { self.call = call }

    func cancel() { latch.settle(.failure(call.cancelled(phase))) }

    /// What the call waits for, as far as can be seen from here.
    private var phase: CallError.Phase { call.isInTransport ? .waitingForHead : .preparing }

    static func run(
        _ call: Call, _ operation: @escaping @Sendable () async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        let callGuard = CallGuard(call)
        let latch = callGuard.latch
        guard call.onCancelAll(callGuard) else { throw call.cancelled(.preparing) }
        let (late, overflow) = call.deadline.addingReportingOverflow(grace)
        let alarm =
            overflow
            ? nil
            : Alarm(at: late) {
                latch.settle(.failure(call.expired(callGuard.phase)))
                // What the operation waits for on the wire ends by this; what else, by its task's cancellation.
                call.cancel()
            }
        let task = Task(executorPreference: call.executor) {
            do throws(CallError) {
                latch.settle(.success(try await operation()))
            } catch {
                latch.settle(.failure(error))
            }
        }
        let outcome = await latch.wait()
        withExtendedLifetime(alarm) {}
        task.cancel()
        switch outcome {
        case .success(let response): return response
        case .failure(let error): throw error
        case nil: throw call.cancelled(.preparing)
        }
    }
}

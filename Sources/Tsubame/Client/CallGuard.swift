// CallGuard: ends a call in time although a user's interceptor waits for something that cannot be cancelled.

import TsubameCore
import TsubamePlatform

/// Runs the chain in a task of its own. The outcome is the response, the call's deadline or its cancellation,
/// whichever comes first. The task is then cancelled, and the call no longer waits for the interceptor.
final class CallGuard: CallCancellable {
    /// The head start of an exchange, in nanoseconds. An exchange keeps the same deadline, and its error says more.
    private static let grace: UInt64 = 5_000_000

    private let call: Call
    private let latch = Latch<Result<Response, CallError>>()

    private init(_ call: Call) { self.call = call }

    func cancel() { latch.settle(.failure(call.cancelled(call.phaseAtCancel ?? .preparing))) }

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
                latch.settle(.failure(call.expired(.preparing)))
                // This ends waits on the network. The cancellation of the task ends the others.
                call.cancel()
            }
        let task = Task(executorPreference: call.options.executor) {
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

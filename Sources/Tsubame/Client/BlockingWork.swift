// BlockingWork: work that blocks its thread, run on a queue while a call waits for the result.

import Dispatch
import TsubameCore

enum BlockingWork {
    /// Returns the result of the work. If the call is cancelled or reaches its deadline, it no longer waits, but the work
    /// still runs to its end.
    /// - Parameter endsWithTask: whether the wait ends when the task is cancelled, as well as with the call.
    static func run<Value: Sendable>(
        on queue: DispatchQueue, _ call: Call, endsWithTask: Bool = false, _ work: @escaping @Sendable () -> Value
    ) async throws(CallError) -> Value {
        let wait = CallWait<Value>(.preparing)
        return try await wait.value(for: call, endsWithTask: endsWithTask) { queue.async { wait.settle(work()) } }
    }

    /// Runs work that must not be left out, also if the call is already cancelled. Such a call does not wait for it.
    static func complete(
        on queue: DispatchQueue, _ call: Call, _ work: @escaping @Sendable () -> Void
    ) async throws(CallError) {
        let wait = CallWait<Void>(.preparing)
        queue.async { wait.settle(work()) }
        try await wait.value(for: call)
    }
}

// BlockingWork: work that blocks its thread, run on a queue while a call waits for the result.

import Dispatch
import TsubameCore

enum BlockingWork {
    /// Returns the result of the work. If the call is cancelled or reaches its deadline, it no longer waits, but the work
    /// still runs to its end.
    static func run<Value: Sendable>(
        on queue: DispatchQueue, _ call: Call, _ work: @escaping @Sendable () -> Value
    ) async throws(CallError) -> Value {
        let wait = CallWait<Value>(.preparing)
        return try await wait.value(for: call) { queue.async { wait.settle(work()) } }
    }
}

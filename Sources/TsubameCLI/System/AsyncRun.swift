// AsyncRun: runs an asynchronous program from a synchronous entry point, and serves the main queue.

import Dispatch
import Synchronization
import TsubamePlatform

enum AsyncRun {
    /// Runs `program` and ends the process with its status. An error is reported and ends the process with 1.
    static func run(_ program: @escaping @Sendable () async throws -> ExitStatus) -> Never {
        Task { @concurrent in
            do {
                exit(try await program().rawValue)
            } catch {
                Diagnostics.say("\(error)")
                exit(ExitStatus.failure.rawValue)
            }
        }
        dispatchMain()
    }

    /// Runs `body` while the calling thread waits for its result.
    static func result<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let waiting = Waiting<Value>()
        Task { @concurrent in
            let found: Result<Value, any Error>
            do {
                found = .success(try await body())
            } catch {
                found = .failure(error)
            }
            waiting.result.withLock { $0 = found }
            waiting.done.signal()
        }
        waiting.done.wait()
        return try (waiting.result.withLock { $0 } ?? .failure(CancellationError())).get()
    }

    private final class Waiting<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
    }
}

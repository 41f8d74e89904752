// AsyncRun: runs an asynchronous program from a synchronous entry point, and serves the main queue.

import Dispatch
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
}

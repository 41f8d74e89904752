// AsyncRun: an asynchronous program behind a synchronous entry, with the main queue served.
#if Tool
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum AsyncRun {
    /// Runs `program` and ends the process with what it returns; an error is said, and ends it with 1.
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

#endif

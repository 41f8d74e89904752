// EndSignals: SIGINT and SIGTERM, as events and for unfinished files; and SIGPIPE.
#if Tool
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The name of a file that must not outlive an interrupted program. Read by the signal handler, which may use nothing
/// that allocates or locks; written by the main thread only.
private nonisolated(unsafe) var unfinishedFile: UnsafeMutablePointer<CChar>?

enum EndSignals {
    /// Calls `handler` instead of ending the process. The source must be kept.
    static func observe(_ handler: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handler)
            source.resume()
            return source
        }
    }

    /// From now on the file is removed when the process is interrupted. A signal that is ignored stays so.
    static func removeWhenInterrupted(_ path: String) {
        unfinishedFile = strdup(path)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                if let path = unfinishedFile { unlink(path) }
                signal(number, SIG_DFL)
                raise(number)
            }
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// The file is finished, or gone.
    static func keep() { unfinishedFile = nil }

    /// Ends the process as Ctrl-C does.
    static func endAsInterrupted() {
        signal(SIGINT, SIG_DFL)
        raise(SIGINT)
    }

    /// Ends the process as one that writes into a closed pipe ends, which NIO has switched off.
    static func endByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
}

#endif

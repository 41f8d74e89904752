// ProcessLoops: the event loops of the process, which all clients share.

import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// Made with the first client, and kept.
enum ProcessLoops {
    /// More loops than this spread connections without making anything faster.
    private static let maximum = 4
    private static let made = Mutex<[NIOLoop]>([])

    /// - Throws: ``CallError/Kind/connectionFailed`` if the process has no descriptor or no thread left for a loop.
    static func all() throws(CallError) -> [NIOLoop] {
        do throws(SocketError) {
            return try made.withLock { loops throws(SocketError) in
                if let first = loops.first {
                    try first.loop.checkFork()
                    return loops
                }
                let count = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), maximum)
                var all: [NIOLoop] = []
                do throws(SocketError) {
                    for _ in 0..<count { all.append(NIOLoop(try TsubameSockets.EventLoop())) }
                } catch {
                    // The next client tries again.
                    for loop in all { loop.loop.stop() }
                    throw error
                }
                loops = all
                return all
            }
        } catch {
            throw failure(error)
        }
    }

    /// A loop without a thread, which the first of the loops looks after.
    static func makeCallerLoop() throws(CallError) -> NIOLoop {
        guard let host = try all().first else { throw failure(SocketError(.start, EAGAIN)) }
        do throws(SocketError) {
            return NIOLoop(try TsubameSockets.EventLoop(hostedBy: host.loop))
        } catch {
            throw failure(error)
        }
    }

    /// - Throws: ``CallError/Kind/connectionFailed`` in a process that was forked after the loop was made.
    @inline(__always)
    static func check(_ loop: NIOLoop) throws(CallError) {
        do throws(SocketError) {
            try loop.loop.checkFork()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: SocketError) -> CallError {
        CallError(
            .connectionFailed, "no connection can be made: \(error)", phase: .preparing,
            advice: error.operation == .use
                ? "make the first client after the fork, or start another program instead"
                : "let the process have more open files, and try again", underlying: error)
    }
}

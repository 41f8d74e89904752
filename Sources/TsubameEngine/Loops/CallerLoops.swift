// CallerLoops: the event loops that the threads of blocking calls run.

import Synchronization
import TsubameCore
import TsubameSockets

/// Loops without threads, each with a pool of its own. A blocking call takes one and runs it while it waits, so that its
/// request needs no other thread. The idle connections stay with the loop, for the next blocking call of any thread.
final class CallerLoops: Sendable {
    private struct State {
        /// The one that was used last is taken first.
        var free: [LoopPool] = []
        var all: [ObjectIdentifier: LoopPool] = [:]
        /// Those that are there or being made.
        var count = 0
        var isClosed = false
    }

    /// More loops than this are not made, since each takes two descriptors. The requests of further threads run on the home
    /// loops.
    private static let most = 32

    private let state = Mutex(State())

    var all: [LoopPool] { state.withLock { Array($0.all.values) } }

    /// - Returns: nil if all are in use.
    func take() -> LoopPool? { state.withLock { $0.isClosed ? nil : $0.free.popLast() } }

    /// Those that no call has taken.
    var unused: [LoopPool] { state.withLock { $0.free } }

    /// From now on all calls go to the home loops, which are closed too.
    func close() { state.withLock { $0.isClosed = true } }

    /// - Returns: nil if there are enough, or none can be made.
    func make(_ make: () -> LoopPool?) -> LoopPool? {
        let hasRoom = state.withLock { state in
            guard !state.isClosed, state.count < Self.most else { return false }
            state.count += 1
            return true
        }
        guard hasRoom else { return nil }
        guard let loopPool = make() else {
            state.withLock { $0.count -= 1 }
            return nil
        }
        state.withLock { $0.all[ObjectIdentifier(loopPool.loop.loop)] = loopPool }
        return loopPool
    }

    func giveBack(_ loopPool: LoopPool) {
        state.withLock { state in
            if !state.isClosed { state.free.append(loopPool) }
        }
    }

    /// Lets go of all loops, which refer back to this object.
    func removeAll() {
        let all = state.withLock { state in
            state.isClosed = true
            state.free = []
            defer { state.all = [:] }
            return state.all
        }
        // The last reference to a loop may go here, without the lock.
        withExtendedLifetime(all) {}
    }

    /// The pool of the loop that the current thread runs; nil on other threads.
    var current: LoopPool? {
        guard let loop = EventLoop.currentOfCaller else { return nil }
        return state.withLock { $0.all[ObjectIdentifier(loop)] }
    }
}

// CallerLoops: the event loops that the threads of blocking calls turn.

import Synchronization
import TsubameCore
import TsubameSockets

/// Loops without threads, each with a pool of its own. A blocking call takes one and turns it while it waits, so that its
/// request needs no other thread. The idle connections stay with the loop, for the next blocking call of any thread.
final class CallerLoops: Sendable {
    private struct State {
        /// The one that was used last is taken first.
        var free: [LoopPool] = []
        var all: [ObjectIdentifier: LoopPool] = [:]
    }

    private let state = Mutex(State())

    var all: [LoopPool] { state.withLock { Array($0.all.values) } }

    /// - Returns: nil if all are in use.
    func take() -> LoopPool? { state.withLock { $0.free.popLast() } }

    func add(_ loopPool: LoopPool) { state.withLock { $0.all[ObjectIdentifier(loopPool.loop.loop)] = loopPool } }

    func giveBack(_ loopPool: LoopPool) { state.withLock { $0.free.append(loopPool) } }

    /// The pool of the loop that the current thread turns; nil on other threads.
    var current: LoopPool? {
        guard let loop = EventLoop.currentlyDriven else { return nil }
        return state.withLock { $0.all[ObjectIdentifier(loop)] }
    }
}

/// A loop that a blocking call has taken.
package struct CallerLoop: Sendable {
    private let loopPool: LoopPool
    private let loops: CallerLoops

    init(_ loopPool: LoopPool, of loops: CallerLoops) {
        self.loopPool = loopPool
        self.loops = loops
    }

    /// Turns the loop on the calling thread: see `EventLoop.drive`.
    package func drive(
        _ jobs: [UnownedJob], for executor: UnownedTaskExecutor, until isDone: () -> Bool, every interval: Int32,
        _ look: () -> Void
    ) -> [UnownedJob] {
        loopPool.loop.loop.drive(jobs, for: executor, until: isDone, every: interval, look)
    }

    /// Runs a job on the loop, which a thread turns.
    package func enqueue(_ job: UnownedJob, for executor: UnownedTaskExecutor) {
        loopPool.loop.loop.enqueue(job, for: executor)
    }

    /// Returns the loop with its idle connections.
    package func giveBack() { loops.giveBack(loopPool) }
}

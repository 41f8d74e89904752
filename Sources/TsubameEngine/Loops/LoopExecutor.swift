// LoopExecutor: runs tasks on the event loops, so that a call there hops nowhere.

import Synchronization
import TsubameSockets

/// A job enqueued from one of the loops stays on it; any other goes round the loops.
final class LoopExecutor: TaskExecutor {
    private let loops: [NIOLoop]
    private let next = Atomic<Int>(0)

    init(_ loopPools: [LoopPool]) { loops = loopPools.map(\.loop) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        for loop in loops where loop.inEventLoop { return loop.loop.enqueue(job, for: executor) }
        // Without a loop every call fails, but tasks still run.
        if loops.first?.hasThread != true { return globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        let index = next.wrappingAdd(1, ordering: .relaxed).newValue
        loops[Int(UInt(bitPattern: index) % UInt(loops.count))].loop.enqueue(job, for: executor)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

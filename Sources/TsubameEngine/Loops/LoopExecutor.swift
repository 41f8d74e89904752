// LoopExecutor: runs tasks on the event loops, so that a call there hops nowhere.

import Synchronization
import TsubameSockets

/// A job enqueued from one of the loops stays on it; any other goes round the loops.
final class LoopExecutor: TaskExecutor {
    private let loops: [EventLoop]
    private let next = Atomic<Int>(0)

    init(_ loopPools: [LoopPool]) { loops = loopPools.map(\.loop.loop) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        for loop in loops where loop.isCurrent { return loop.enqueue(job, for: executor) }
        // Without a loop every call fails, but tasks still run.
        if loops.isEmpty { return globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        let index = next.wrappingAdd(1, ordering: .relaxed).newValue
        loops[Int(UInt(bitPattern: index) % UInt(loops.count))].enqueue(job, for: executor)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

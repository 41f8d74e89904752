// LoopExecutor: runs tasks on the event loops, so that a call there hops nowhere.

import NIOCore
import NIOPosix
import Synchronization

/// A job enqueued from one of the loops stays on it; any other goes round the loops.
final class LoopExecutor: TaskExecutor {
    private let queues: [LoopQueue]
    private let next = Atomic<Int>(0)

    init(_ shards: [Shard]) { queues = shards.map { LoopQueue($0.loop) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let loop = MultiThreadedEventLoopGroup.currentEventLoop {
            for queue in queues where queue.loop === loop { return queue.append(job, for: self) }
        }
        let index = next.wrappingAdd(1, ordering: .relaxed).newValue
        let queue = queues[Int(UInt(bitPattern: index) % UInt(queues.count))]
        queue.loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

/// Jobs that were enqueued on their loop; one drain is scheduled whenever the queue becomes non-empty, else they would
/// strand.
// Guarded by confinement to `loop`.
private final class LoopQueue: @unchecked Sendable {
    let loop: any EventLoop
    @exclusivity(unchecked) private var jobs: [UnownedJob] = []
    @exclusivity(unchecked) private var spare: [UnownedJob] = []

    init(_ loop: any EventLoop) { self.loop = loop }

    func append(_ job: UnownedJob, for executor: LoopExecutor) {
        jobs.append(job)
        if jobs.count == 1 { loop.execute { self.drain(for: executor) } }
    }

    private func drain(for executor: LoopExecutor) {
        // What these jobs enqueue waits for the next drain, so that the loop reads its sockets in between.
        swap(&jobs, &spare)
        for job in spare { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
        spare.removeAll(keepingCapacity: true)
    }
}

// LoopExecutor: runs tasks on the event loops, so that a call there hops nowhere.

import NIOCore
import NIOPosix
import Synchronization
import TsubameCore
import TsubamePlatform

/// A job enqueued from one of the loops stays on it; any other goes round the loops.
final class LoopExecutor: TaskExecutor {
    private let queues: [LoopQueue]
    private let next = Atomic<Int>(0)

    init(_ loopPools: [LoopPool]) { queues = loopPools.map { LoopQueue($0.loop) } }

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

/// Jobs that were enqueued on their loop, run by one task of the loop after the other.
///
/// NIO runs tasks until none is left before it looks at its sockets, also those that tasks have enqueued meanwhile. A job that
/// always enqueues the next would hold the loop for ever; after a turn the queue therefore waits until the loop has polled.
// Guarded by confinement to `loop`.
private final class LoopQueue: @unchecked Sendable {
    /// How long jobs that enqueue jobs run before the loop looks at its sockets, in nanoseconds.
    private static let turn: MonotonicTime = 500_000
    /// A timer that is due later than now is what makes NIO poll.
    private static let pause = TimeAmount.microseconds(20)

    let loop: any EventLoop
    @exclusivity(unchecked) private var jobs: [UnownedJob] = []
    @exclusivity(unchecked) private var spare: [UnownedJob] = []
    /// A drain runs, or is scheduled.
    @exclusivity(unchecked) private var isBusy = false

    init(_ loop: any EventLoop) { self.loop = loop }

    func append(_ job: UnownedJob, for executor: LoopExecutor) {
        jobs.append(job)
        guard !isBusy else { return }
        isBusy = true
        loop.execute { self.drain(for: executor, since: nil) }
    }

    /// - Parameter start: when the first of the drains began that follow one another without a poll.
    private func drain(for executor: LoopExecutor, since start: MonotonicTime?) {
        swap(&jobs, &spare)
        for job in spare { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
        spare.removeAll(keepingCapacity: true)
        guard !jobs.isEmpty else {
            isBusy = false
            return
        }
        let now = MonotonicClock.now
        let start = start ?? now
        if now - start < Self.turn {
            loop.execute { self.drain(for: executor, since: start) }
        } else {
            loop.scheduleTask(in: Self.pause) { self.drain(for: executor, since: nil) }
        }
    }
}

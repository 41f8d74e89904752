// CallerLoop: the loop that a blocking call runs while it waits.

import Synchronization

/// A loop that a blocking call has taken.
package struct CallerLoop: Sendable {
    /// Loops without sockets, for any client.
    private static let free = Mutex<[EventLoop]>([])

    package let loop: EventLoop
    private let giveItBack: @Sendable () -> Void

    /// - Parameter giveItBack: called when the call no longer needs the loop.
    package init(_ loop: EventLoop, _ giveItBack: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.giveItBack = giveItBack
    }

    /// A loop that only runs jobs. The requests then run on other loops, or over another transport.
    package static func ofJobs() -> CallerLoop {
        let loop = free.withLock { $0.popLast() } ?? .ofJobs()
        return CallerLoop(loop) { free.withLock { $0.append(loop) } }
    }

    /// Runs the loop on the calling thread: see `EventLoop.runHere`.
    package func run(
        for executor: UnownedTaskExecutor, _ begin: () -> [UnownedJob], until isDone: () -> Bool, every interval: Int32,
        _ look: () -> Void
    ) -> [UnownedJob] {
        loop.runHere(for: executor, begin, until: isDone, every: interval, look)
    }

    /// The thread does something else within the call, and comes back.
    package func setAway(_ isAway: Bool) { loop.setAway(isAway) }

    /// Runs a job on the loop, which a thread runs.
    package func enqueue(_ job: UnownedJob, for executor: UnownedTaskExecutor) { loop.enqueue(job, for: executor) }

    /// Returns the loop with its idle connections.
    package func giveBack() { giveItBack() }
}

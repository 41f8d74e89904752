// How a loop without a thread of its own is run: by threads that wait, one at a time.

import Synchronization
import TsubamePlatform

/// The state that the threads of such a loop share. While none of them runs it, another loop serves it (``HostedLoop``).
final class CallerRun: Sendable {
    /// Held by the thread that runs the loop, or by the host.
    let turnLock = Mutex(())
    /// Whether a thread runs the loop. That thread may sleep in the poller.
    let isRunning = Atomic(false)
    /// Whether the host runs the loop, on its own thread. Only the holder of the lock asks.
    nonisolated(unsafe) var isOnHost = false
    /// Whether the thread of the loop's owner does something else within a call.
    let isAway = Atomic(false)
    let hosted: HostedLoop

    init(_ hosted: HostedLoop) { self.hosted = hosted }
}

extension EventLoop {
    /// A loop that is left has little to do, such as the closing of a socket.
    private static var turnsAtLeave: Int { 8 }

    /// Runs a loop without a thread on the calling thread, until it is told to stop. It looks at the sockets before
    /// the first job.
    ///
    /// Jobs run only here. The host serves sockets, deadlines and work while no thread runs the loop.
    /// - Parameters:
    ///   - executor: the executor that the tasks of the jobs prefer.
    ///   - begin: gives the first jobs. From then on others may be enqueued.
    ///   - isDone: asked before each wait.
    ///   - interval: in milliseconds: how often `look` is called at least; -1 for never.
    /// - Returns: the jobs that have not run.
    package func runHere(
        for executor: UnownedTaskExecutor, _ begin: () -> [UnownedJob], until isDone: () -> Bool, every interval: Int32,
        _ look: () -> Void
    ) -> [UnownedJob] {
        guard let callerRun else { return begin() }
        let (rest, end) = callerRun.turnLock.withLock { _ in
            let before = enter(callerRun)
            if memberCount > 0 { turn(longest: 0) }
            for job in begin() { enqueue(job, for: executor) }
            while !isDone() {
                turn(longest: interval, isDone)
                if interval >= 0 { look() }
            }
            let rest = takeJobs()
            return (rest, leave(callerRun, to: before))
        }
        handOver(callerRun, end)
        return rest
    }

    /// The thread of the loop's owner does something else within a call, and comes back.
    package func setAway(_ isAway: Bool) {
        guard let callerRun else { return }
        callerRun.isAway.store(isAway, ordering: .sequentiallyConsistent)
        if isAway { callerRun.hosted.plan(MonotonicClock.now + HostedLoop.visitInterval) }
    }

    func turnOnHost() {
        guard let callerRun else { return }
        let end = callerRun.turnLock.withLockIfAvailable { _ in
            let before = enter(callerRun)
            callerRun.isOnHost = true
            turn(longest: 0)
            let end = leave(callerRun, to: before)
            callerRun.isOnHost = false
            return end
        }
        if let end { return handOver(callerRun, end) }
        // A thread that runs the loop takes the work along. One that is about to let go of the lock may not have seen it.
        if !callerRun.isRunning.load(ordering: .sequentiallyConsistent) { callerRun.hosted.turnSoon() }
    }

    private func enter(_ callerRun: CallerRun) -> UnsafeMutableRawPointer? {
        callerRun.isRunning.store(true, ordering: .sequentiallyConsistent)
        inbox.wakeUp()
        return LoopThread.exchange(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Does what is left to do at once.
    /// - Returns: whether more is left, and the next deadline.
    private func leave(
        _ callerRun: CallerRun, to before: UnsafeMutableRawPointer?
    ) -> (isBusy: Bool, due: MonotonicTime) {
        var turns = 0
        while !rests(), turns < Self.turnsAtLeave {
            turn(longest: 0)
            turns += 1
        }
        let due = nextDeadline
        callerRun.isRunning.store(false, ordering: .sequentiallyConsistent)
        _ = LoopThread.exchange(before)
        return (turns == Self.turnsAtLeave, due)
    }

    /// Has the host serve the loop from now on. The lock is free.
    private func handOver(_ callerRun: CallerRun, _ end: (isBusy: Bool, due: MonotonicTime)) {
        // Work may have come while the poller was still the one to wake.
        if end.isBusy || inbox.isFilled { callerRun.hosted.turnSoon() }
        let isAway = callerRun.isAway.load(ordering: .sequentiallyConsistent)
        callerRun.hosted.plan(isAway ? min(end.due, MonotonicClock.now + HostedLoop.visitInterval) : end.due)
    }

    /// Wakes the thread that runs the loop, or the host if there is none.
    func wake() {
        guard let callerRun, !callerRun.isRunning.load(ordering: .sequentiallyConsistent) else { return poller.wake() }
        callerRun.hosted.turnSoon()
    }
}

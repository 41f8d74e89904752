// Driving: how a loop without a thread of its own is turned.

import Synchronization
import TsubamePlatform

/// The state that the threads of such a loop share. Threads turn the loop one at a time (``EventLoop/drive(_:for:until:every:_:)``).
/// While none does, another loop looks after it.
final class Driving: Sendable {
    /// Held by the thread that turns the loop.
    let driver = Mutex(())
    /// Whether a thread turns the loop. That thread may sleep in the poller.
    let isDriven = Atomic(false)
    let keeper: LoopKeeper

    init(_ keeper: LoopKeeper) { self.keeper = keeper }
}

/// Turns a loop that no thread turns when work comes for it, and at its deadlines.
// `loop` is set once, before another thread knows the keeper. `id` is confined to the host.
final class LoopKeeper: LoopMember, @unchecked Sendable {
    private let host: EventLoop
    weak var loop: EventLoop?
    /// When the host turns the loop next.
    private let planned = Atomic(MonotonicClock.never)
    private var id: MemberID?

    init(on host: EventLoop) { self.host = host }

    /// Turns the loop soon, unless a thread turns it.
    func turnSoon() { host.execute { self.turn() } }

    /// Turns the loop at a deadline, unless the host turns it earlier.
    func plan(_ due: MonotonicTime) {
        guard due < planned.load(ordering: .relaxed) else { return }
        host.execute { self.schedule(due) }
    }

    private func schedule(_ due: MonotonicTime) {
        guard due < planned.load(ordering: .relaxed) else { return }
        planned.store(due, ordering: .relaxed)
        let id = id ?? host.add(self)
        self.id = id
        host.setDeadline(of: id, to: due)
    }

    func deadlinePassed() {
        planned.store(MonotonicClock.never, ordering: .relaxed)
        turn()
    }

    private func turn() {
        if let loop { return loop.turnForKeeper() }
        if let id { host.remove(id) }
        id = nil
    }

    func ready(_ states: Readiness) {}
}

extension EventLoop {
    /// Turns a loop that has no thread of its own, on the calling thread, until it is told to stop.
    ///
    /// Jobs run only here. Sockets, deadlines and work are also served while no thread drives the loop.
    /// - Parameters:
    ///   - jobs: the first jobs to run.
    ///   - executor: the executor that the jobs' tasks prefer.
    ///   - isDone: asked before each wait.
    ///   - interval: in milliseconds: how often `look` is called at least; -1 for never.
    /// - Returns: the jobs that have not run.
    package func drive(
        _ jobs: [UnownedJob], for executor: UnownedTaskExecutor, until isDone: () -> Bool, every interval: Int32,
        _ look: () -> Void
    ) -> [UnownedJob] {
        guard let driving else { return jobs }
        let (rest, next) = driving.driver.withLock { _ in
            let before = enter(driving)
            for job in jobs { enqueue(job, for: executor) }
            while !isDone() {
                turn(longest: interval, isDone)
                if interval >= 0 { look() }
            }
            let rest = takeJobs()
            let next = leave(driving, to: before)
            return (rest, next)
        }
        driving.keeper.plan(next)
        return rest
    }

    func turnForKeeper() {
        guard let driving else { return }
        // A thread that has begun to turn the loop takes the work along.
        let next = driving.driver.withLockIfAvailable { _ in
            let before = enter(driving)
            turn(longest: 0)
            return leave(driving, to: before)
        }
        if let next { driving.keeper.plan(next) }
    }

    private func enter(_ driving: Driving) -> UnsafeMutableRawPointer? {
        driving.isDriven.store(true, ordering: .sequentiallyConsistent)
        inbox.wakeUp()
        return LoopThread.exchange(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Does what is left to do at once, so that the next work wakes the keeper.
    /// - Returns: the next deadline.
    private func leave(_ driving: Driving, to before: UnsafeMutableRawPointer?) -> MonotonicTime {
        var turns = 0
        while !rests(), turns < Self.turnsAtLeave {
            turn(longest: 0)
            turns += 1
        }
        let next = deadlines.next
        driving.isDriven.store(false, ordering: .sequentiallyConsistent)
        _ = LoopThread.exchange(before)
        // Work may have come while the poller was still the one to wake, or more is to be done than a thread waits for.
        if turns == Self.turnsAtLeave || inbox.isFilled { driving.keeper.turnSoon() }
        return next
    }

    /// A loop that is left has little to do, such as the closing of a socket.
    private static var turnsAtLeave: Int { 8 }

    /// Wakes the thread that turns the loop, or the keeper if there is none.
    func wake() {
        guard let driving, !driving.isDriven.load(ordering: .sequentiallyConsistent) else { return poller.wake() }
        driving.keeper.turnSoon()
    }
}

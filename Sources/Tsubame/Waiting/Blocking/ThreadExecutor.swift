// ThreadExecutor: runs the tasks of one blocking call on the thread that waits for it.

import Dispatch
import Synchronization
import TsubamePlatform
import TsubameSockets

/// While its thread waits, it runs an event loop, which runs the jobs. In between, the thread may run a closure of the
/// caller's (``leave(_:)``).
final class ThreadExecutor: TaskExecutor {
    private enum State {
        /// The thread runs the loop.
        case waiting
        /// The thread does something else. The jobs wait for it.
        case away([UnownedJob])
        /// The call is over.
        case stopped
    }

    /// In milliseconds. A cancelled task ends its call within 10 ms.
    private static let lookInterval: Int32 = 8

    private let loop: CallerLoop
    private let state = Mutex(State.away([]))
    /// The closure for which the thread is to leave the loop. Only the thread uses it.
    private nonisolated(unsafe) var visit: (() -> Void)?
    /// The function of the outermost wait. Only the thread uses it.
    private nonisolated(unsafe) var look: (() -> Void)?

    init(_ loop: CallerLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isStopped = state.withLock { state in
            switch state {
            case .waiting: loop.enqueue(job, for: asUnownedTaskExecutor())
            case .away(let jobs): state = .away(jobs + [job])
            case .stopped: return true
            }
            return false
        }
        if isStopped { runElsewhere(job) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Runs jobs on this thread until `isDone`.
    /// - Parameter given: called every 8 ms, here and in waits within this one.
    func run(until isDone: () -> Bool, lookingUp given: (() -> Void)?) {
        let before = look
        if let given { look = given }
        defer { look = before }
        repeat {
            let rest = loop.run(
                for: asUnownedTaskExecutor(), takeJobs, until: { self.isOver(isDone) },
                every: look == nil ? -1 : Self.lookInterval
            ) { self.look?() }
            if !rest.isEmpty {
                state.withLock { if case .away(let jobs) = $0 { $0 = .away(rest + jobs) } }
            }
            if let visit {
                self.visit = nil
                loop.setAway(true)
                visit()
                loop.setAway(false)
            }
        } while !isDone()
    }

    /// The jobs that have waited. From now on jobs go to the loop, which this thread runs.
    private func takeJobs() -> [UnownedJob] {
        state.withLock { state in
            defer { state = .waiting }
            if case .away(let jobs) = state { return jobs }
            return []
        }
    }

    /// Whether the thread is to leave the loop. From then on jobs wait for it.
    private func isOver(_ isDone: () -> Bool) -> Bool {
        guard visit != nil || isDone() else { return false }
        state.withLock { if case .waiting = $0 { $0 = .away([]) } }
        return true
    }

    /// Runs a closure on the thread, which does not run the loop meanwhile. The closure may wait by ``run(until:lookingUp:)``.
    func leave<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withUnsafeContinuation { continuation in
            visit = { continuation.resume(returning: body()) }
        }
    }

    /// Lets the thread go on. Jobs that are left, such as those of a sender that was cancelled, run elsewhere.
    func stop() {
        let rest = state.withLock { state -> [UnownedJob] in
            defer { state = .stopped }
            if case .away(let jobs) = state { return jobs }
            return []
        }
        for job in rest { runElsewhere(job) }
        loop.giveBack()
    }

    private func runElsewhere(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

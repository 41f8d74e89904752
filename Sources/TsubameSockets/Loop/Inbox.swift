// Inbox: the work that other threads give to a loop.

import Synchronization

/// A job of a task, and the executor that the task prefers.
struct Job: Sendable {
    let job: UnownedJob
    let executor: UnownedTaskExecutor
}

/// A closure for a loop. An array of bare closures would allocate a second context for each of them.
struct Work: Sendable {
    let run: @Sendable () -> Void
}

/// A thread puts work in and learns whether it has to wake the loop. The loop sleeps only after it has seen that nothing has
/// come, so no wake-up is lost.
struct Inbox: ~Copyable, Sendable {
    struct Contents: Sendable {
        var jobs: [Job] = []
        var work: [Work] = []
    }

    private enum State {
        static let awake = 0
        /// Something has come since the loop last looked.
        static let filled = 1
        static let asleep = 2
    }

    private let contents = Mutex(Contents())
    private let state = Atomic(State.awake)

    // MARK: On any thread

    /// - Returns: whether the loop sleeps and has to be woken.
    borrowing func put(_ job: Job) -> Bool {
        contents.withLock { $0.jobs.append(job) }
        return fill()
    }

    /// - Returns: whether the loop sleeps and has to be woken.
    borrowing func put(_ work: Work) -> Bool {
        contents.withLock { $0.work.append(work) }
        return fill()
    }

    private borrowing func fill() -> Bool {
        state.exchange(State.filled, ordering: .sequentiallyConsistent) == State.asleep
    }

    // MARK: On the loop

    /// Moves the contents to these arrays.
    @inline(__always)
    borrowing func take(_ jobs: inout [Job], _ work: inout [Work]) {
        guard state.load(ordering: .relaxed) == State.filled,
            state.exchange(State.awake, ordering: .acquiringAndReleasing) == State.filled
        else { return }
        contents.withLock { contents in
            jobs.append(contentsOf: contents.jobs)
            work.append(contentsOf: contents.work)
            contents.jobs.removeAll(keepingCapacity: true)
            contents.work.removeAll(keepingCapacity: true)
        }
    }

    /// - Returns: false if something has come, so that the loop must not sleep.
    borrowing func fallAsleep() -> Bool {
        state.compareExchange(expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing).exchanged
    }

    /// Whether something has come since the loop last looked.
    var isFilled: Bool { state.load(ordering: .sequentiallyConsistent) == State.filled }

    borrowing func wakeUp() {
        _ = state.compareExchange(expected: State.asleep, desired: State.awake, ordering: .acquiringAndReleasing)
    }
}

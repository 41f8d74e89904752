// CallbackQueue: the queue or executor on which callbacks run, in order.

public import Dispatch
import Synchronization

/// The queue or executor on which callbacks run, in order.
public struct CallbackQueue: Sendable {
    package let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Callbacks run on a dispatch queue. A serial queue keeps them in order.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue {
        CallbackQueue { work in queue.async(execute: work) }
    }

    /// Callbacks run on an executor, one after the other even if it has several threads.
    public static func executor(_ executor: any TaskExecutor) -> CallbackQueue {
        let line = WorkLine(executor)
        return CallbackQueue { work in line.append(work) }
    }

    /// Work runs where it is handed over, in order.
    static let here = CallbackQueue { work in work() }

    /// Callbacks run on the main queue.
    public static let main = CallbackQueue { work in
        MainQueueWatch.shared.expect()
        DispatchQueue.main.async {
            MainQueueWatch.shared.served()
            work()
        }
    }
}

/// Runs work in order on an executor that keeps no order.
private final class WorkLine: Sendable {
    private struct State: Sendable {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let executor: any TaskExecutor
    private let state = Mutex(State())

    init(_ executor: any TaskExecutor) { self.executor = executor }

    func append(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.work.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Task(executorPreference: executor) { self.run() } }
    }

    private func run() {
        while true {
            let work = state.withLock { state in
                defer { state.work = [] }
                if state.work.isEmpty { state.isRunning = false }
                return state.work
            }
            if work.isEmpty { return }
            for item in work { item() }
        }
    }
}

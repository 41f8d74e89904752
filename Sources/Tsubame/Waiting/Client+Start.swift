// Client+Start: the calls that start at once and end with a callback.

public import Dispatch
import Synchronization
public import TsubameCore

/// The progress of a call, in both directions.
public struct CallProgress: Sendable, Hashable {
    /// The progress of the request's body.
    public var sent = TransferProgress(bytes: 0, total: nil)
    /// The progress of the response's body, as received.
    public var received = TransferProgress(bytes: 0, total: nil)

    /// Makes the progress of a call that has moved no bytes.
    public init() {}
}

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

extension Client {
    /// Starts a call whose callbacks run on the main actor.
    ///
    /// ```swift
    /// let call = api.start(request) { progress in bar.doubleValue = progress.sent.fraction ?? 0 } then: { result in … }
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the program must serve the main queue (an
    /// async `main`, `dispatchMain()`, or a run loop).
    @discardableResult
    public func start(
        _ request: Request, progress: (@MainActor @Sendable (CallProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<Response, CallError>) -> Void
    ) -> Call {
        var onMain: (@Sendable (CallProgress) -> Void)?
        if let progress { onMain = { value in MainActor.assumeIsolated { progress(value) } } }
        return start(
            request, on: CallbackQueue.main, progress: onMain,
            then: { (result: Result<Response, CallError>) in MainActor.assumeIsolated { then(result) } })
    }

    /// Starts a call whose callbacks run on the given queue or executor.
    @discardableResult
    public func start(
        _ request: Request, on queue: CallbackQueue, progress: (@Sendable (CallProgress) -> Void)? = nil,
        then: @escaping @Sendable (Result<Response, CallError>) -> Void
    ) -> Call {
        var observer: (@Sendable (CallEvent) -> Void)?
        if let progress {
            let relay = ProgressRelay(queue, progress)
            observer = { event in relay.take(event) }
        }
        let call = makeCall(request, observer: observer)
        let collect: @Sendable (Response) async throws(CallError) -> Response = { response throws(CallError) in
            try await self.collected(response)
        }
        run(call, on: queue, collect, then: then)
        return call
    }

    /// Runs the call in its own task, which ends with the call.
    func run<T: Sendable>(
        _ call: Call, on queue: CallbackQueue, _ body: @escaping @Sendable (Response) async throws(CallError) -> T,
        then: @escaping @Sendable (Result<T, CallError>) -> Void
    ) {
        Task { @concurrent in
            let result: Result<T, CallError>
            do throws(CallError) {
                result = .success(try await self.perform(call, body))
            } catch {
                result = .failure(error)
            }
            queue.run { then(result) }
        }
    }
}

/// Turns byte events into progress, in order, on the caller's queue.
private final class ProgressRelay: Sendable {
    private let queue: CallbackQueue
    private let progress: @Sendable (CallProgress) -> Void
    private let state = Mutex(CallProgress())

    init(_ queue: CallbackQueue, _ progress: @escaping @Sendable (CallProgress) -> Void) {
        self.queue = queue
        self.progress = progress
    }

    func take(_ event: CallEvent) {
        let value: CallProgress? = state.withLock { state in
            switch event.kind {
            case .sending(let sent): state.sent = sent
            case .receiving(let received): state.received = received
            default: return nil
            }
            return state
        }
        guard let value else { return }
        let progress = progress
        queue.run { progress(value) }
    }
}

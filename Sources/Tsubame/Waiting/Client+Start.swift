// Client+Start: the calls that start at once and end with a callback.

public import Dispatch
import Synchronization
public import TsubameCore

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
        let (client, request) = resolved(request)
        let call = client.makeCall(request, observer: observer)
        let collect: @Sendable (Response) async throws(CallError) -> Response = { response throws(CallError) in
            try await client.collected(response)
        }
        client.run(call, on: queue, collect, then: then)
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

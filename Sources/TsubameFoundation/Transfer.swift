// Transfer: one running call that SwiftUI and other observing code can show.

public import Observation
public import Tsubame

/// One running call, with its progress and its end as observable properties. The main actor owns it.
///
/// ```swift
/// let transfer = api.transfer(request)
/// ProgressView(value: transfer.progress.received.fraction)
/// if let error = transfer.error { Text("\(error)") }
/// ```
/// The call begins at once, and is cancelled when the transfer is released. On Linux the program must serve the main queue
/// (an async `main`, `dispatchMain()`, or a run loop).
@MainActor @Observable
public final class Transfer {
    /// The state of the call.
    public enum State: Sendable {
        /// The call has not ended yet.
        case running
        /// The call has ended with a response of any status, unless the request requires an accepted one.
        case finished(Response)
        /// The call has failed. A cancelled call fails with `CallError.Kind.cancelled`.
        case failed(CallError)
    }

    /// The state of the call.
    public private(set) var state = State.running
    /// The bytes that were sent and received so far.
    public private(set) var progress = CallProgress()
    private let cancelling: Cancelling

    /// Cancels the call when the transfer is released.
    private final class Cancelling: Sendable {
        let call: Call

        init(_ call: Call) { self.call = call }

        deinit { call.cancel() }
    }

    fileprivate init(_ client: Client, _ request: Request) {
        let target = Target()
        cancelling = Cancelling(
            client.start(
                request, progress: { target.transfer?.progress = $0 },
                then: { result in
                    switch result {
                    case .success(let response): target.transfer?.state = .finished(response)
                    case .failure(let error): target.transfer?.state = .failed(error)
                    }
                }))
        target.transfer = self
    }

    /// The transfer that the callbacks of its call change.
    private final class Target {
        weak var transfer: Transfer?
    }

    /// The running call.
    public var call: Call { cancelling.call }

    /// Whether the call has not ended yet.
    public var isRunning: Bool { if case .running = state { true } else { false } }

    /// The response of a call that has ended with one.
    public var response: Response? { if case .finished(let response) = state { response } else { nil } }

    /// The error of a call that has failed.
    public var error: CallError? { if case .failed(let error) = state { error } else { nil } }

    /// Cancels the call, which then fails. Does nothing after its end.
    public func cancel() { call.cancel() }
}

extension Client {
    /// Starts a call as an observable object.
    @MainActor
    public func transfer(_ request: Request) -> Transfer { Transfer(self, request) }
}

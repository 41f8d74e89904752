// CallDelegate: a protocol whose methods receive the stages of a call.

import Synchronization
public import TsubameCore

/// Receives the stages of a call, on the main actor. The two ends of a call must be implemented; the other methods have
/// an empty default.
@MainActor
public protocol CallDelegate: AnyObject {
    /// Called once, when the response's head has arrived.
    func call(_ call: Call, didReceive response: Response)
    /// Called for each piece of the body as it arrives, decoded.
    func call(_ call: Call, didReceive bytes: Bytes)
    /// Called while bytes are sent or received.
    func call(_ call: Call, didProgress progress: CallProgress)
    /// Called once at the end with the whole response, instead of `didFailWith`.
    func call(_ call: Call, didFinish response: Response)
    /// Called once at the end with the error, instead of `didFinish`.
    func call(_ call: Call, didFailWith error: CallError)
}

extension CallDelegate {
    /// Does nothing.
    public func call(_ call: Call, didReceive response: Response) {}
    /// Does nothing.
    public func call(_ call: Call, didReceive bytes: Bytes) {}
    /// Does nothing.
    public func call(_ call: Call, didProgress progress: CallProgress) {}
}

extension Client {
    /// Starts a call and reports its stages to `delegate`, which the client holds weakly.
    @discardableResult
    public func start(_ request: Request, delegate: any CallDelegate) -> Call {
        let weak = WeakDelegate(delegate)
        return start(
            request, head: { call, response in weak.delegate?.call(call, didReceive: response) },
            bytes: { call, bytes in weak.delegate?.call(call, didReceive: bytes) },
            progress: { call, progress in weak.delegate?.call(call, didProgress: progress) },
            then: { call, result in
                switch result {
                case .success(let response): weak.delegate?.call(call, didFinish: response)
                case .failure(let error): weak.delegate?.call(call, didFailWith: error)
                }
            })
    }

    /// Starts a call and reports every stage on the main actor, in order. The next piece is read after the last was
    /// reported.
    @discardableResult
    package func start(
        _ request: Request, head: @escaping @MainActor @Sendable (Call, Response) -> Void,
        bytes: @escaping @MainActor @Sendable (Call, Bytes) -> Void,
        progress: @escaping @MainActor @Sendable (Call, CallProgress) -> Void,
        then: @escaping @MainActor @Sendable (Call, Result<Response, CallError>) -> Void
    ) -> Call {
        let (client, request) = resolved(request)
        let relay = StageRelay(progress)
        let call = client.makeCall(request, wantsStream: true, observer: { relay.take($0) })
        relay.call = call
        let limit = client.configuration.limits.bufferedBody
        client.run(call, on: .main) { response throws(CallError) in
            MainQueueWatch.shared.expect()
            await MainActor.run {
                MainQueueWatch.shared.served()
                head(call, response)
                relay.headWasTold()
            }
            var gathered = GatheredBytes()
            for try await piece in response.body {
                guard piece.count <= limit - gathered.count else {
                    response.body.discard()
                    throw CallError(
                        .limitExceeded, "the body is longer than \(limit) bytes (limits.bufferedBody)",
                        phase: .receivingBody, request: request)
                }
                gathered.append(piece)
                await MainActor.run { bytes(call, piece) }
            }
            return response.with(collected: gathered.joined())
        } then: { result in
            MainActor.assumeIsolated { then(call, result) }
        }
        return call
    }
}

/// Relays progress to the main actor. Progress of the response's body waits until the head has been reported.
// `call` is set before the call starts. It is weak, because the call holds its observer.
private final class StageRelay: @unchecked Sendable {
    private struct State: Sendable {
        var progress = CallProgress()
        var isHeadTold = false
        var isHeldBack = false
    }

    weak var call: Call?
    private let progress: @MainActor @Sendable (Call, CallProgress) -> Void
    private let state = Mutex(State())

    init(_ progress: @escaping @MainActor @Sendable (Call, CallProgress) -> Void) { self.progress = progress }

    func take(_ event: CallEvent) {
        let value: CallProgress? = state.withLock { state in
            switch event.kind {
            case .sending(let sent): state.progress.sent = sent
            case .receiving(let received):
                state.progress.received = received
                guard state.isHeadTold else {
                    state.isHeldBack = true
                    return nil
                }
            default: return nil
            }
            return state.progress
        }
        guard let value, let call else { return }
        let progress = progress
        CallbackQueue.main.run { MainActor.assumeIsolated { progress(call, value) } }
    }

    @MainActor
    func headWasTold() {
        let value = state.withLock { state -> CallProgress? in
            state.isHeadTold = true
            return state.isHeldBack ? state.progress : nil
        }
        if let value, let call { progress(call, value) }
    }
}

// The reference is written only in `init`. A weak load is safe from any thread, and only the main actor uses the
// object.
private final class WeakDelegate: @unchecked Sendable {
    private(set) weak var delegate: (any CallDelegate)?

    init(_ delegate: any CallDelegate) { self.delegate = delegate }
}

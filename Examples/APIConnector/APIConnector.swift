// APIConnector: a connector to subclass, which a view controller would keep.

import Tsubame

/// Sends one call at a time, and reports its end to methods that a subclass overrides.
@MainActor
class APIConnector<Target: APICall & Sendable> where Target.Value: Sendable {
    private let api: Client
    private var call: Call?
    private var number = 0

    init(_ api: Client) { self.api = api }

    /// Starts a call, and cancels the one before it.
    func startConnection(_ target: Target) {
        connectionCancel()
        number += 1
        let started = number
        call = api.start(target) { [weak self] result in
            // Another call may have begun meanwhile.
            guard self?.number == started else { return }
            switch result {
            case .success(let value): self?.connectionSuccess(value, of: target)
            case .failure(let error): self?.connectionFailed(error)
            }
        }
    }

    /// Called with the decoded response of any status.
    func connectionSuccess(_ value: Target.Value, of target: Target) {}

    /// Called if the transfer failed, or if the response could not be decoded.
    func connectionFailed(_ error: CallError) {}

    /// Ends the running call, which then fails.
    func connectionCancel() { call?.cancel() }
}

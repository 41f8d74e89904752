// CallCancellable: work that a cancelled call ends.

/// Work that a cancelled call ends.
package protocol CallCancellable: AnyObject, Sendable {
    func cancel()
    /// The phase of the work, if it can be told on any thread.
    var cancellationPhase: CallError.Phase? { get }
    /// Whether nothing is left to cancel. May be asked on any thread.
    var hasEnded: Bool { get }
}

extension CallCancellable {
    package var hasEnded: Bool { false }
    package var cancellationPhase: CallError.Phase? { nil }
}

// CallProgress: the progress of a call, in both directions.

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

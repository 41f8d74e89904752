// NoContent: the mark of a verb whose parameter json was not given.

/// Stands for a parameter `json` that was not given. A value of nil is given: it is sent as `null`.
public struct NoContent: Encodable, Sendable {
    /// Makes the mark.
    public init() {}
}

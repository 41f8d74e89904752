// TransferProgress: how much of a body has been sent or received.

/// The number of bytes of a body that have been sent or received.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes so far.
    public var bytes: Int64
    /// The bytes in all; nil if the number is not known.
    public var total: Int64?

    /// Progress of `bytes` out of `total`.
    public init(bytes: Int64, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// The bytes that are still to come; nil if the total is not known.
    public var remaining: Int64? { total.map { Swift.max($0 - bytes, 0) } }

    /// The fraction that is done, from 0 to 1; nil if the total is not known.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? Double(bytes) / Double(total) : 1
    }
}

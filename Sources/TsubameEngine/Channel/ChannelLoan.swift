// ChannelLoan: a channel whose socket is read elsewhere.

/// Keeps the socket of a channel open while another thread reads it.
protocol ChannelLoan: AnyObject {
    /// The loop wants the socket back, to close it.
    /// - Parameter returnSocket: called on the loop when the read is done, if one is under way.
    /// - Returns: whether the loop has the socket back already.
    func revoke(_ returnSocket: @escaping @Sendable () -> Void) -> Bool
}

// ConnectStep: a part of the way to a connection.

/// One step of a ``Connector`` that can be cancelled: a race of addresses, a conversation with a proxy, a TLS handshake. A step tells its
/// outcome once, to the closure that it was made with. Confined to its loop.
protocol ConnectStep: AnyObject {
    /// Ends the step. Its outcome is not told.
    func cancel()
}

// ConnectionPool.Action: what the owner of a pool does after an event.

extension ConnectionPool {
    /// One thing to do. The owner carries the actions of an event out in order, before the next event.
    enum Action {
        /// Sends the request on the connection. The request waits no longer.
        case run(Waiter, on: Connection)
        /// Asks the budget for a place.
        case takePlace
        /// Gives a place back to the budget.
        case returnPlace
        /// Begins to make a connection for the request, within the request's deadlines.
        case connect(ConnectorID, for: Waiter)
        /// The request of the connector has gone; the connector goes on for the others, for a limited time.
        case detach(ConnectorID)
        /// Stops to make a connection.
        case cancel(ConnectorID)
        /// Closes the connection, which has left the pool.
        case close(Connection)
        /// The connection begins no further exchange, and closes after its last one.
        case stopAccepting(Connection)
        /// A connection has become idle.
        case becameIdle
        /// The connection that the call wanted made is there, or may not be made.
        case warmedUp(Waiter)
        /// Fails the request, because the connector that was begun for it has failed.
        case fail(Waiter)
        /// Reports ``sharingDelayPassed(_:isKnownToShare:_:)`` after the sharing delay.
        case startSharingDelay(ConnectorID)
        /// Reports ``yieldingPassed(on:at:_:)`` after the yielding time.
        case startYielding(MemberID)
    }

    /// A connection for a request that need not wait.
    struct Lease {
        let id: MemberID
        let connection: Connection
    }
}

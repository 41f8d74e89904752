// TransportStatistics: the open connections and exchanges of a transport.

/// How many connections and exchanges there are, for tests and for the curious.
package struct TransportStatistics: Sendable, Hashable {
    package var leased = 0
    package var idle = 0
    package var waiting = 0
    package var connecting = 0
    /// The open sockets, those of attempts to connect and of connections that are being closed included.
    package var sockets = 0
    /// Memory of the bytes that idle and shared connections have received and not consumed.
    package var unconsumedBytes = 0
    /// Exchanges that came from other threads than their loop's and are not over.
    package var running = 0

    package init() {}
}

/// A transport that counts its open connections: the engine, and a transport that uses one.
package protocol CountedTransport: Transport {
    func statistics() async -> TransportStatistics
}

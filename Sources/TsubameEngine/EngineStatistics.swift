// EngineStatistics: what an engine has open.

/// How many connections and exchanges there are, for tests and for the curious.
package struct EngineStatistics: Sendable, Hashable {
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

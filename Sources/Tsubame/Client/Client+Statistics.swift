// Client+Statistics: the open connections and calls of a client, for tests.

package import TsubameCore

extension Client {
    /// The connections and waiting exchanges; none for a transport that does not count them.
    package func statistics() async -> TransportStatistics {
        await (chain.transport as? any CountedTransport)?.statistics() ?? TransportStatistics()
    }

    package var runningCallCount: Int { runningCalls.count }
}

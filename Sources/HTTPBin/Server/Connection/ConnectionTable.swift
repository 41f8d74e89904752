// ConnectionTable: the open connections of one server.
#if Server
import NIOCore
import Synchronization

final class ConnectionTable: Sendable {
    private struct State {
        var isClosed = false
        var accepted = 0
        var open: [ObjectIdentifier: Connection] = [:]
    }

    private let state = Mutex(State())

    /// The number of connections, without streams.
    var count: Int {
        state.withLock { $0.open.values.count { !$0.isStream } }
    }

    func add(_ channel: any Channel) { add(channel, of: nil) }

    /// - Parameter connection: the connection that carries the channel, if the channel is a stream.
    @discardableResult
    func add(_ channel: any Channel, of connection: Connection?) -> Connection {
        let (connection, isClosed) = state.withLock { state in
            if connection == nil { state.accepted += 1 }
            let connection = Connection(
                number: connection?.number ?? state.accepted, channel: channel, isStream: connection != nil)
            state.open[ObjectIdentifier(channel)] = connection
            return (connection, state.isClosed)
        }
        // The close future also fires for a channel that is closed before it is active; such a channel never sees
        // channelInactive.
        channel.closeFuture.whenComplete { _ in
            connection.peerHasLeft()
            _ = self.state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        // The connection was accepted while the server was stopping.
        if isClosed { connection.close() }
        return connection
    }

    subscript(channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    /// Closes all open connections and, from now on, every connection that is added. Streams end with their
    /// connections.
    func closeAll() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.open.values.filter { !$0.isStream }
        }
        for connection in connections { connection.close() }
    }

    /// Returns when the connections that are open now have closed.
    func waitUntilClosed() async {
        for connection in state.withLock({ Array($0.open.values) }) { await connection.waitUntilClosed() }
    }
}

#endif

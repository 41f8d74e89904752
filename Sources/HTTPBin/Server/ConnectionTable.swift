// The connections of one server that are open now.
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

    /// How many there are, streams apart.
    var count: Int {
        state.withLock { $0.open.values.count { !$0.isStream } }
    }

    func add(_ channel: any Channel) { add(channel, of: nil) }

    /// - Parameter connection: that of which the channel is a stream.
    @discardableResult
    func add(_ channel: any Channel, of connection: Connection?) -> Connection {
        let (connection, isClosed) = state.withLock { state in
            if connection == nil { state.accepted += 1 }
            let connection = Connection(
                number: connection?.number ?? state.accepted, channel: channel, isStream: connection != nil)
            state.open[ObjectIdentifier(channel)] = connection
            return (connection, state.isClosed)
        }
        // By its future and not by channelInactive, which a channel that is closed before it is active never sees.
        channel.closeFuture.whenComplete { _ in
            connection.peerHasLeft()
            _ = self.state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        // Accepted while the server was being stopped.
        if isClosed { connection.close() }
        return connection
    }

    subscript(channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    /// Closes all that are open and, from now on, all that are added. Streams end with their connections.
    func closeAll() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.open.values.filter { !$0.isStream }
        }
        for connection in connections { connection.close() }
    }

    /// Returns when those that are open now are closed.
    func waitUntilClosed() async {
        for connection in state.withLock({ Array($0.open.values) }) { await connection.waitUntilClosed() }
    }
}

#endif

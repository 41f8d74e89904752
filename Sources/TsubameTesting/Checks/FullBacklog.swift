// FullBacklog: a port that neither accepts nor refuses connections for as long as a test needs it.

import TsubamePlatform

/// A TCP port of the loopback interface that answers no connection request, so that a client waits for its deadline.
///
/// The port listens, no program accepts, and the queue of connections is full. Linux then drops further requests. Other
/// systems may refuse them; the initializer throws there.
public final class FullBacklog: Sendable {
    private let listener: LoopbackSocket
    private let clients: [Int32]
    /// The port.
    public let port: Int
    /// The URL of the port, without a slash at the end.
    public let url: String

    /// The system provides no such port.
    public struct Unavailable: Error {}

    /// Makes a port, which stays silent for as long as this object lives.
    /// - Parameters:
    ///   - host: an IPv4 address of the loopback interface.
    ///   - port: the port; with 0 the system chooses.
    /// - Throws: ``Unavailable`` if the system cannot make a port silent.
    public init(_ host: String = "127.0.0.1", port: Int = 0) throws(Unavailable) {
        guard let listener = try? LoopbackSocket(host, port: UInt16(clamping: port)),
            listen(listener.descriptor, 0) == 0
        else {
            throw Unavailable()
        }
        var clients: [Int32] = []
        // A connection over loopback is established at once or not at all.
        for _ in 0..<16 {
            guard let client = try? LoopbackSocket.open() else { break }
            clients.append(client)
            listener.beginConnecting(client, host: host)
            var event = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
            if poll(&event, 1, 20) == 0 {
                self.listener = listener
                self.clients = clients
                self.port = Int(listener.port)
                url = "http://\(host):\(listener.port)"
                return
            }
        }
        for client in clients { close(client) }
        throw Unavailable()
    }

    deinit { for client in clients { close(client) } }
}

// DeadPort: a port that refuses every connection for as long as a test needs it.

/// A TCP port of the loopback interface that is bound but does not listen, so that it refuses connections.
///
/// A port that was merely free a moment ago may belong to another process by the time a test uses it.
public final class DeadPort: Sendable {
    private let socket: LoopbackSocket

    /// The port, on 127.0.0.1.
    public var number: Int { Int(socket.port) }

    /// The URL of the port, without a slash at the end.
    public var url: String { "http://127.0.0.1:\(number)" }

    /// The system could not provide a port.
    public struct Unavailable: Error {}

    /// Binds a port, which stays bound for as long as this object lives.
    /// - Throws: ``Unavailable`` if the system provides no port.
    public init() throws(Unavailable) {
        guard let socket = try? LoopbackSocket("127.0.0.1", port: 0) else { throw Unavailable() }
        self.socket = socket
    }
}

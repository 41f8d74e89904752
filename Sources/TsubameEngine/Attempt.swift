// Attempt: one address on the way to a connection.

import NIOCore

/// One address that is being tried.
final class Attempt {
    let address: SocketAddress
    var channel: (any Channel)?
    var connection: Connection?
    /// It has become the dial's connection.
    var isKept = false

    init(_ address: SocketAddress) { self.address = address }
}

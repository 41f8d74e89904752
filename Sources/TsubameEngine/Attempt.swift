// Attempt: one address on the way to a connection.

import NIOCore

/// One address that is being tried.
// Confined to the loop of its dial.
final class Attempt: @unchecked Sendable {
    let address: SocketAddress
    var channel: (any Channel)?
    var opening: Opening?
    /// It is only to show the certificates.
    var capture: ChainCapture?
    /// It has become the dial's connection.
    var isKept = false

    init(_ address: SocketAddress) { self.address = address }
}

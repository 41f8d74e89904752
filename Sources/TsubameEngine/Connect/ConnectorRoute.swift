// ConnectorRoute: the way that a connector has found so far.

import TsubameCore
import TsubameSockets

/// A connected channel, on the way to the origin.
struct ConnectorRoute {
    let channel: SocketChannel
    let address: SocketAddress
    /// Takes the certificates; nil unless the connection is made only to read them.
    let capture: ChainCapture?
    /// Whether what is sent reaches the origin, or the proxy that forwards.
    var isAtOrigin = false
}

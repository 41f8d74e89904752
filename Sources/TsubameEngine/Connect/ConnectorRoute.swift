// ConnectorRoute: the way that a connector has found so far.

import TsubameCore
import TsubameSockets

/// A connected channel, on the way to the origin.
struct ConnectorRoute {
    let channel: SocketChannel
    let address: SocketAddress
    /// It is only to show the certificates.
    let capture: ChainCapture?
    /// Whether what is sent reaches the origin, or the proxy that forwards.
    var isAtOrigin = false
}

// AddressAttempt: one address on the way to a connection.

/// One address that is being tried.
// Confined to the loop of its connector.
final class AddressAttempt: @unchecked Sendable {
    let address: SocketAddress
    var channel: SocketChannel?
    var negotiation: ProtocolNegotiation?
    /// It is only to show the certificates.
    var capture: ChainCapture?
    /// It has become the connector's connection.
    var isKept = false

    init(_ address: SocketAddress) { self.address = address }
}

// ChannelReceiver: the owner of the bytes that a channel receives.

import NIOCore

/// A conversation with a proxy, a TLS handshake, or a connection. A channel has one at a time, whose place the next one takes.
/// All calls come on the channel's loop.
protocol ChannelReceiver: AnyObject {
    /// A TLS handshake is complete.
    /// - Parameter applicationProtocol: the protocol that the server has chosen (ALPN, RFC 7301).
    func secured(_ applicationProtocol: String?)
    /// The bytes of one read, which are there until the receiver returns.
    func receive(_ read: ReceivedBytes)
    /// The channel takes bytes again. This may come while the receiver sends.
    func becameWritable()
    /// An error that ends the connection. It never comes while the receiver sends. A TLS connection may end without a
    /// close_notify; ``closed()`` follows then. Over TLS a second error may come.
    func failed(_ error: any Error)
    /// The deadline has passed that the receiver has set (``SocketChannel/setDeadline(_:)``). It is cleared.
    func deadlinePassed()
    /// The channel is closed. It is the last call, and never comes while the receiver sends. A channel that was never
    /// connected does not make it.
    func closed()
}

extension ChannelReceiver {
    func secured(_ applicationProtocol: String?) {}

    func becameWritable() {}

    func deadlinePassed() {}
}

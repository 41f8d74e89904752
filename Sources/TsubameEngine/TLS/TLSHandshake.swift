// TLSHandshake: puts TLS between a socket and its receiver.

import NIOCore
import NIOSSL
import TsubameCore
import TsubameSockets

/// One TLS handshake over a connected channel, with an origin or with a proxy. NIOSSL checks
/// the chain, and the owner of the handshake checks the rest.
// Guarded by confinement to the channel's loop.
final class TLSHandshake: ConnectStep, ChannelReceiver, @unchecked Sendable {
    struct Success {
        let info: TLSInfo
        /// The protocol that the server has chosen (ALPN, RFC 7301).
        let applicationProtocol: String?
        let certificate: NIOSSLCertificate?
    }

    struct Failure: Error {
        let error: any Error
        /// The peer's own certificate, if it has sent one.
        let certificate: NIOSSLCertificate?
    }

    private let tls: NIOSSLClientHandler
    private let hello = ServerHelloReader()
    private var failure: (any Error)?
    /// nil once the outcome is told.
    private var done: ((Result<Success, Failure>) -> Void)?

    /// - Parameters:
    ///   - host: the name that the peer is asked for (SNI), which holds neither an IP literal nor the root's dot (RFC 6066
    ///     section 3).
    ///   - capture: takes the peer's chain, and lets the handshake fail.
    init(
        _ context: NIOSSLContext, host: String, capture: ChainCapture?,
        done: @escaping (Result<Success, Failure>) -> Void
    ) throws {
        let name = IPAddress(host) == nil ? DomainName.withoutRootDot(host) : nil
        tls =
            try capture?.handler(context, serverName: name)
            ?? NIOSSLClientHandler(context: context, serverHostname: name)
        self.done = done
    }

    /// Begins the handshake. The channel is connected.
    func start(on channel: SocketChannel) throws {
        channel.receiver = self
        try channel.addTLS(tls, behind: hello)
        if channel.state != .active { closed() }
    }

    func secured(_ applicationProtocol: String?) {
        tell(
            .success(
                Success(
                    info: TLSInfo(tls, applicationProtocol: applicationProtocol, cipherSuite: hello.cipherSuite),
                    applicationProtocol: applicationProtocol, certificate: tls.peerCertificate)))
    }

    func receive(_ read: ReceivedBytes) {
        // Only after a handshake whose peer was refused.
    }

    func failed(_ error: any Error) {
        // A second error says less.
        if failure == nil { failure = error }
        tell(.failure(Failure(error: error, certificate: tls.peerCertificate)))
    }

    func closed() { tell(.failure(Failure(error: failure ?? ChannelError.eof, certificate: tls.peerCertificate))) }

    private func tell(_ outcome: Result<Success, Failure>) {
        let done = done
        self.done = nil
        done?(outcome)
    }

    func cancel() { done = nil }
}

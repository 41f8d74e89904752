// ProtocolNegotiation: finds out which protocol is spoken on a channel.

import NIOCore
import NIOSSL
import TsubameCore
import TsubameSockets

/// Waits for the socket and, over TLS, for the handshake. Checks the peer. Then a connection of HTTP/1.1 or HTTP/2 takes its
/// place, as the server has chosen (ALPN, RFC 7301).
// Guarded by confinement to the loop of its connector.
final class ProtocolNegotiation: ChannelReceiver, @unchecked Sendable {
    private let key: ConnectionKey
    private let loopPool: LoopPool
    private var connector: Connector?
    private let channel: SocketChannel
    /// The TLS to the origin, if there is TLS.
    let tls: NIOSSLClientHandler?
    private var failure: (any Error)?
    private(set) var facts: ConnectionInfo?

    init(_ connector: Connector, _ channel: SocketChannel, tls: NIOSSLClientHandler?) {
        key = connector.key
        loopPool = connector.loopPool
        self.connector = connector
        self.channel = channel
        self.tls = tls
    }

    func connected() {
        let version = key.plainVersion
        setFacts(tls: nil, version: version)
        connector?.reached(self)
        if tls == nil { settle(version) }
    }

    func secured(_ applicationProtocol: String?) {
        guard let tls else { return }
        let info = TLSInfo(tls, applicationProtocol: applicationProtocol)
        do throws(CallError) {
            let version = try chosen(applicationProtocol)
            setFacts(tls: info, version: version)
            try key.tls.check(info, tls.peerCertificate, host: key.origin.host)
            settle(version)
        } catch {
            tellFailed(error)
            channel.end()
        }
    }

    private func chosen(_ applicationProtocol: String?) throws(CallError) -> HTTPVersion {
        let choice = key.settings.settings.httpVersion
        switch applicationProtocol {
        case "h2" where choice != .http11: return .http2
        case nil where choice != .http2, "http/1.1" where choice != .http2: return .http11
        case "h2", "http/1.1", nil:
            throw CallError(
                .tls,
                "the server does not speak \(choice == .http2 ? "HTTP/2" : "HTTP/1.1"), and nothing else is wanted",
                phase: .securing, advice: "leave connection.httpVersion as it is by default")
        default: throw CallError(.tls, "the server wants to speak another protocol than HTTP", phase: .securing)
        }
    }

    private func setFacts(tls: TLSInfo?, version: HTTPVersion) {
        let remote = facts?.remoteAddress ?? (try? channel.socket?.remoteAddress())?.description ?? ""
        let local = facts?.localAddress ?? (try? channel.socket?.localAddress())?.description ?? ""
        facts = ConnectionInfo(
            id: facts?.id ?? ConnectionInfo.nextID(),
            remoteAddress: remote, localAddress: local,
            proxy: key.proxy?.description, tls: tls, version: version)
    }

    private func settle(_ version: HTTPVersion) {
        guard let connector, channel.state == .active, let facts else { return }
        self.connector = nil
        let connection: any PooledConnection & ChannelReceiver =
            version == .http2
            ? HTTP2Connection(key, loopPool, facts, channel, limits: connector.exchange.call.limits)
            : Connection(key, loopPool, facts, channel)
        channel.receiver = connection
        connector.succeeded(self, connection)
        connection.flush()
    }

    func receive(_ bytes: ByteBuffer) {
        // Only after a handshake whose peer was refused.
    }

    func failed(_ error: any Error) {
        if failure == nil { failure = error }
        tellFailed(error)
        // A TLS end without close_notify is followed by `closed()`.
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return }
        channel.end()
    }

    func closed() { tellFailed(failure ?? ChannelError.eof) }

    private func tellFailed(_ error: any Error) {
        let connector = connector
        self.connector = nil
        connector?.failed(error, self)
    }

    /// Closes the channel, which nothing waits for.
    func close() { channel.end() }
}

extension ConnectionKey {
    /// What is spoken where no handshake asks for it.
    fileprivate var plainVersion: HTTPVersion { settings.settings.httpVersion == .http2 ? .http2 : .http11 }
}

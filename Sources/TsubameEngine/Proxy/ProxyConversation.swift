// ProxyConversation: speaks to the proxy at the beginning of a connection, and then makes way.

import NIOCore
import NIOSSL
import TsubameCore
import TsubameWire

// Guarded by confinement to its channel's loop.
final class ProxyConversation: ChannelReceiver, @unchecked Sendable {
    private let connector: Connector
    private let attempt: AddressAttempt
    private let channel: SocketChannel
    /// nil if the proxy takes requests as they are.
    private let handshake: (any ProxyHandshake)?
    /// The TLS to the proxy, if the proxy's URL is https.
    private let tls: NIOSSLClientHandler?
    private var input: [UInt8] = []
    private var isOver = false

    init(
        _ connector: Connector, _ attempt: AddressAttempt, _ channel: SocketChannel, _ handshake: (any ProxyHandshake)?,
        tls: NIOSSLClientHandler?
    ) {
        self.connector = connector
        self.attempt = attempt
        self.channel = channel
        self.handshake = handshake
        self.tls = tls
    }

    func connected() {
        connector.reachedProxy(attempt)
        if tls == nil { greet() }
    }

    func secured(_ applicationProtocol: String?) {
        guard let tls, let proxy = connector.key.proxy else { return }
        do throws(CallError) {
            // Before the proxy is told its credentials.
            let info = TLSInfo(tls, applicationProtocol: applicationProtocol)
            try connector.key.proxyTLS.check(info, tls.peerCertificate, host: proxy.host)
            greet()
        } catch {
            fail(error)
        }
    }

    private func greet() {
        guard !isOver, channel.state == .active else { return }
        guard let handshake else { return makeWay() }
        channel.send(ByteBuffer(bytes: handshake.greeting))
    }

    func receive(_ bytes: ByteBuffer) {
        guard !isOver, let handshake else { return }
        input += bytes.readableBytesView
        do throws(WireError) {
            while let answer = try handshake.receive(&input) {
                switch answer {
                case .send(let bytes): channel.send(ByteBuffer(bytes: bytes))
                case .free:
                    // The origin does not speak first, so these are the proxy's.
                    guard input.isEmpty else { throw WireError(.proxy, "it says more than belongs to its answer") }
                    return makeWay()
                case .elsewhere: return renew()
                }
            }
        } catch {
            fail(error)
        }
    }

    private func makeWay() {
        isOver = true
        connector.passedProxy(attempt)
    }

    /// Says the rest on another connection.
    private func renew() {
        guard !isOver else { return }
        guard connector.renew(attempt) else { return fail(ChannelError.eof) }
        isOver = true
        channel.end()
    }

    private func fail(_ error: any Error) {
        guard !isOver else { return }
        isOver = true
        connector.failedAtProxy(error, attempt, certificate: tls?.peerCertificate)
        channel.end()
    }

    private func lose(_ error: any Error) {
        if handshake?.mayBeginAnew == true { renew() } else { fail(error) }
    }

    func failed(_ error: any Error) { lose(error) }

    func closed() { lose(ChannelError.eof) }
}

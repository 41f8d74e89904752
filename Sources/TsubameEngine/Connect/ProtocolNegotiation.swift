// ProtocolNegotiation: what stands at the end of a channel until it is known which protocol is spoken on it.

import NIOCore
import NIOSSL
import NIOTLS
import TsubameCore

/// Waits for TCP and, if there is to be TLS, for the handshake; looks at whom it is with; and gives its place to a
/// connection of HTTP/1.1 or HTTP/2, whichever the server has chosen (ALPN, RFC 7301).
// Guarded by confinement to the loop of its connector.
final class ProtocolNegotiation: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    private let key: ConnectionKey
    private let loopPool: LoopPool
    private var connector: Connector?
    /// What does TLS to the origin, if it is wanted.
    let tls: NIOSSLClientHandler?
    private var context: ChannelHandlerContext?
    private var failure: (any Error)?
    private(set) var facts: ConnectionInfo?

    init(_ connector: Connector, tls: NIOSSLClientHandler?) {
        key = connector.key
        loopPool = connector.loopPool
        self.connector = connector
        self.tls = tls
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Behind a proxy the channel was there before.
        if context.channel.isActive { becomeActive(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        becomeActive(context)
        context.fireChannelActive()
    }

    private func becomeActive(_ context: ChannelHandlerContext) {
        let version = key.plainVersion
        setFacts(context, tls: nil, version: version)
        connector?.reached(self)
        if tls == nil { settle(version) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent, let tls {
            let info = TLSInfo(tls, applicationProtocol: applicationProtocol)
            do throws(CallError) {
                let version = try chosen(applicationProtocol)
                setFacts(context, tls: info, version: version)
                try key.tls.check(info, tls.peerCertificate, host: key.origin.host)
                settle(version)
            } catch {
                let connector = connector
                self.connector = nil
                connector?.failed(error, self)
                context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
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

    private func setFacts(_ context: ChannelHandlerContext, tls: TLSInfo?, version: HTTPVersion) {
        func text(_ address: SocketAddress?) -> String { address.map { Connector.text($0) } ?? "" }
        facts = ConnectionInfo(
            id: facts?.id ?? ConnectionInfo.nextID(), remoteAddress: text(context.remoteAddress),
            localAddress: text(context.localAddress), proxy: key.proxy?.description, tls: tls, version: version)
    }

    private func settle(_ version: HTTPVersion) {
        guard let connector, let context, let facts else { return }
        self.connector = nil
        let pipeline = context.pipeline.syncOperations
        do {
            let connection: any PooledConnection
            if version == .http2 {
                let http2 = HTTP2Connection(key, loopPool, facts, limits: connector.exchange.call.limits)
                try pipeline.addHandler(http2, position: .after(self))
                connection = http2
            } else {
                let http1 = Connection(key, loopPool, facts)
                try pipeline.addHandler(http1, position: .after(self))
                connection = http1
            }
            _ = pipeline.removeHandler(self)
            connector.succeeded(self, connection)
            connection.flush()
        } catch {
            connector.failed(error, self)
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = error }
        if let connector {
            self.connector = nil
            connector.failed(error, self)
        }
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let connector {
            self.connector = nil
            connector.failed(failure ?? ChannelError.eof, self)
        }
        context.fireChannelInactive()
    }

    /// Nobody wants what it would become.
    func close() { context?.close(promise: nil) }
}

extension ConnectionKey {
    /// What is spoken where no handshake asks for it.
    fileprivate var plainVersion: HTTPVersion { settings.settings.httpVersion == .http2 ? .http2 : .http11 }
}

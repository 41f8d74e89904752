// Connector: the making of one connection: resolve, connect, speak to the proxy, secure.

import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

/// One attempt to make a connection, over all addresses of the host, within the deadlines of the exchange that it was
/// made for. The first address that answers is taken; the others are given up.
// Guarded by confinement to `loopPool.loop`.
final class Connector: LoopMember, @unchecked Sendable {
    /// In nanoseconds.
    private static let unwantedTimeout: UInt64 = 10_000_000_000

    let key: ConnectionKey
    let loopPool: LoopPool
    /// The exchange that wants the connection; if it has got another one meanwhile, this one serves whoever waits.
    let exchange: Exchange
    /// The name by which its pool knows it.
    var id: OriginPool.Pool.ConnectorID?
    private(set) var facts = ConnectorFacts()
    var order = AddressOrder([])
    /// The addresses that are being tried.
    var attempts: [AddressAttempt] = []
    var winner: AddressAttempt?
    var failures: [(address: String, reason: String)] = []
    /// What TLS to the origin, and to the proxy, is done with.
    private(set) var contexts: (origin: NIOSSLContext?, proxy: NIOSSLContext?)
    /// The host whose addresses the cache gave or will keep.
    var name: String?
    private(set) var localEndpoint: LocalEndpoint?
    var next: Scheduled<Void>?
    /// What an HTTP proxy is told of who asks: one for all attempts, so that its challenges are answered so often.
    var credentials: ProxyCredentials?
    /// How often a tunnel was asked for on another connection than the one that its proxy had answered on.
    private var renewals = 0
    /// One address that fails at once must not begin the next inside itself: there may be many.
    var isTrying = false
    /// Whether an idle connection was closed for want of a descriptor.
    var hasFreedDescriptor = false
    private var memberID: MemberID?
    /// The limit that runs, or ran last.
    private var armed = Timeouts.Name.connect
    private var isArmed = false
    private(set) var isDone = false
    /// A certificate was refused, and why is being found out: however the connector fails from then on, it fails because of it.
    var refusal: CertificateRefusal?

    init(_ exchange: Exchange) {
        key = exchange.key
        loopPool = exchange.loopPool
        self.exchange = exchange
    }

    // MARK: Before the connection

    func start() {
        do throws(CallError) {
            if let fault = key.settings.fault { throw fault }
            if key.isForwarded, key.settings.settings.httpVersion == .http2 {
                throw CallError(
                    .unsupported, "HTTP/2 is not spoken to proxies that forward requests", phase: .connecting,
                    advice: "leave connection.httpVersion as it is by default, or ask for https")
            }
            localEndpoint = try key.settings.settings.interface.map { text throws(CallError) in try LocalEndpoint(text)
            }
            // What a proxy is to connect to, it resolves itself.
            let target = try AddressOverrides.endpoint(of: key.origin, key.settings.settings)
            if let proxy = key.proxy {
                let host = proxy.forwards(key.origin) ? key.origin.host : target.host
                guard key.settings.settings.allowedAddresses.allows(host: host) else { throw notAllowed(host) }
            }
            let endpoint = key.proxy.map { HostPort(host: $0.origin.host, port: $0.origin.port) } ?? target
            _ = try handshake()
            if let path = key.settings.settings.unixSocket?.path { return try startLocally(path) }
            enter(.resolving, .resolving(host: endpoint.host))
            // Whoever was told may have cancelled the call.
            guard !isDone else { return }
            arm(.connect)
            name = endpoint.host
            Resolver.resolve(endpoint, key.settings.settings, on: loopPool.loop) { result in
                guard !self.isDone else { return }
                switch result {
                case .success(let addresses):
                    self.facts.resolvedAt = MonotonicClock.now
                    self.tell(.resolved(addresses: addresses.map(\.ip)))
                    self.take(addresses, of: endpoint.host)
                case .failure(let error):
                    self.finish(.failure(self.lookUpFailure(error, of: endpoint.host)))
                }
            }
        } catch {
            finish(.failure(error))
        }
    }

    private func take(_ addresses: [SocketAddress], of host: String) {
        do throws(CallError) {
            order = AddressOrder(try key.settings.settings.addressFamily.select(addresses, of: host))
            prepareTLS()
        } catch {
            finish(.failure(error))
        }
    }

    /// No name is looked up for a Unix-domain socket.
    private func startLocally(_ path: String) throws(CallError) {
        let address = SocketAddress.unix(path: path)
        guard address.withSystemForm({ _, _ in }) != nil else {
            throw CallError(
                .invalidRequest, "connection.unixSocket is no path of a socket: \(Redaction.printable(path))",
                advice: "the system takes \(SocketAddress.maximumPathLength) bytes at most")
        }
        order = AddressOrder([address])
        arm(.connect)
        facts.resolvedAt = MonotonicClock.now
        prepareTLS()
    }

    private func prepareTLS() {
        guard !isDone else { return }
        guard key.origin.isSecure || key.proxy?.scheme == .https else { return tryNext() }
        enter(.securing)
        let none = loopPool.loop.makeSucceededFuture(NIOSSLContext?.none)
        func made(_ context: TLSContext) -> EventLoopFuture<NIOSSLContext?> {
            context.get(on: loopPool.loop).map { Optional($0) }
        }
        let origin = key.origin.isSecure ? made(key.tls) : none
        let proxy = key.proxy.flatMap { $0.scheme == .https ? made(key.proxyTLS) : nil } ?? none
        origin.and(proxy).assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let contexts):
                self.contexts = (contexts.0, contexts.1)
                self.tryNext()
            case .failure(let error):
                self.finish(
                    .failure(
                        error as? CallError
                            ?? CallError(.tls, "TLS cannot be set up: \(error)", phase: .securing, underlying: error)))
            }
        }
    }

    // MARK: The proxy

    /// The TCP connection to the proxy stands.
    func reachedProxy(_ attempt: AddressAttempt) {
        if !win(attempt) { attempt.channel?.end() }
    }

    /// What is sent from here on reaches the origin, or the proxy that forwards.
    func passedProxy(_ attempt: AddressAttempt) {
        guard !isDone, let channel = attempt.channel else { return }
        do {
            try addConnection(to: channel, attempt)
            if !channel.isActive { failedAtProxy(ChannelError.eof, attempt, certificate: nil) }
        } catch {
            finish(
                .failure(CallError(.tls, "TLS cannot be set up: \(error)", phase: .securing, underlying: error)))
        }
    }

    /// The proxy has asked for an answer and ends the connection: it is given on another one.
    /// - Returns: whether there is another one.
    func renew(_ attempt: AddressAttempt) -> Bool {
        guard !isDone, winner === attempt, renewals < 2 else { return false }
        renewals += 1
        winner = nil
        let next = AddressAttempt(attempt.address)
        next.capture = attempt.capture
        attempts = [next]
        connect(next)
        return true
    }

    func failedAtProxy(_ error: any Error, _ attempt: AddressAttempt, certificate: NIOSSLCertificate?) {
        guard !isDone, winner === attempt, let proxy = key.proxy,
            !isRefusal(error, certificate: certificate, of: proxy)
        else { return }
        finish(.failure(failure(error, at: proxy)))
    }

    // MARK: The connection

    /// The way to the origin stands; the handshake, if there has to be one, begins.
    func reached(_ negotiation: ProtocolNegotiation) {
        guard let attempt = attempts.first(where: { $0.negotiation === negotiation }), win(attempt) else {
            return negotiation.close()
        }
        facts.connectedAt = MonotonicClock.now
        if let info = negotiation.facts { tell(.connected(info)) }
        // Whoever was told may have cancelled the call.
        guard key.origin.isSecure, !isDone else { return }
        arm(.tls)
        enter(.securing, .securing)
    }

    /// The connection is there, secured if it has to be.
    func succeeded(_ negotiation: ProtocolNegotiation, _ connection: any PooledConnection) {
        guard !isDone, winner?.negotiation === negotiation else { return connection.close() }
        if key.origin.isSecure {
            facts.securedAt = MonotonicClock.now
            if let info = negotiation.facts { tell(.secured(info)) }
        }
        finish(.success(connection))
    }

    /// The TLS handshake failed; `failed(_:_:)` of an attempt has a failed TCP connect.
    func failed(_ error: any Error, _ negotiation: ProtocolNegotiation) {
        let certificate = negotiation.tls?.peerCertificate
        guard !isDone, winner?.negotiation === negotiation, !isRefusal(error, certificate: certificate, of: nil) else {
            return
        }
        switch error {
        case let error as CallError: finish(.failure(error))
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            finish(
                .failure(
                    key.tls.explain(error, host: key.origin.host, settings: "connection.tls")))
        default:
            finish(
                .failure(
                    CallError(
                        .tls, "the connection was lost during the TLS handshake: \(Self.words(error))",
                        phase: .securing,
                        underlying: error)))
        }
    }

    /// Nobody waits for it any more.
    func cancel() {
        guard !isDone else { return }
        end(keeping: nil)
    }

    func finish(_ result: Result<any PooledConnection, CallError>) {
        guard !isDone else { return }
        let result =
            if let refusal { Result<any PooledConnection, CallError>.failure(refusal.callError) } else { result }
        let kept: AddressAttempt? = if case .success = result { winner } else { nil }
        end(keeping: kept)
        loopPool.finished(self, result)
    }

    private func end(keeping kept: AddressAttempt?) {
        isDone = true
        kept?.isKept = true
        if let memberID { loopPool.loop.loop.remove(memberID) }
        memberID = nil
        next?.cancel()
        for attempt in attempts where attempt !== kept { attempt.channel?.end() }
        attempts = []
        winner = nil
    }

    // MARK: Deadlines and events

    /// The exchange may have found another connection by now; what goes on here is then no longer its affair.
    func enter(_ phase: CallError.Phase, _ event: @autoclosure () -> CallEvent.Kind? = nil) {
        guard exchange.isWaiting else { return }
        exchange.phase = phase
        if exchange.call.isObserved, let event = event() { exchange.call.emit(event) }
    }

    func tell(_ event: @autoclosure () -> CallEvent.Kind) {
        if exchange.isWaiting { exchange.call.emit(event()) }
    }

    /// The exchange has got another connection: this one may still be made, for the next, but not for ever.
    func loseExchange() {
        if !isArmed { arm(armed) }
    }

    func arm(_ limit: Timeouts.Name) {
        armed = limit
        var nanoseconds = exchange.call.timeouts.nanoseconds(limit)
        if refusal != nil { nanoseconds = Swift.min(nanoseconds, Self.refusalReasonTimeout) }
        if !exchange.isWaiting { nanoseconds = Swift.min(nanoseconds, Self.unwantedTimeout) }
        let (due, overflow) = MonotonicClock.now.addingReportingOverflow(nanoseconds)
        isArmed = nanoseconds != MonotonicClock.never && !overflow
        let loop = loopPool.loop.loop
        if memberID == nil { memberID = loop.add(self) }
        if let memberID { loop.setDeadline(of: memberID, to: isArmed ? due : MonotonicClock.never) }
    }

    func deadlinePassed() {
        if winner == nil { forgetAddresses() }
        finish(.failure(late(armed)))
    }

    func ready(_ states: Readiness) {
        // Its channels have the sockets.
    }
}

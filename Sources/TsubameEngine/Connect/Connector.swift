// Connector: the making of one connection: resolve, race the addresses, speak to the proxy, secure.

import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

/// One attempt to make a connection, over all addresses of the host, within the deadlines of the call that it was made for.
///
/// Its steps follow one another, and each tells its outcome to the function that begins the next. A look-up (``Resolver``) may be
/// shared with other attempts. The others are objects that can be cancelled: ``AddressRace``, ``TLSHandshake`` and
/// ``ProxyConversation``.
// Guarded by confinement to `loopPool.loop`.
final class Connector: LoopMember, @unchecked Sendable {
    /// In nanoseconds: how long it may go on without the waiter that it was made for.
    private static let unwantedTimeout: UInt64 = 10_000_000_000

    /// The waiter that wants the connection. If it has got another one, this one serves the next waiter.
    let waiter: Waiter
    /// The name by which its pool knows it.
    let id: OriginPool.Pool.ConnectorID
    private(set) var facts = ConnectorFacts()
    private var deadline = ConnectorDeadline()
    /// The race that was begun last.
    private(set) var race: AddressRace?
    /// The step that is under way.
    private var step: (any ConnectStep)?
    private(set) var route: ConnectorRoute?
    /// The contexts for TLS to the origin, and to the proxy.
    private var contexts: (origin: NIOSSLContext?, proxy: NIOSSLContext?)
    /// The credentials for an HTTP proxy: one object for all attempts, which counts the answers to its challenges.
    var credentials: ProxyCredentials?
    /// A certificate was refused, and why is being found out. However the connector fails from then on, it fails because of it.
    var refusal: CertificateRefusal?
    private(set) var isDone = false
    /// Whether an idle connection was closed so that the host could be looked up.
    private var hasFreedDescriptor = false

    init(_ waiter: Waiter, _ id: OriginPool.Pool.ConnectorID) {
        self.waiter = waiter
        self.id = id
    }

    var key: ConnectionKey { waiter.key }
    var loopPool: LoopPool { waiter.loopPool }

    // MARK: Before the connection

    func start() {
        do throws(CallError) {
            let target = try checkSettings()
            if let path = key.settings.settings.unixSocket?.path {
                arm(.connect)
                facts.resolvedAt = MonotonicClock.now
                return prepareTLS(for: AddressOrder([try localAddress(path)]))
            }
            let endpoint = endpoint(target)
            waiter.enter(.resolving, .resolving(host: endpoint.host))
            arm(.connect)
            resolve(endpoint)
        } catch {
            finish(.failure(error))
        }
    }

    /// - Returns: the end of the way. A proxy resolves it by itself.
    private func checkSettings() throws(CallError) -> HostPort {
        if let fault = key.settings.fault { throw fault }
        if key.isForwarded, key.settings.settings.httpVersion == .http2 {
            throw CallError(
                .unsupported, "HTTP/2 is not spoken to proxies that forward requests", phase: .connecting,
                advice: "leave connection.httpVersion as it is by default, or ask for https")
        }
        _ = try AddressRules(key.settings)
        let target = try AddressOverrides.endpoint(of: key.origin, key.settings.settings.resolve)
        if let proxy = key.proxy {
            let host = proxy.forwards(key.origin) ? key.origin.host : target.host
            guard key.settings.settings.allowedAddresses.allows(host: host) else { throw notAllowed(host) }
        }
        _ = try handshake()
        return target
    }

    /// No name is looked up for a Unix-domain socket.
    private func localAddress(_ path: String) throws(CallError) -> SocketAddress {
        let address = SocketAddress.unix(path: path)
        guard address.withSystemForm({ _, _ in }) != nil else {
            throw CallError(
                .invalidRequest, "connection.unixSocket is no path of a socket: \(Redaction.printable(path))",
                advice: "the system takes \(SocketAddress.maximumPathLength) bytes at most")
        }
        return address
    }

    /// Where the first connection goes: to the proxy, if there is one.
    private func endpoint(_ target: HostPort) -> HostPort {
        key.proxy.map { HostPort(host: $0.origin.host, port: $0.origin.port) } ?? target
    }

    private func resolve(_ endpoint: HostPort) {
        do throws(CallError) {
            if let known = try Resolver.known(endpoint, key.settings) { return resolved(endpoint.host, known) }
        } catch {
            return finish(.failure(lookUpFailure(error, of: endpoint.host)))
        }
        // A resolver that never answers keeps nothing. The pool holds an attempt that is under way.
        Resolver.lookUp(endpoint, key.settings, on: loopPool.loop) { [weak self] result in
            guard let self, !isDone else { return }
            switch result {
            case .success(let addresses): resolved(endpoint.host, addresses)
            case .failure(let error) where error.isShortOfDescriptors && !hasFreedDescriptor:
                hasFreedDescriptor = true
                loopPool.freeDescriptor { if !self.isDone { self.resolve(endpoint) } }
            case .failure(let error): finish(.failure(lookUpFailure(error, of: endpoint.host)))
            }
        }
    }

    private func resolved(_ host: String, _ addresses: [SocketAddress]) {
        do throws(CallError) {
            facts.resolvedAt = MonotonicClock.now
            waiter.tell(.resolved(addresses: addresses.map(\.ip)))
            prepareTLS(for: AddressOrder(try key.settings.settings.addressFamily.select(addresses, of: host)))
        } catch {
            finish(.failure(error))
        }
    }

    private func prepareTLS(for order: AddressOrder) {
        guard key.origin.isSecure || key.proxy?.scheme == .https else { return race(order) }
        waiter.enter(.securing)
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
                self.race(order)
            case .failure(let error): self.finish(.failure(Self.noTLS(error)))
            }
        }
    }

    // MARK: The way to the origin

    /// Connects to the first address that answers.
    /// - Parameter capture: takes a chain, on the way that is gone only for that.
    private func race(_ order: AddressOrder, capture given: ChainCapture? = nil) {
        let capture = given ?? (key.settings.readsCertificates ? ChainCapture(isOfProxy: false) : nil)
        do throws(CallError) {
            // A second way to the same address is not told.
            let isFirst = race == nil
            let rules = try AddressRules(key.settings)
            let race = AddressRace(order, rules, after: race, on: loopPool) { event in
                switch event {
                case .tries(let address):
                    if isFirst { self.waiter.enter(.connecting, .connecting(address: address.description)) }
                case .won(let channel, let address):
                    self.connected(ConnectorRoute(channel: channel, address: address, capture: capture))
                case .lost:
                    self.forgetAddresses()
                    self.finish(.failure(self.refused()))
                }
            }
            self.race = race
            step = race
            race.start()
        } catch {
            finish(.failure(error))
        }
    }

    private func connected(_ route: ConnectorRoute) {
        self.route = route
        guard let proxy = key.proxy else { return reachedOrigin() }
        guard let context = contexts.proxy else { return speak(to: proxy) }
        secure(context, proxy.host, isProxy: true) { result in
            switch result {
            case .success(let tls):
                do throws(CallError) {
                    // Before the proxy is told its credentials.
                    try self.key.proxyTLS.check(tls.info, tls.certificate, host: proxy.host)
                    self.speak(to: proxy)
                } catch {
                    self.failed(error, at: proxy, certificate: nil)
                }
            case .failure(let failure): self.failed(failure.error, at: proxy, certificate: failure.certificate)
            }
        }
    }

    private func speak(to proxy: Proxy) {
        guard let channel = route?.channel else { return }
        do throws(CallError) {
            guard let handshake = try handshake() else { return reachedOrigin() }
            let conversation = ProxyConversation(channel, handshake) { outcome in
                switch outcome {
                case .free: self.reachedOrigin()
                case .elsewhere: self.connectAnew(to: proxy)
                case .failed(let error): self.failed(error, at: proxy, certificate: nil)
                }
            }
            step = conversation
            conversation.start()
        } catch {
            finish(.failure(error))
        }
    }

    /// The proxy has asked for an answer and ends the connection: it is given on another one.
    private func connectAnew(to proxy: Proxy) {
        guard let route, facts.renewals < 2 else { return failed(ChannelError.eof, at: proxy, certificate: nil) }
        facts.renewals += 1
        leave(route)
        race(AddressOrder([route.address]), capture: route.capture)
    }

    private func failed(_ error: any Error, at proxy: Proxy, certificate: NIOSSLCertificate?) {
        if !isRefusal(error, certificate: certificate, of: proxy) { finish(.failure(failure(error, at: proxy))) }
    }

    /// From here on the channel leads to the origin, or to the proxy that forwards.
    private func reachedOrigin() {
        guard let (channel, remote) = route.map({ ($0.channel, $0.address) }) else { return }
        facts.connectedAt = MonotonicClock.now
        let version = key.plainVersion
        let local = try? channel.socket?.localAddress()
        let info = ConnectionInfo(
            id: ConnectionInfo.nextID(), proxy: key.proxy?.description, tls: nil, version: version
        ) { (remote.description, local?.description ?? "") }
        waiter.tell(.connected(info))
        route?.isAtOrigin = true
        guard let context = contexts.origin else { return settle(version, info) }
        arm(.tls)
        waiter.enter(.securing, .securing)
        secure(context, key.origin.host, isProxy: false) { result in
            switch result {
            case .success(let tls): self.secured(tls, info)
            case .failure(let failure): self.failed(failure.error, certificate: failure.certificate)
            }
        }
    }

    private func secured(_ tls: TLSHandshake.Success, _ info: ConnectionInfo) {
        do throws(CallError) {
            let version = try key.version(chosen: tls.applicationProtocol)
            try key.tls.check(tls.info, tls.certificate, host: key.origin.host)
            facts.securedAt = MonotonicClock.now
            let info = info.secured(tls.info, version)
            waiter.tell(.secured(info))
            settle(version, info)
        } catch {
            finish(.failure(error))
        }
    }

    private func failed(_ error: any Error, certificate: NIOSSLCertificate?) {
        if !isRefusal(error, certificate: certificate, of: nil) { finish(.failure(handshakeFailure(error))) }
    }

    private func secure(
        _ context: NIOSSLContext, _ host: String, isProxy: Bool,
        _ done: @escaping (Result<TLSHandshake.Success, TLSHandshake.Failure>) -> Void
    ) {
        guard let route else { return }
        let capture = route.capture.flatMap { $0.isOfProxy == isProxy ? $0 : nil }
        do {
            let handshake = try TLSHandshake(context, host: host, capture: capture, done: done)
            step = handshake
            try handshake.start(on: route.channel)
        } catch {
            finish(.failure(Self.noTLS(error)))
        }
    }

    /// The connection stands, and takes over the channel.
    private func settle(_ version: HTTPVersion, _ info: ConnectionInfo) {
        // A connection that was made only to read the chain of certificates is not used.
        guard let channel = route?.channel, refusal == nil else { return finish(.failure(refused())) }
        let connection: any PooledConnection & ChannelReceiver =
            version == .http2
            ? HTTP2Connection(key, loopPool, info, channel, limits: waiter.call.options.limits)
            : HTTP1Connection(key, loopPool, info, channel)
        channel.receiver = connection
        route = nil
        finish(.success(connection))
        connection.flush()
    }

    /// One more way to where the last one led, whose handshake gives the chain and goes no further.
    func captureChain(of proxy: Proxy?) {
        guard let route else { return }
        leave(route)
        waiter.tell(.decision("the certificate is refused; its chain is read once more, only to name the reason"))
        arm(.tls)
        race(AddressOrder([route.address]), capture: ChainCapture(isOfProxy: proxy != nil))
    }

    private func leave(_ route: ConnectorRoute) {
        step?.cancel()
        self.route = nil
        route.channel.end()
    }

    // MARK: The end

    /// Ends the connector: its pool needs it no more.
    func cancel() {
        if !isDone { end() }
    }

    func finish(_ result: Result<any PooledConnection, CallError>) {
        guard !isDone else { return }
        let result =
            if let refusal { Result<any PooledConnection, CallError>.failure(refusal.callError) } else { result }
        end()
        loopPool.finished(self, result)
    }

    private func end() {
        isDone = true
        if let id = deadline.memberID { loopPool.loop.loop.remove(id) }
        deadline.memberID = nil
        step?.cancel()
        step = nil
        route?.channel.end()
        route = nil
    }

    /// None of them answers: they may have moved.
    func forgetAddresses() {
        if key.settings.settings.unixSocket != nil { return }
        let overrides = key.settings.settings.resolve
        let name = key.proxy?.origin.host ?? (try? AddressOverrides.endpoint(of: key.origin, overrides).host)
        if let name { key.settings.settings.resolver.cache.forget(name) }
    }

    // MARK: Deadlines

    /// Whether it was made for a call that only wants a connection. The connector ends such a call at its deadline.
    private var isWarmUp: Bool { waiter.isWaiting && waiter.exchange == nil }

    /// The waiter is served, or gone. The attempt goes on for the next waiter, within ``unwantedTimeout``.
    func loseWaiter() {
        guard !isDone else { return }
        deadline.end(by: MonotonicClock.now + Self.unwantedTimeout)
        setDeadline()
    }

    private func arm(_ limit: Timeouts.Name) {
        var nanoseconds = waiter.call.options.timeouts.nanoseconds(limit)
        if refusal != nil { nanoseconds = Swift.min(nanoseconds, Self.refusalReasonTimeout) }
        if isWarmUp { deadline.end(by: waiter.call.deadline) }
        deadline.begin(limit, in: nanoseconds, from: MonotonicClock.now)
        setDeadline()
    }

    private func setDeadline() {
        let loop = loopPool.loop.loop
        let id = deadline.memberID ?? loop.add(self)
        deadline.memberID = id
        loop.setDeadline(of: id, to: deadline.due)
    }

    func deadlinePassed() {
        if isWarmUp, MonotonicClock.now >= waiter.call.deadline {
            return finish(.failure(waiter.call.expired(waiter.phase)))
        }
        if route == nil { forgetAddresses() }
        finish(.failure(late(deadline.limit)))
    }

    func ready(_ states: Readiness) {
        // Its channels have the sockets.
    }
}

extension Error {
    /// Whether a look-up failed because the process had no descriptor left.
    fileprivate var isShortOfDescriptors: Bool {
        ((self as? CallError)?.underlying as? FailureCause)?.isShortOfDescriptors ?? false
    }
}

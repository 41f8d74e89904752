// Dial: the making of one connection: resolve, connect, secure.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import NIOCore
import NIOPosix
import NIOSSL
import TsubameCore

/// One attempt to make a connection, over all addresses of the host, within the deadlines of the exchange that it was
/// made for.
// Guarded by confinement to `shard.loop`.
final class Dial: @unchecked Sendable {
    /// In nanoseconds.
    private static let patienceForNobody: UInt64 = 10_000_000_000

    let key: ConnectionKey
    let shard: Shard
    /// The exchange that wants the connection; if it has got another one meanwhile, this one serves whoever waits.
    let exchange: Exchange
    private(set) var facts = DialFacts()
    private var addresses: ArraySlice<SocketAddress> = []
    private var failures: [(address: String, reason: String)] = []
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    private var armed = Timeouts.Name.connect
    private var connectDue = MonotonicClock.never
    private var isDone = false

    init(_ exchange: Exchange) {
        key = exchange.key
        shard = exchange.shard
        self.exchange = exchange
    }

    func start() {
        enter(.resolving, .resolving(host: key.origin.host))
        // Whoever was told may have cancelled the call.
        guard !isDone else { return }
        arm(.connect)
        let settings = key.settings.settings
        Resolver.addresses(of: key.origin, settings: settings, on: shard.loop).assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let addresses):
                self.facts.resolvedAt = MonotonicClock.now
                self.tell(.resolved(addresses: addresses.compactMap(\.ipAddress)))
                self.addresses = addresses[...]
                self.prepareTLS()
            case .failure(let error):
                self.finish(.failure(self.asCallError(error)))
            }
        }
    }

    private func prepareTLS() {
        guard !isDone else { return }
        guard key.origin.isSecure else { return tryNext(tls: nil) }
        enter(.securing)
        key.settings.tls.get(on: shard.loop).assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let context): self.tryNext(tls: context)
            case .failure(let error):
                self.finish(
                    .failure(
                        error as? CallError
                            ?? CallError(.tls, "TLS cannot be set up: \(error)", phase: .securing, underlying: error)))
            }
        }
    }

    private func tryNext(tls: NIOSSLContext?) {
        guard let address = addresses.popFirst() else { return finish(.failure(refused())) }
        enter(.connecting, .connecting(address: Self.text(address)))
        guard !isDone else { return }
        let (origin, connection) = (key.origin, Connection(key: key, shard: shard, dial: self))
        ClientBootstrap(group: shard.loop)
            .connectTimeout(patience)
            // After each read a body that nobody takes can pause; what fills the buffer at once is rarely all there is.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    self.channel = channel
                    if let tls {
                        // An IP literal goes without SNI; NIOSSL then checks the certificate's addresses.
                        let name = (try? SocketAddress(ipAddress: origin.host, port: 0)) == nil ? origin.host : nil
                        try channel.pipeline.syncOperations.addHandler(
                            try NIOSSLClientHandler(context: tls, serverHostname: name))
                    }
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .connect(to: address)
            .assumeIsolated()
            .whenComplete { result in
                guard !self.isDone else {
                    if case .success(let channel) = result { channel.close(promise: nil) }
                    return
                }
                switch result {
                case .success:
                    // The connection itself tells when it stands, and when it is secured.
                    break
                case .failure(let error):
                    if let error = error as? NIOSSLExtraError {
                        return self.finish(.failure(self.key.settings.tls.explain(error, host: origin.host)))
                    }
                    self.failures.append((Self.text(address), Self.words(error)))
                    self.tryNext(tls: tls)
                }
            }
    }

    /// How long this address may take: its share of what is left, so that one that is dead does not cost the others
    /// their turn. The last one has all of it, and ends by the dial's own timer.
    private var patience: TimeAmount {
        let left = Int64(addresses.count)
        guard left > 0, connectDue != MonotonicClock.never else { return .hours(24) }
        let now = MonotonicClock.now
        let remaining = Int64(clamping: connectDue > now ? connectDue - now : 0)
        return .nanoseconds(Swift.max(remaining / (left + 1), 250_000_000))
    }

    /// The TCP connection stands; the handshake, if there has to be one, begins.
    func reached(_ connection: Connection) {
        guard !isDone else { return }
        facts.connectedAt = MonotonicClock.now
        if let info = connection.facts { tell(.connected(info)) }
        // Whoever was told may have cancelled the call.
        guard key.origin.isSecure, !isDone else { return }
        arm(.tls)
        enter(.securing, .securing)
    }

    /// The connection is there, secured if it has to be.
    func succeeded(_ connection: Connection) {
        guard !isDone else { return connection.close() }
        if key.origin.isSecure {
            facts.securedAt = MonotonicClock.now
            if let info = connection.facts { tell(.secured(info)) }
        }
        finish(.success(connection))
    }

    /// The TLS handshake failed; a failed TCP connect comes by the bootstrap instead.
    func failed(_ error: any Error) {
        guard !isDone, facts.connectedAt != 0 || error is NIOSSLError || error is NIOSSLExtraError else { return }
        if error is NIOSSLError || error is NIOSSLExtraError {
            finish(.failure(key.settings.tls.explain(error, host: key.origin.host)))
        } else {
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
        isDone = true
        timer?.cancel()
        channel?.close(promise: nil)
    }

    private func finish(_ result: Result<Connection, CallError>) {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        if case .failure = result { channel?.close(promise: nil) }
        channel = nil
        shard.finished(self, result)
    }

    /// The exchange may have found another connection by now; what goes on here is then no longer its affair.
    private func enter(_ phase: CallError.Phase, _ event: @autoclosure () -> CallEvent.Kind? = nil) {
        guard exchange.isWaiting else { return }
        exchange.phase = phase
        if let event = event() { exchange.call.emit(event) }
    }

    private func tell(_ event: @autoclosure () -> CallEvent.Kind) {
        if exchange.isWaiting { exchange.call.emit(event()) }
    }

    /// The exchange has got another connection: this one may still be made, for the next, but not for ever.
    func loseExchange() {
        if timer == nil { arm(armed) }
    }

    private func arm(_ limit: Timeouts.Name) {
        timer?.cancel()
        timer = nil
        armed = limit
        var nanoseconds = exchange.call.timeouts.nanoseconds(limit)
        if !exchange.isWaiting { nanoseconds = Swift.min(nanoseconds, Self.patienceForNobody) }
        guard nanoseconds != MonotonicClock.never else { return }
        let amount = TimeAmount.nanoseconds(Int64(clamping: nanoseconds))
        if limit == .connect { connectDue = MonotonicClock.now &+ UInt64(clamping: amount.nanoseconds) }
        timer = shard.loop.scheduleTask(in: amount) { [weak self] in self?.timedOut(limit) }
    }

    private func timedOut(_ limit: Timeouts.Name) {
        let time = Duration.nanoseconds(clamping: exchange.call.timeouts.nanoseconds(limit)).inSeconds
        let reason =
            limit == .tls
            ? "no TLS connection to \(key.origin.authority) within \(time)"
            : "no connection to \(key.origin.authority) within \(time)"
        finish(.failure(CallError(.timeout, reason, phase: exchange.phase, timeout: limit)))
    }

    private func refused() -> CallError {
        let list = failures.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        return CallError(
            .connectionFailed, "no connection to \(key.origin.authority) (\(list))", phase: .connecting,
            advice: "check that the server runs and that the port is right")
    }

    private func asCallError(_ error: any Error) -> CallError {
        error as? CallError
            ?? CallError(
                .nameResolution, "\(key.origin.host) could not be resolved: \(error)", phase: .resolving,
                underlying: error)
    }

    static func text(_ address: SocketAddress) -> String {
        guard let host = address.ipAddress, let port = address.port else { return "\(address)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// A system error in the system's words.
    static func words(_ error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)).lowercasedFirst }
        if let error = error as? ChannelError, error == .eof { return "closed by the server" }
        if case ChannelError.connectTimeout(let time)? = error as? ChannelError {
            return "no answer within \(Duration.nanoseconds(time.nanoseconds).inSeconds)"
        }
        if let error = error as? NIOConnectionError, let first = error.connectionErrors.first {
            return words(first.error)
        }
        return "\(error)"
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

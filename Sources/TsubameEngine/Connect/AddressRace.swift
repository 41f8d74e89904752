// AddressRace: the addresses of a host are tried one after another, and the first that answers is taken (RFC 8305).

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// Opens a socket to each address in turn. The next one follows after ``AddressOrder/delay``, or at once if the one before
/// has failed. All others are closed when one of them is connected.
// Confined to the loop of its loop pool.
final class AddressRace: ConnectStep, @unchecked Sendable {
    enum Event {
        /// An address is tried.
        case tries(SocketAddress)
        case won(SocketChannel, SocketAddress)
        /// No address is left: see ``AddressRace/failures``.
        case lost
    }

    /// One address that is being tried. It receives nothing: the owner of the channel takes its place.
    // Confined to the loop of its race.
    private final class Attempt: ChannelReceiver, @unchecked Sendable {
        let address: SocketAddress
        var channel: SocketChannel?

        init(_ address: SocketAddress) { self.address = address }

        func receive(_ read: ReceivedBytes) {}

        func failed(_ error: any Error) {}

        func closed() {}
    }

    private let loopPool: LoopPool
    private let rules: AddressRules
    private var order: AddressOrder
    private var attempts: [Attempt] = []
    /// Each address that has failed, with the reason.
    private(set) var failures: [(address: String, reason: String)]
    private var next: Scheduled<Void>?
    /// One address that fails at once must not begin the next inside itself: there may be many.
    private var isTrying = false
    /// Whether an idle connection was closed for want of a descriptor.
    private var hasFreedDescriptor = false
    /// Told of each address before it is tried, and of the outcome. nil once the race is over.
    private var tell: ((Event) -> Void)?

    init(
        _ order: AddressOrder, _ rules: AddressRules, after other: AddressRace? = nil, on loopPool: LoopPool,
        tell: @escaping (Event) -> Void
    ) {
        self.order = order
        self.rules = rules
        failures = other?.failures ?? []
        self.loopPool = loopPool
        self.tell = tell
    }

    /// The addresses that are being tried, and have said nothing yet.
    var silent: [SocketAddress] { attempts.map(\.address) }

    /// Tries one address more.
    func start() {
        guard !isTrying else { return }
        isTrying = true
        defer { isTrying = false }
        next?.cancel()
        next = nil
        while let tell {
            guard let address = nextAddress() else {
                if attempts.isEmpty { end(.lost) }
                return
            }
            tell(.tries(address))
            let attempt = Attempt(address)
            attempts.append(attempt)
            connect(attempt)
            // One that has failed by now is followed at once.
            guard attempts.contains(where: { $0 === attempt }) else { continue }
            if !order.isEmpty { next = loopPool.loop.scheduleTask(in: AddressOrder.delay) { self.start() } }
            return
        }
    }

    private func nextAddress() -> SocketAddress? {
        while let address = order.next() {
            guard let obstacle = rules.obstacle(to: address) else { return address }
            failures.append((address.description, obstacle))
        }
        return nil
    }

    private func connect(_ attempt: Attempt) {
        do throws(SocketError) {
            let socket = try Socket(for: attempt.address)
            if attempt.address.port != nil { try? socket.sendAtOnce() }
            try rules.source?.bind(socket)
            let loopPool = loopPool
            let channel = SocketChannel(loopPool.loop, socket) { loopPool.openSockets -= 1 }
            loopPool.openSockets += 1
            attempt.channel = channel
            channel.receiver = attempt
            channel.connect(to: attempt.address) { error in
                if let error { self.failed(attempt, error) } else { self.connected(attempt, channel) }
            }
        } catch  where error.isShortOfDescriptors && !hasFreedDescriptor {
            hasFreedDescriptor = true
            loopPool.freeDescriptor {
                if self.attempts.contains(where: { $0 === attempt }) { self.connect(attempt) }
            }
        } catch {
            failed(attempt, SocketChannel.ioError(error))
        }
    }

    private func connected(_ attempt: Attempt, _ channel: SocketChannel) {
        attempts.removeAll { $0 === attempt }
        end(.won(channel, attempt.address))
    }

    /// In milliseconds: the time until a Unix-domain socket is tried again whose queue was full.
    private static let fullQueueDelay: Int64 = 10

    private func failed(_ attempt: Attempt, _ error: any Error) {
        guard tell != nil else { return }
        // The system does not wait until the server has accepted others (unix(7)). The deadline of connecting ends this.
        if attempt.address.port == nil, (error as? IOError)?.errnoCode == EAGAIN {
            next = loopPool.loop.scheduleTask(in: .milliseconds(Self.fullQueueDelay)) { self.connect(attempt) }
            return
        }
        attempts.removeAll { $0 === attempt }
        failures.append((attempt.address.description, Connector.words(error)))
        start()
    }

    func cancel() { end(nil) }

    private func end(_ outcome: Event?) {
        let tell = tell
        self.tell = nil
        next?.cancel()
        next = nil
        let others = attempts
        attempts = []
        for attempt in others { attempt.channel?.end() }
        if let outcome { tell?(outcome) }
    }
}

/// Which addresses may be connected to, and from where.
struct AddressRules {
    let allowed: AddressPolicy
    /// The local endpoint as the user has named it.
    let interface: String?
    let source: LocalEndpoint?

    static let notAllowed = "not allowed by connection.allowedAddresses"

    /// - Throws: ``CallError/Kind/invalidRequest`` if `connection.interface` can be none.
    init(_ shared: SharedSettings) throws(CallError) {
        allowed = shared.settings.allowedAddresses
        interface = shared.settings.interface
        source = try interface.map { text throws(CallError) in try LocalEndpoint(text) }
    }

    /// Why this address cannot be connected to; nil if it can.
    func obstacle(to address: SocketAddress) -> String? {
        guard allowed.allows(address) else { return Self.notAllowed }
        return source?.canReach(address) ?? true ? nil : "not of the family of \(interface ?? "")"
    }
}

// The race of addresses (RFC 8305): they are tried one after another, and the first that answers is taken.

import NIOCore
import NIOPosix
import TsubameCore

extension Connector {
    /// Tries one address more; the next one follows soon, or at once if this one fails.
    func tryNext() {
        guard !isTrying else { return }
        isTrying = true
        defer { isTrying = false }
        next?.cancel()
        next = nil
        while !isDone, winner == nil {
            guard let address = nextAddress() else {
                if attempts.isEmpty {
                    forgetAddresses()
                    finish(.failure(refused()))
                }
                return
            }
            enter(.connecting, .connecting(address: Self.text(address)))
            guard !isDone else { return }
            let attempt = AddressAttempt(address)
            attempts.append(attempt)
            connect(attempt)
            // One that has failed by now is followed at once.
            guard attempts.contains(where: { $0 === attempt }) else { continue }
            if !isDone, winner == nil, !order.isEmpty {
                next = loopPool.loop.scheduleTask(in: AddressOrder.delay) { [weak self] in self?.tryNext() }
            }
            return
        }
    }

    /// None of them answers: they may have moved.
    func forgetAddresses() {
        if let name { key.settings.settings.resolver.cache.forget(name) }
    }

    func nextAddress() -> SocketAddress? {
        while let address = order.next() {
            guard key.settings.settings.allowedAddresses.allows(address) else {
                failures.append((Self.text(address), Self.notAllowed))
                continue
            }
            if localEndpoint?.canReach(address) ?? true { return address }
            failures.append((Self.text(address), "not of the family of \(key.settings.settings.interface ?? "")"))
        }
        return nil
    }

    /// Gives up whatever was, for this attempt and no other.
    func tryOnly(_ attempt: AddressAttempt) {
        winner?.channel?.close(promise: nil)
        winner = nil
        order = AddressOrder([])
        attempts = [attempt]
        arm(.tls)
        connect(attempt)
    }

    func connect(_ attempt: AddressAttempt) {
        let loopPool = loopPool
        var bootstrap = ClientBootstrap(group: loopPool.loop)
            // The connector's own deadline runs for all of them.
            .connectTimeout(.hours(24))
            .channelInitializer { channel in
                loopPool.openSockets += 1
                channel.closeFuture.assumeIsolated().whenComplete { _ in loopPool.openSockets -= 1 }
                return self.initialize(channel, attempt)
            }
        if case .address(let address)? = localEndpoint { bootstrap = bootstrap.bind(to: address) }
        bootstrap.connect(to: attempt.address).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                // The handlers tell when it stands. One that lost, or that nobody wants any more, goes.
                let hasLost = self.isDone || (self.winner != nil && self.winner !== attempt)
                if hasLost, !attempt.isKept { channel.close(promise: nil) }
            case .failure(let error):
                guard !self.isDone, self.winner == nil || self.winner === attempt else { return }
                self.attempts.removeAll { $0 === attempt }
                if let failure = self.asFailure(error) { return self.finish(.failure(failure)) }
                self.failures.append((Self.text(attempt.address), Self.words(error)))
                // Whatever was decided of the winner has been told already.
                if self.winner == nil { self.tryNext() }
            }
        }
    }

    /// The first address that answers is taken; false if another one was.
    func win(_ attempt: AddressAttempt) -> Bool {
        guard !isDone, winner == nil || winner === attempt else { return false }
        guard winner == nil else { return true }
        winner = attempt
        next?.cancel()
        next = nil
        for other in attempts where other !== attempt { other.channel?.close(promise: nil) }
        attempts = [attempt]
        return true
    }
}

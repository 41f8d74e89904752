// The race of addresses (RFC 8305): they are tried one after another, and the first that answers is taken.

import NIOCore
import TsubameCore
import TsubameSockets

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
            enter(.connecting, .connecting(address: address.description))
            guard !isDone else { return }
            let attempt = AddressAttempt(address)
            attempts.append(attempt)
            connect(attempt)
            // One that has failed by now is followed at once.
            guard attempts.contains(where: { $0 === attempt }) else { continue }
            if !isDone, winner == nil, !order.isEmpty {
                next = loopPool.loop.scheduleTask(in: AddressOrder.delay) { self.tryNext() }
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
                failures.append((address.description, Self.notAllowed))
                continue
            }
            if localEndpoint?.canReach(address) ?? true { return address }
            failures.append((address.description, "not of the family of \(key.settings.settings.interface ?? "")"))
        }
        return nil
    }

    /// Gives up whatever was, for this attempt and no other.
    func tryOnly(_ attempt: AddressAttempt) {
        winner?.channel?.end()
        winner = nil
        order = AddressOrder([])
        attempts = [attempt]
        arm(.tls)
        connect(attempt)
    }

    func connect(_ attempt: AddressAttempt) {
        do {
            try open(attempt)
        } catch let error as SocketError where error.isShortOfDescriptors && !hasFreedDescriptor {
            hasFreedDescriptor = true
            loopPool.freeDescriptor {
                if !self.isDone, self.winner == nil || self.winner === attempt { self.connect(attempt) }
            }
        } catch {
            failed(attempt, (error as? SocketError).map { SocketChannel.ioError($0) } ?? error)
        }
    }

    private func open(_ attempt: AddressAttempt) throws {
        let loopPool = loopPool
        let socket = try Socket(for: attempt.address)
        if attempt.address.port != nil { try? socket.sendAtOnce() }
        try localEndpoint?.bind(socket)
        let channel = SocketChannel(loopPool.loop, socket) { loopPool.openSockets -= 1 }
        loopPool.openSockets += 1
        attempt.channel = channel
        do {
            try addReceiver(to: channel, attempt)
        } catch {
            channel.end()
            throw error
        }
        channel.connect(to: attempt.address) { error in
            if let error { return self.failed(attempt, error) }
            // The receivers tell when the connection stands. One that lost, or that is no longer wanted, is closed.
            let hasLost = self.isDone || (self.winner != nil && self.winner !== attempt)
            if hasLost, !attempt.isKept { channel.end() }
        }
    }

    private func failed(_ attempt: AddressAttempt, _ error: any Error) {
        guard !isDone, winner == nil || winner === attempt else { return }
        attempts.removeAll { $0 === attempt }
        if let failure = asFailure(error) { return finish(.failure(failure)) }
        failures.append((attempt.address.description, Self.words(error)))
        // The loss of the winner has been told already.
        if winner == nil { tryNext() }
    }

    /// The first address that answers is taken; false if another one was.
    func win(_ attempt: AddressAttempt) -> Bool {
        guard !isDone, winner == nil || winner === attempt else { return false }
        guard winner == nil else { return true }
        winner = attempt
        next?.cancel()
        next = nil
        for other in attempts where other !== attempt { other.channel?.end() }
        attempts = [attempt]
        return true
    }
}

// How a loop pool deals with connections that carry several exchanges, or may turn out to.

import NIOCore
import TsubameCore
import TsubamePlatform

extension LoopPool {
    /// In milliseconds: how long calls wait for one connection that may do for all of them. One that takes longer may never
    /// come.
    private static var sharingTimeout: Int64 { 500 }

    func limitSharingWait(with connector: Connector, of pool: OriginPool) {
        let key = pool.key
        // Cancelled with the pool.
        pool.sharingTimeout = loop.scheduleTask(in: .milliseconds(Self.sharingTimeout)) { [weak self, weak connector] in
            guard let self, let pool = self.pools[key] else { return }
            pool.sharingTimeout = nil
            if let connector, pool.sharedCandidate === connector {
                let isKnown = self.versions.version(of: pool.key.origin) == .http2
                if isKnown { pool.learnDelay() } else { pool.learnFailure() }
            }
            self.connectIfNeeded(pool)
        }
    }

    func learn(_ connection: any PooledConnection, of pool: OriginPool) {
        let version: HTTPVersion = connection.isShared ? .http2 : .http11
        if pool.key.mayShare { versions.note(version, of: pool.key.origin) }
        pool.learn(version)
    }

    /// Whoever waits goes out on it, as long as there is room.
    func fill(_ connection: any PooledConnection, of pool: OriginPool) {
        guard !pool.isFilling else { return }
        pool.isFilling = true
        while connection.availableStreams > 0, !pool.isSpent(connection), let next = pool.waiting.popFirst() {
            if next.isDone { continue }
            next.connector?.loseExchange()
            pool.lease(idle: connection)
            connection.run(next)
        }
        pool.isFilling = false
        while let other = pool.endedOn.popLast() { exchangeEnded(on: other) }
        cancelSpareConnectors(of: pool)
    }

    /// The server allows more streams than it did, or fewer.
    func availableStreamsChanged(on connection: any PooledConnection) {
        guard let pool = connection.pool else { return }
        fill(connection, of: pool)
        connectIfNeeded(pool)
    }

    /// One of its exchanges has ended: others get its place, or it becomes idle with the last.
    func exchangeEnded(on connection: any PooledConnection) {
        guard let pool = connection.pool, pool.isLeased(connection) else { return }
        guard !pool.isFilling else {
            // One that has ended as it was begun: whoever began it goes on, and looks then.
            if !pool.endedOn.contains(where: { $0 === connection }) { pool.endedOn.append(connection) }
            return
        }
        if isClosed || pool.isSpent(connection) || budget.mustGiveUp(of: pool, on: self) {
            connection.stopAccepting()
        } else {
            fill(connection, of: pool)
        }
        guard connection.pool != nil, pool.isLeased(connection) else { return }
        guard connection.running == 0 else { return connectIfNeeded(pool) }
        guard connection.availableStreams > 0 else { return connection.close() }
        if pool.waiting.isEmpty { budget.withdraw(pool, of: self) }
        pool.leased -= 1
        pool.removeShared(connection)
        connection.idleSince = MonotonicClock.now
        pool.idle.append(connection)
        if budget.isContended { _ = closeLongestIdle() }
        startIdleSweep()
    }
}

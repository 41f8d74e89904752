// How a shard deals with connections that carry several exchanges, or may turn out to.

import NIOCore
import TsubameCore

extension Shard {
    /// In milliseconds: how long calls wait for one connection that may do for all of them. One that takes longer may never
    /// come.
    private static var patience: Int64 { 500 }

    func limitPatience(with dial: Dial, of pool: OriginPool) {
        let key = pool.key
        // Cancelled with the pool.
        pool.patience = loop.scheduleTask(in: .milliseconds(Self.patience)) { [weak self, weak dial] in
            guard let self, let pool = self.pools[key] else { return }
            pool.patience = nil
            if let dial, pool.hopeful === dial {
                let isKnown = self.versions.version(of: pool.key.origin) == .http2
                if isKnown { pool.learnDelay() } else { pool.learnFailure() }
            }
            self.dialIfNeeded(pool)
        }
    }

    func learn(_ carrier: any Carrier, of pool: OriginPool) {
        let version: HTTPVersion = carrier.isShared ? .http2 : .http11
        if pool.key.mayShare { versions.note(version, of: pool.key.origin) }
        pool.learn(version)
    }

    /// Whoever waits goes out on it, as long as there is room.
    func fill(_ carrier: any Carrier, of pool: OriginPool) {
        guard !pool.isFilling else { return }
        pool.isFilling = true
        while carrier.room > 0, !pool.isSpent(carrier), let next = pool.waiting.popFirst() {
            if next.isDone { continue }
            next.dial?.loseExchange()
            pool.lease(idle: carrier)
            carrier.run(next)
        }
        pool.isFilling = false
        while let other = pool.endedOn.popLast() { exchangeEnded(on: other) }
        cancelSpareDials(of: pool)
    }

    /// The server allows more streams than it did, or fewer.
    func roomChanged(on carrier: any Carrier) {
        guard carrier.isCounted, let pool = pools[carrier.key] else { return }
        fill(carrier, of: pool)
        dialIfNeeded(pool)
    }

    /// One of its exchanges has ended: others get its place, or it becomes idle with the last.
    func exchangeEnded(on carrier: any Carrier) {
        guard carrier.isCounted, let pool = pools[carrier.key], pool.isLeased(carrier) else { return }
        guard !pool.isFilling else {
            // One that has ended as it was begun: whoever began it goes on, and looks then.
            if !pool.endedOn.contains(where: { $0 === carrier }) { pool.endedOn.append(carrier) }
            return
        }
        if isClosed || pool.isSpent(carrier) || budget.mustGiveUp(of: pool, on: self) {
            carrier.retire()
        } else {
            fill(carrier, of: pool)
        }
        guard carrier.isCounted, pool.isLeased(carrier) else { return }
        guard carrier.running == 0 else { return dialIfNeeded(pool) }
        guard carrier.room > 0 else { return carrier.close() }
        if pool.waiting.isEmpty { budget.withdraw(pool, of: self) }
        pool.leased -= 1
        pool.removeShared(carrier)
        carrier.idleSince = MonotonicClock.now
        pool.idle.append(carrier)
        if budget.isContended { _ = closeLongestIdle() }
        startSweep()
    }
}

// ConnectionBudget: how many connections the pools of a client may have together. A pure value.

import TsubamePlatform

/// Counts the connections of several pools, those that are being made included. A place that is given back goes to the pool
/// whose request has waited longest.
struct ConnectionBudget<Pool: Equatable & Sendable>: Sendable {
    /// A pool that wants a place.
    struct Claim: Sendable {
        let pool: Pool
        /// Since when its first request waits.
        let since: MonotonicTime
        /// Whether it has no connection at all: an exchange that ends serves none of its requests.
        let hasNone: Bool
        /// The most connections that the pool's client may have; nil for no limit.
        var limit: Int?
        var yielding = Yielding()
    }

    /// The pools that have let a connection yield to a claim.
    struct Yielding: Sendable {
        /// Each does so again only after a pause. A connection whose exchanges do not end would stand still for nothing.
        var pools: [Pool] = []
        /// Until when the last of them does.
        var until: MonotonicTime = 0

        private func hasPaused(at now: MonotonicTime) -> Bool { now >= until + ConnectionBudget.yieldingPause }

        func allows(_ pool: Pool, at now: MonotonicTime) -> Bool {
            until <= now && (!pools.contains(pool) || hasPaused(at: now))
        }

        mutating func begin(_ pool: Pool, at now: MonotonicTime) {
            if hasPaused(at: now) { pools = [] }
            pools.append(pool)
            until = now + ConnectionBudget.yieldingTime
        }
    }

    /// In nanoseconds: how long a pool that has connections waits before connections of other pools are closed for it. A new
    /// connection costs more than a wait for an exchange.
    static var fairnessDelay: MonotonicTime { 250_000_000 }

    /// In nanoseconds: how long a connection yields.
    static var yieldingTime: MonotonicTime { 1_000_000_000 }

    /// In nanoseconds: the pause before a pool yields to the same claim again.
    static var yieldingPause: MonotonicTime { 9_000_000_000 }

    private var claims: [Claim] = []
    /// The number of places that are taken.
    private(set) var count = 0

    /// Whether a pool waits for a place.
    var isContended: Bool { !claims.isEmpty }

    /// Takes a place, if fewer than `limit` are taken. Otherwise the claim, which replaces an earlier one of its pool, is
    /// kept until the pool gets a place, or until no request of the pool waits.
    mutating func take(limit: Int?, orKeep claim: Claim?) -> Bool {
        guard let limit, count >= Swift.max(limit, 1) else {
            count += 1
            return true
        }
        if let claim, !renew(claim) { claims.append(claim) }
        return false
    }

    /// The waiting requests of a pool have changed, or its connections. A pool that has made no claim makes none by this.
    /// - Parameter claim: what the pool would claim now; nil if none of its requests waits.
    mutating func update(_ pool: Pool, _ claim: Claim?) {
        if let claim { _ = renew(claim) } else { claims.removeAll { $0.pool == pool } }
    }

    /// Replaces the claim of the same pool.
    /// - Returns: false if there is none.
    private mutating func renew(_ claim: Claim) -> Bool {
        guard let index = claims.firstIndex(where: { $0.pool == claim.pool }) else { return false }
        let yielding = claims[index].yielding
        claims[index] = claim
        // For requests that began to wait after the last one has yielded, the pools yield again.
        if claim.since <= yielding.until { claims[index].yielding = yielding }
        return true
    }

    /// Whether a connection on which an exchange has ended goes to another pool, or yields to it. That is so if a request of
    /// the other pool has waited for the fairness delay, and for longer than those of this one. A connection that is free now
    /// also goes, before the delay, to a pool that has none and waits for longer.
    /// - Parameters:
    ///   - since: since when a request of the pool waits; nil if none waits.
    ///   - isFree: whether the connection carries no other exchange. Otherwise it would yield, unless another one does, or
    ///     one of this pool has done so lately.
    mutating func owesPlace(
        _ pool: Pool, waitingSince since: MonotonicTime?, isFree: Bool, at now: MonotonicTime
    ) -> Bool {
        let index = claims.firstIndex { claim in
            guard claim.pool != pool, isAdmitted(claim), claim.since < since ?? .max else { return false }
            if isFree, claim.hasNone, since != nil { return true }
            guard now > claim.since, now - claim.since > Self.fairnessDelay else { return false }
            return isFree || claim.yielding.allows(pool, at: now)
        }
        guard let index else { return false }
        if !isFree { claims[index].yielding.begin(pool, at: now) }
        return true
    }

    /// Gives a place back, or on.
    /// - Returns: the pool that now has the place; nil if it is free.
    mutating func giveBack() -> Pool? {
        let admitted = claims.indices.filter { isAdmitted(claims[$0]) }
        guard let index = admitted.min(by: { claims[$0].since < claims[$1].since }) else {
            count -= 1
            return nil
        }
        return claims.remove(at: index).pool
    }

    /// Whether the pool of the claim may take a place that another pool gives back. Pools with a higher limit, or with none,
    /// may have taken more places than this one may.
    private func isAdmitted(_ claim: Claim) -> Bool { claim.limit.map { count <= Swift.max($0, 1) } ?? true }
}

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
    }

    /// In nanoseconds: how long a pool that has connections waits before connections of other pools are closed for it. A new
    /// connection costs more than a wait for an exchange.
    static var fairnessDelay: MonotonicTime { 250_000_000 }

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
        if let claim {
            claims.removeAll { $0.pool == claim.pool }
            claims.append(claim)
        }
        return false
    }

    /// The waiting requests of a pool have changed, or its connections. A pool that has made no claim makes none by this.
    /// - Parameter claim: what the pool would claim now; nil if none of its requests waits.
    mutating func update(_ pool: Pool, _ claim: Claim?) {
        guard let index = claims.firstIndex(where: { $0.pool == pool }) else { return }
        if let claim { claims[index] = claim } else { claims.remove(at: index) }
    }

    /// Whether a connection on which an exchange has ended must be closed for another pool, although its own pool needs it.
    /// That is so if a request of the other pool has waited longer, and if it has waited for the fairness delay. A pool that
    /// has no connection does not wait for the delay if requests of the first pool wait too.
    /// - Parameter since: since when a request of the pool waits; nil if none waits, and the connection carries other exchanges.
    func owesPlace(_ pool: Pool, waitingSince since: MonotonicTime?, at now: MonotonicTime) -> Bool {
        claims.contains { claim in
            guard claim.pool != pool, isAdmitted(claim), claim.since < since ?? .max else { return false }
            return (claim.hasNone && since != nil) || (now > claim.since && now - claim.since > Self.fairnessDelay)
        }
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

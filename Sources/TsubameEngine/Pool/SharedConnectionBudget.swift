// SharedConnectionBudget: the connection budget of a client, which its event loops share.

import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform

/// Guards the budget by a lock, and tells the pool that gets a place on its own loop.
final class SharedConnectionBudget: Sendable {
    /// One origin's pool on one loop.
    struct Claimant: Equatable, Sendable {
        let loopPool: LoopPool
        let key: ConnectionKey

        static func == (left: Claimant, right: Claimant) -> Bool {
            left.loopPool === right.loopPool && left.key == right.key
        }
    }

    typealias Budget = ConnectionBudget<Claimant>

    private let state = Mutex(Budget())
    /// Read whenever a connection becomes idle, so it costs no lock.
    private let contended = Atomic(false)

    /// Whether a pool waits for a place.
    var isContended: Bool { contended.load(ordering: .relaxed) }

    /// Takes a place, or keeps the claim; see ``ConnectionBudget/take(limit:orKeep:)``.
    func take(limit: Int?, orKeep claim: Budget.Claim?) -> Bool {
        state.withLock { budget in
            defer { contended.store(budget.isContended, ordering: .relaxed) }
            return budget.take(limit: limit, orKeep: claim)
        }
    }

    /// See ``ConnectionBudget/owesPlace(_:waitingSince:isFree:at:)``.
    func owesPlace(
        _ claimant: Claimant, waitingSince since: MonotonicTime?, isFree: Bool, at now: MonotonicTime
    ) -> Bool {
        isContended && state.withLock { $0.owesPlace(claimant, waitingSince: since, isFree: isFree, at: now) }
    }

    /// See ``ConnectionBudget/update(_:_:)``.
    func update(_ claimant: Claimant, _ claim: Budget.Claim?) {
        state.withLock { budget in
            budget.update(claimant, claim)
            contended.store(budget.isContended, ordering: .relaxed)
        }
    }

    /// Gives a place back. If another pool waits for it, that pool gets it on its own loop: the pool that gave it back would
    /// always be faster.
    func giveBack() {
        let next = state.withLock { budget in
            defer { contended.store(budget.isContended, ordering: .relaxed) }
            return budget.giveBack()
        }
        guard let next else { return }
        next.loopPool.loop.execute { next.loopPool.grantPlace(next.key) }
    }
}

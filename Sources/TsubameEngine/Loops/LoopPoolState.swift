// LoopPoolState: the parts of a loop pool's state.

import DequeModule
import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// The objects that the pools of all loops of a client share.
struct ClientObjects: Sendable {
    let budget = SharedConnectionBudget()
    let proxies = ProxyMemory()
    let versions = ProtocolMemory()
    let warmUps = WarmedOrigins()
    let callers = CallerLoops()
}

/// The exchanges that other threads have handed over.
struct Arrivals {
    var exchanges: [Exchange] = []
    /// Whether the loop has a task that will begin them.
    var isAnnounced = false
}

/// The exchanges that a loop pool has taken over from other threads, and begins together.
struct Beginning {
    var exchanges: [Exchange] = []
    var isUnderWay = false
    /// The connections that write when all that begin in this turn have been begun.
    var unflushed: [any PooledConnection] = []
}

/// The timers of a loop pool.
struct PoolTimers {
    /// When the first of the exchanges that have waited for a connection may wait no longer. It stays if that one is served.
    var waitDue = MonotonicClock.never
    /// The loop's name for the pool, while it has such a deadline.
    var waitID: MemberID?
    /// The next search for connections that have been idle too long.
    var idleSweep: Scheduled<Void>?
    var sleepWatch = SleepWatch()
}

/// The pools by origin.
struct OriginTable {
    private(set) var all: [ConnectionKey: OriginPool] = [:]
    private var last: OriginPool?

    subscript(key: ConnectionKey) -> OriginPool? {
        mutating get {
            if let last, last.key == key { return last }
            guard let known = all[key] else { return nil }
            last = known
            return known
        }
    }

    mutating func add(_ origin: OriginPool) {
        all[origin.key] = origin
        last = origin
    }

    mutating func remove(_ origin: OriginPool) {
        guard all[origin.key] === origin else { return }
        all[origin.key] = nil
        if last === origin { last = nil }
    }
}

/// The event that is being handled, and those that have happened since.
struct PoolEvents {
    /// The actions of the event.
    var actions: [OriginPool.Pool.Action] = []
    var isCarryingOut = false
    var later = Deque<() -> Void>()
    var isHandlingLater = false
}

// EventLoopPools: the event loops of an engine, and which of them a call goes to.

import Synchronization
import TsubameCore
import TsubameSockets

final class EventLoopPools: Sendable {
    /// A home loop with a longer backlog sends what comes to another one.
    private static let spillBacklog = 32
    /// With more calls than this an origin's are spread over all loops, so that each gets its share of connections.
    private static let spillLoad = 256

    /// Empty if the process had no descriptor or no thread for them.
    let loopPools: [LoopPool]
    /// Those in their place, once the process has enough.
    private let replacement = Mutex<(pools: EventLoopPools?, isClosed: Bool)>((nil, false))
    private let objects = ClientObjects()
    let executor: LoopExecutor

    /// Also those of the loops that blocking calls run.
    var allPools: [LoopPool] { loopPools + objects.callers.all }

    convenience init() {
        self.init((try? ProcessLoops.all()) ?? [])
    }

    private init(_ loops: [NIOLoop]) {
        let objects = objects
        let loopPools = loops.map { LoopPool($0, objects) }
        self.loopPools = loopPools
        executor = LoopExecutor(loopPools)
        for loopPool in loopPools { loopPool.loop.execute { loopPool.siblings = loopPools } }
    }

    deinit {
        // Idle connections go with the client; running calls hold their loop pool and end by themselves.
        for loopPool in allPools where loopPool.loop.hasThread {
            loopPool.loop.execute {
                loopPool.close()
                loopPool.siblings = []
            }
        }
        objects.callers.removeAll()
    }

    /// The ones in place of these, which each call tries to make.
    /// - Throws: ``CallError/Kind/connectionFailed`` if the process still has no descriptor or no thread for a loop.
    @inline(never)
    private func replaced() throws(CallError) -> EventLoopPools {
        try replacement.withLock { replacement throws(CallError) in
            if let pools = replacement.pools { return pools }
            guard !replacement.isClosed else { throw LoopPool.closed }
            let pools = EventLoopPools(try ProcessLoops.all())
            replacement.pools = pools
            return pools
        }
    }

    /// These, or the ones in their place.
    var current: EventLoopPools { loopPools.isEmpty ? replacement.withLock { $0.pools } ?? self : self }

    /// Where a call is to run, and whether that is the current thread.
    @inline(__always)
    func loopPool(for key: ConnectionKey) throws(CallError) -> (LoopPool, isHere: Bool) {
        if loopPools.isEmpty { return try replacedLoopPool(for: key) }
        let home = try ownHome(of: key)
        if key.settings.staysOnHomeLoop { return (home, home.loop.inEventLoop) }
        if let caller = objects.callers.current {
            // Connections that others share, or on which the peer may send at any time, need a loop that always runs. So does
            // a connection that was made for the first call to come. A limit in all may need another loop to close one.
            let isOwn =
                !key.mayShare && !key.isEncrypted && key.settings.settings.connections == nil
                && !objects.warmUps.includes(key)
            return isOwn ? (caller, true) : (home, false)
        }
        for loopPool in loopPools where loopPool.loop.inEventLoop { return (loopPool, true) }
        if loopPools.count == 1 { return (home, false) }
        let load = home.load.load(ordering: .relaxed)
        guard load > Self.spillLoad || home.backlog > Self.spillBacklog else { return (home, false) }
        // A connection that carries many, or may turn out to, is at its best with all of them.
        if key.mayShare, objects.versions.version(of: key.origin) != .http11 { return (home, false) }
        let isBacklog = load <= Self.spillLoad
        let best = loopPools.min { left, right in
            isBacklog
                ? left.backlog < right.backlog
                : left.load.load(ordering: .relaxed) < right.load.load(ordering: .relaxed)
        }
        return (best ?? home, false)
    }

    @inline(never)
    private func replacedLoopPool(for key: ConnectionKey) throws(CallError) -> (LoopPool, isHere: Bool) {
        try replaced().loopPool(for: key)
    }

    /// A loop for a blocking call, which runs it. Without a descriptor for another one, it is a loop that only runs jobs.
    func takeCallerLoop() -> CallerLoop {
        guard !loopPools.isEmpty, loopPools.allSatisfy(\.loop.hasThread) else { return .ofJobs() }
        let callers = objects.callers
        guard let known = callers.take() ?? callers.make({ self.makeCallerPool() }) else { return .ofJobs() }
        return CallerLoop(known.loop.loop) { callers.giveBack(known) }
    }

    private func makeCallerPool() -> LoopPool? {
        guard let loop = try? ProcessLoops.makeCallerLoop() else { return nil }
        let loopPool = LoopPool(loop, objects)
        loop.execute { [loopPools] in loopPool.siblings = [loopPool] + loopPools }
        return loopPool
    }

    /// From now on none are made in place of these.
    func endReplacing() { replacement.withLock { $0.isClosed = true } }

    func closeCallers() { objects.callers.close() }

    /// A connection is about to be made for the first call that comes.
    func noteWarmUp(_ key: ConnectionKey) { objects.warmUps.note(key) }

    /// The loop that an origin's calls go to.
    func home(of key: ConnectionKey) throws(CallError) -> LoopPool {
        loopPools.isEmpty ? try replaced().home(of: key) : try ownHome(of: key)
    }

    @inline(__always)
    private func ownHome(of key: ConnectionKey) throws(CallError) -> LoopPool {
        let home = loopPools[key.origin.spread % loopPools.count]
        try ProcessLoops.check(home.loop)
        return home
    }
}

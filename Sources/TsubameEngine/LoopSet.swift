// LoopSet: the event loops of an engine, and which of them a call goes to.

import NIOCore
import NIOPosix
import Synchronization
import TsubameCore

final class LoopSet: Sendable {
    /// More loops than this spread connections without making anything faster.
    private static let maximum = 4
    /// A home loop with a longer backlog sends what comes to another one.
    private static let spillBacklog = 32
    /// With more calls than this an origin's are spread over all loops, so that each gets its share of connections.
    private static let spillLoad = 256

    let shards: [Shard]
    let executor: LoopExecutor

    init() {
        let (budget, proxies) = (ConnectionBudget(), ProxyMemory())
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().prefix(Self.maximum)
        let shards = loops.map { Shard($0, budget, proxies) }
        self.shards = shards
        executor = LoopExecutor(shards)
        for shard in shards { shard.loop.execute { shard.siblings = shards } }
    }

    deinit {
        // Idle connections go with the client; running calls hold their shard and end by themselves.
        for shard in shards {
            shard.loop.execute {
                shard.close()
                shard.siblings = []
            }
        }
    }

    /// Where a call is to run, and whether that is the current thread.
    @inline(__always)
    func shard(for key: ConnectionKey) -> (Shard, isHere: Bool) {
        let loop = MultiThreadedEventLoopGroup.currentEventLoop
        if key.settings.settings.connectionsPerOrigin < ConnectionSettings.defaultConnectionsPerOrigin {
            // A limit can be kept only where all connections of an origin are.
            let home = home(of: key)
            return (home, home.loop === loop)
        }
        if let loop {
            for shard in shards where shard.loop === loop { return (shard, true) }
        }
        let home = home(of: key)
        if shards.count == 1 { return (home, false) }
        if home.load.load(ordering: .relaxed) <= Self.spillLoad {
            if home.backlog <= Self.spillBacklog { return (home, false) }
            return (shards.min { $0.backlog < $1.backlog } ?? home, false)
        }
        return (shards.min { $0.load.load(ordering: .relaxed) < $1.load.load(ordering: .relaxed) } ?? home, false)
    }

    /// The loop that an origin's calls go to.
    func home(of key: ConnectionKey) -> Shard { shards[key.origin.spread % shards.count] }
}

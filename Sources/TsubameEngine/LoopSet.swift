// LoopSet: the event loops of an engine, and which of them a call goes to.

import NIOCore
import NIOPosix
import TsubameCore

final class LoopSet: Sendable {
    /// More loops than this spread connections without making anything faster.
    private static let maximum = 4
    /// A home loop with a longer backlog sends what comes to another one.
    private static let spillBacklog = 32

    let shards: [Shard]
    let executor: LoopExecutor

    init() {
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().prefix(Self.maximum)
        shards = loops.map { Shard($0) }
        executor = LoopExecutor(shards)
    }

    deinit {
        // Idle connections go with the client; running calls hold their shard and end by themselves.
        for shard in shards { shard.loop.execute { shard.close() } }
    }

    /// Where a call is to run, and whether that is the current thread.
    @inline(__always)
    func shard(for key: ConnectionKey) -> (Shard, isHere: Bool) {
        let loop = MultiThreadedEventLoopGroup.currentEventLoop
        if key.settings.settings.connectionsPerOrigin < ConnectionSettings.defaultConnectionsPerOrigin {
            // A limit can be kept only where all connections of an origin are.
            let home = shards[key.origin.spread % shards.count]
            return (home, home.loop === loop)
        }
        if let loop {
            for shard in shards where shard.loop === loop { return (shard, true) }
        }
        let home = shards[key.origin.spread % shards.count]
        if shards.count == 1 || home.backlog <= Self.spillBacklog { return (home, false) }
        return (shards.min { $0.backlog < $1.backlog } ?? home, false)
    }
}

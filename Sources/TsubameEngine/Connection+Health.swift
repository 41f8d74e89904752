// Whether an idle connection is still good: what its socket knows and the loop has not read yet.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import NIOCore
import TsubameCore

extension Connection {
    /// A connection that was in use just now is as good as it was.
    private static let freshness: MonotonicTime = 1_000_000_000
    /// The system counts in ticks of a few milliseconds.
    private static let tick: MonotonicTime = 12_000_000

    /// Whether the socket is to be asked before this exchange goes out on it: always if the request could not be repeated;
    /// else the loop, which reads its sockets all the time, has most likely seen what there was.
    func mayBeStale(for exchange: Exchange) -> Bool {
        !exchange.request.mayBeReplayed || MonotonicClock.now &- idleSince > Self.freshness
    }

    /// Bytes came while nothing was asked for, or the server has closed: an answer read from here might not be ours
    /// (CVE-2026-1525), and a request sent here would be lost.
    var hasUnreadInput: Bool {
        #if os(Linux)
        guard let provider = context?.channel as? any SocketOptionProvider else { return false }
        var isStale = false
        // On its own loop the channel answers at once.
        provider.getTCPInfo().assumeIsolated().whenSuccess { info in
            let idle = MonotonicClock.now &- self.idleSince
            let silent = MonotonicTime(info.tcpi_last_data_recv) * 1_000_000
            isStale = Int(info.tcpi_state) != Int(TCP_ESTABLISHED) || silent &+ Self.tick < idle
        }
        return isStale
        #else
        return false
        #endif
    }
}

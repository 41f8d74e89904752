// Whether an idle connection may carry the next exchange.

import TsubameCore
import TsubamePlatform

extension HTTP1Connection {
    /// A connection that was in use just now is as good as it was.
    private static let freshness: MonotonicTime = 1_000_000_000
    /// The system counts in ticks of a few milliseconds.
    private static let tick: MonotonicTime = 12_000_000

    /// The socket is asked before an exchange goes out on it if the request could not be repeated. Otherwise the loop, which
    /// reads its sockets all the time, has most likely seen all that there was.
    func canCarry(_ exchange: Exchange, idleSince: MonotonicTime) -> Bool {
        let mayBeStale = !exchange.mayBeReplayed || MonotonicClock.now &- idleSince > Self.freshness
        return !mayBeStale || !hasUnreadInput(since: idleSince)
    }

    /// Bytes came while nothing was asked for, or the server has closed: an answer read from here might not be ours
    /// (CVE-2026-1525), and a request sent here would be lost.
    private func hasUnreadInput(since idleSince: MonotonicTime) -> Bool {
        guard let state = socketState else { return false }
        return !state.isEstablished || state.silence &+ Self.tick < MonotonicClock.now &- idleSince
    }
}

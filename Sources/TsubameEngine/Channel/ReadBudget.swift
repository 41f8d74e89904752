// ReadBudget: how many bytes a channel may still read in a turn of its loop.

import TsubameSockets

/// A channel may read several times in one turn: when it is called again, when the poller reports, and when its receiver
/// resumes. All of these share the budget.
struct ReadBudget {
    private var turn: UInt64 = 0
    private(set) var left = EventLoop.bytesPerTurn

    mutating func begin(in turn: UInt64) {
        if turn != self.turn { (self.turn, left) = (turn, EventLoop.bytesPerTurn) }
    }

    mutating func take(_ count: Int) { left -= count }
}

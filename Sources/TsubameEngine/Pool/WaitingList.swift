// WaitingList: the exchanges that wait for a connection, the longest waiting first.

import DequeModule

/// A queue whose members can leave from the middle: who has left is skipped, and swept out once they are the most.
struct WaitingList {
    private var queue = Deque<Exchange>()
    /// Those that still wait: what has left has `isWaiting` unset.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ exchange: Exchange) {
        exchange.isWaiting = true
        queue.append(exchange)
        count += 1
    }

    mutating func popFirst() -> Exchange? {
        while let first = queue.popFirst() {
            guard first.isWaiting else { continue }
            first.isWaiting = false
            count -= 1
            return first
        }
        return nil
    }

    /// Lets one go that waits here.
    mutating func remove(_ exchange: Exchange) {
        exchange.isWaiting = false
        count -= 1
        if queue.count > 16, queue.count > 2 * count { queue.removeAll { !$0.isWaiting } }
    }

    /// The longest waiting.
    var first: Exchange? { queue.first { $0.isWaiting } }

    var all: [Exchange] { queue.filter { $0.isWaiting } }
}

// LoopPool+Descriptors: room for a new socket in a process that may open no more.

import DequeModule

extension LoopPool {
    /// Has an idle connection of the client closed, and then calls `retry` here: the process has no descriptor left.
    func freeDescriptor(_ retry: @escaping @Sendable () -> Void) {
        if events.isCarryingOut { return events.later.append { self.freeDescriptor(retry) } }
        // A loop that a blocking call runs may be busy for long, so only the unused ones are asked.
        let others = (siblings + unusedCallers).filter { $0 !== self }
        freeDescriptor(of: ([self] + others)[...], retry)
    }

    /// Asks one loop after the other, so that one connection closes and not one of each loop.
    private func freeDescriptor(of loopPools: ArraySlice<LoopPool>, _ retry: @escaping @Sendable () -> Void) {
        guard let first = loopPools.first else { return retry() }
        first.loop.execute {
            let hasClosed = first.closeLongestIdle()
            // The socket of a TLS connection closes one turn later.
            first.loop.execute {
                self.loop.execute {
                    if hasClosed { retry() } else { self.freeDescriptor(of: loopPools.dropFirst(), retry) }
                }
            }
        }
    }
}

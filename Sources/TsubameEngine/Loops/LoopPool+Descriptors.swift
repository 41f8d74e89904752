// LoopPool+Descriptors: room for a new socket in a process that may open no more.

import DequeModule
import NIOCore

extension LoopPool {
    /// In milliseconds: how long the threads of blocking calls have to close a connection.
    private static let busyCallerDelay: Int64 = 50

    /// Has an idle connection of the client closed, and then calls `retry` here: the process has no descriptor left.
    func freeDescriptor(_ retry: @escaping @Sendable () -> Void) {
        if events.isCarryingOut { return events.later.append { self.freeDescriptor(retry) } }
        let others = (siblings + callers.unused).filter { $0 !== self }
        freeDescriptor(of: ([self] + others)[...], retry)
    }

    /// A loop that a blocking call runs may be busy for long, so its answer is not awaited.
    private func askBusyCallers(_ retry: @escaping @Sendable () -> Void) {
        let busy = callers.all.filter { $0 !== self }
        guard !busy.isEmpty else { return retry() }
        for other in busy { other.loop.execute { other.closeLongestIdle() } }
        _ = loop.scheduleTask(in: .milliseconds(Self.busyCallerDelay), retry)
    }

    /// Asks one loop after the other, so that one connection closes and not one of each loop.
    private func freeDescriptor(of loopPools: ArraySlice<LoopPool>, _ retry: @escaping @Sendable () -> Void) {
        guard let first = loopPools.first else { return askBusyCallers(retry) }
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

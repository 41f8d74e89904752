// PoolState: waits until a client's connections satisfy a condition.

import Tsubame

extension Client {
    /// Waits until the condition is met. A client does not report changes of its connections, so this asks again and
    /// again. Each answer comes after the event loops have done their due work.
    func waitUntil(_ isMet: (TransportStatistics) -> Bool) async throws {
        while !isMet(await statistics()) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

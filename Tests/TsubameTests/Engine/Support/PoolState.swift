// PoolState: waiting until a client's connections are as a test wants them.

import Tsubame

extension Client {
    /// Waits until the condition is met. A client tells nobody of its connections, so it is asked again and again; each
    /// time the answer comes when the event loops have done what was due before it.
    func waitUntil(_ isMet: (EngineStatistics) -> Bool) async throws {
        while !isMet(await statistics()) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

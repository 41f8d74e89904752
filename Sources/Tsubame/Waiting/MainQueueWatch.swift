// MainQueueWatch: says so when main callbacks are waited for and nobody serves the main queue.

import Dispatch
import Logging
import Synchronization

/// On Linux nothing serves the main queue by itself; a program that forgets it would wait for ever, silently.
enum MainQueueWatch {
    private static let state = Mutex((isServed: false, isWatching: false))

    static func expect() {
        let starts = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isServed && !state.isWatching
        }
        guard starts else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
            guard !state.withLock({ $0.isServed }) else { return }
            Logger(label: "tsubame").warning(
                "a callback has waited a second for the main queue: serve it by an async main, dispatchMain() or a run loop, or start the call with on: .queue(…)"
            )
        }
    }

    static func served() { state.withLock { $0.isServed = true } }
}

// MainQueueWatch: warns if callbacks wait for a main queue that the program does not serve.

import Dispatch
import Logging
import Synchronization

/// On Linux, the program must serve the main queue. Without a warning, a program that does not would wait for ever.
final class MainQueueWatch: Sendable {
    /// The process has one main queue, and so one watch. It warns at the first callback that has waited a second.
    static let shared = MainQueueWatch(later: afterSecond) { text in
        Logger(label: "tsubame").warning("\(text)")
    }

    static let afterSecond: @Sendable (@escaping @Sendable () -> Void) -> Void = { look in
        DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: look)
    }

    private let state = Mutex((isServed: false, isWatching: false))
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let warn: @Sendable (String) -> Void

    /// - Parameters:
    ///   - later: calls its argument when a callback has waited long enough.
    ///   - warn: called once, with a text that says what is wrong and what to do.
    init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, warn: @escaping @Sendable (String) -> Void
    ) {
        self.later = later
        self.warn = warn
    }

    /// Call this when a callback is put on the main queue.
    func expect() {
        let starts = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isServed && !state.isWatching
        }
        guard starts else { return }
        later { [self] in
            guard !state.withLock({ $0.isServed }) else { return }
            warn(
                "a callback has waited a second for the main queue: serve it by an async main, dispatchMain() or a "
                    + "run loop, or start the call with on: .queue(…)")
        }
    }

    /// Call this when a callback runs on the main queue.
    func served() { state.withLock { $0.isServed = true } }
}

// ActivityMonitor: the number of a client's running calls, for an activity indicator.

internal import Synchronization
import TsubameCore

/// Counts the running calls of a client. The count returns to zero when the calls have ended, however they end.
public final class ActivityMonitor: Sendable {
    private let running = Mutex<Set<UInt64>>([])
    private let subscription = Mutex<EventSubscription?>(nil)

    /// Counts the calls from now on, until the monitor is released.
    /// - Parameters:
    ///   - client: the client whose calls are counted, with those of its views.
    ///   - onChange: receives the new count after each change, in order, on the main actor. On Linux the program must
    ///     serve the main queue (an async `main`, `dispatchMain()`, or a run loop).
    public init(_ client: Client, onChange: (@MainActor @Sendable (Int) -> Void)? = nil) {
        let subscription = client.observe { [weak self] event in
            guard let self else { return }
            running.withLock { running in
                let before = running.count
                if case .started = event.kind { running.insert(event.call) }
                if event.kind.isFinal { running.remove(event.call) }
                guard let onChange, running.count != before else { return }
                let count = running.count
                // The main queue keeps the order in which the counts are handed over under this lock.
                CallbackQueue.main.run { MainActor.assumeIsolated { onChange(count) } }
            }
        }
        self.subscription.withLock { $0 = subscription }
    }

    /// The number of calls that run now.
    public var count: Int { running.withLock { $0.count } }
}

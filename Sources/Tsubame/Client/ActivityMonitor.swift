// ActivityMonitor: the number of a client's running calls, for an activity indicator.

internal import Synchronization
import TsubameCore

/// Counts the running calls of a client. The count returns to zero when the calls have ended, however they end.
public final class ActivityMonitor: Sendable {
    private struct State: Sendable {
        var running: Set<UInt64> = []
        var untold: [Int] = []
        var isTelling = false
    }

    private let state = Mutex(State())
    private let subscription = Mutex<EventSubscription?>(nil)

    /// Counts the calls from now on, until the monitor is released.
    /// - Parameters:
    ///   - client: the client whose calls are counted, with those of its views.
    ///   - onChange: receives the new count after each change. It runs for one change at a time, in order, on the
    ///     threads on which the changes happen.
    public init(_ client: Client, onChange: (@Sendable (Int) -> Void)? = nil) {
        let subscription = client.observe { [weak self] event in
            guard let self else { return }
            let tells: Bool = state.withLock { state in
                let before = state.running.count
                if case .started = event.kind { state.running.insert(event.call) }
                if event.kind.isFinal { state.running.remove(event.call) }
                guard onChange != nil, state.running.count != before else { return false }
                state.untold.append(state.running.count)
                defer { state.isTelling = true }
                return !state.isTelling
            }
            if tells, let onChange { tell(onChange) }
        }
        self.subscription.withLock { $0 = subscription }
    }

    /// Runs outside the lock, so that `onChange` may read the monitor. One thread at a time runs it, so that the last
    /// count comes last.
    private func tell(_ onChange: @Sendable (Int) -> Void) {
        while true {
            let next: Int? = state.withLock { state in
                guard let first = state.untold.first else {
                    state.isTelling = false
                    return nil
                }
                state.untold.removeFirst()
                return first
            }
            guard let next else { return }
            onChange(next)
        }
    }

    /// The number of calls that run now.
    public var count: Int { state.withLock { $0.running.count } }
}

// ActivityMonitor: is anything in flight? For an indicator.

internal import Synchronization
import TsubameCore

/// Counts the calls in flight of a client; always back to zero when they have ended, however they end.
public final class ActivityMonitor: Sendable {
    private struct State: Sendable {
        var running: Set<UInt64> = []
        var untold: [Int] = []
        var isTelling = false
    }

    private let state = Mutex(State())
    private let subscription = Mutex<EventSubscription?>(nil)

    /// Counts from now on, for as long as it is kept.
    /// - Parameters:
    ///   - client: whose calls are counted, those of its views included.
    ///   - onChange: told the new count whenever it changes, in order, one after the other, wherever that happens.
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

    /// Outside the lock, so that who is told may call; by one thread at a time, so that the last count comes last.
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

    /// The calls that run now.
    public var count: Int { state.withLock { $0.running.count } }
}

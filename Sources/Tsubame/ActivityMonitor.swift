// ActivityMonitor: is anything in flight? For an indicator.

internal import Synchronization
import TsubameCore

/// Counts the calls in flight of a client; always back to zero when they have ended, however they end.
public final class ActivityMonitor: Sendable {
    private let running = Mutex<Set<UInt64>>([])
    private let observation = Mutex<Observation?>(nil)

    /// - Parameter onChange: told the new count whenever it changes, wherever that happens.
    public init(_ client: Client, onChange: (@Sendable (Int) -> Void)? = nil) {
        let observation = client.observe { [weak self] event in
            guard let self else { return }
            let count: Int? = running.withLock { running in
                let before = running.count
                if case .started = event.kind { running.insert(event.call) }
                if event.kind.isFinal { running.remove(event.call) }
                return running.count == before ? nil : running.count
            }
            if let count { onChange?(count) }
        }
        self.observation.withLock { $0 = observation }
    }

    /// The calls that run now.
    public var count: Int { running.withLock { $0.count } }
}

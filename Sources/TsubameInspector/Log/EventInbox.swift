// EventInbox: takes the events of calls from the threads on which they happen.

import Dispatch
import Synchronization
import TsubameCore
import TsubamePlatform

/// Holds events until the log is read. With a watcher it has them taken soon, by a queue of its own. The observers of clients keep the
/// inbox and not the log.
final class EventInbox: Sendable {
    private struct State: Sendable {
        var events: PendingEvents
        var watcher: (@Sendable () -> Void)?
        var isScheduled = false
    }

    /// The time from the first event until the watcher is told, in milliseconds.
    private static let delay = 20

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "tsubame.traffic-log")

    init(_ events: PendingEvents) { state = Mutex(State(events: events)) }

    func add(_ event: CallEvent) {
        let isDue = state.withLock { state in
            state.events.add(event, now: WallClock.now)
            guard state.watcher != nil, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if isDue { schedule() }
    }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) { [weak self] in
            self?.state.withLock { $0.watcher }?()
        }
    }

    /// Has events taken as they come; nil for no longer.
    func setWatcher(_ watcher: (@Sendable () -> Void)?) {
        let isDue = state.withLock { state in
            state.watcher = watcher
            guard watcher != nil, !state.events.isEmpty, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if isDue { schedule() }
    }

    /// Takes all events, oldest first.
    /// - Returns: the events, and the number of calls that were evicted before them.
    func take() -> (entries: [PendingEvents.Entry], evicted: Int) {
        state.withLock { state in
            state.isScheduled = false
            return state.events.take()
        }
    }
}

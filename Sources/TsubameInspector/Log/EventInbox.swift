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
        /// Makes room for this number of bytes among the calls that were read.
        var makeRoom: (@Sendable (Int) -> Void)?
        var isMakingRoom = false
        /// The bytes at which room is made next.
        var roomMark: Int
    }

    /// The time from the first event until the watcher is told, in milliseconds.
    private static let delay = 20

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "tsubame.traffic-log")

    /// The room is made in steps of this size, in bytes.
    private let step: Int

    init(_ events: PendingEvents, step: Int) {
        self.step = step
        state = Mutex(State(events: events, roomMark: step))
    }

    /// - Parameter client: the number of the client in the log.
    func add(_ event: CallEvent, from client: UInt16) {
        let (isDue, isFull, evicted) = state.withLock { state in
            let evicted = state.events.add(event, from: client, now: WallClock.now)
            let isFull = state.events.bytes > state.roomMark && !state.isMakingRoom
            if isFull { state.isMakingRoom = true }
            guard state.watcher != nil, !state.isScheduled else { return (false, isFull, evicted) }
            state.isScheduled = true
            return (true, isFull, evicted)
        }
        if isDue { schedule() }
        if isFull { queue.async { [weak self] in self?.askForRoom() } }
        // The queue releases what was evicted: values of users may be among it, and it may be much.
        if !evicted.isEmpty { queue.async { withExtendedLifetime(evicted) {} } }
    }

    /// The calls that were read are older than the events here, so they go first.
    private func askForRoom() {
        let (bytes, makeRoom) = state.withLock { ($0.events.bytes, $0.makeRoom) }
        makeRoom?(bytes + step)
        state.withLock { state in
            state.isMakingRoom = false
            state.roomMark = bytes + step
        }
    }

    /// - Parameter makeRoom: makes room for a number of bytes.
    func setRoom(_ makeRoom: @escaping @Sendable (Int) -> Void) { state.withLock { $0.makeRoom = makeRoom } }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) { [weak self] in
            let watcher = self?.state.withLock { state in
                state.isScheduled = false
                return state.watcher
            }
            watcher?()
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
    /// - Returns: the events in parts, and the number of calls that were evicted before them.
    func take() -> (parts: [[PendingEvents.Entry]], evicted: Int) {
        state.withLock { state in
            state.isScheduled = false
            state.roomMark = step
            return state.events.take()
        }
    }

    /// Names the running calls of which events were taken.
    func know(_ running: Set<UInt64>) { state.withLock { $0.events.know(running) } }
}

// Observation: a reader of the event stream, and the list of them that a client has.

internal import Synchronization

/// Keeps an observer of a client's calls; no event that happens after this was cancelled or dropped is told;
/// one that is being told at that moment, on another thread, may still arrive.
public final class Observation: Sendable {
    private let list: ObserverList
    private let id: UInt64

    package init(_ list: ObserverList, _ observer: @escaping @Sendable (CallEvent) -> Void) {
        self.list = list
        id = list.add(observer)
    }

    deinit { list.remove(id) }

    public func cancel() { list.remove(id) }
}

/// The observers of a client. Asking whether there are any costs one relaxed load.
package final class ObserverList: Sendable {
    private struct Entry: Sendable {
        let id: UInt64
        let observer: @Sendable (CallEvent) -> Void
    }

    private let entries = Mutex<(next: UInt64, list: [Entry])>((0, []))
    private let count = Atomic<Int>(0)

    package init() {}

    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    fileprivate func add(_ observer: @escaping @Sendable (CallEvent) -> Void) -> UInt64 {
        entries.withLock { entries in
            entries.next += 1
            entries.list.append(Entry(id: entries.next, observer: observer))
            count.store(entries.list.count, ordering: .relaxed)
            return entries.next
        }
    }

    fileprivate func remove(_ id: UInt64) {
        entries.withLock { entries in
            entries.list.removeAll { $0.id == id }
            count.store(entries.list.count, ordering: .relaxed)
        }
    }

    package func send(_ event: CallEvent) {
        // Called outside the lock, so that an observer may add or cancel one.
        for entry in entries.withLock({ $0.list }) { entry.observer(event) }
    }
}

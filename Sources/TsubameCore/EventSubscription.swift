// EventSubscription: a reader of the event stream, and the list of them that a client has.

internal import Synchronization

/// Keeps an observer of a client's calls until it is cancelled or dropped. No event that happens after that is told; an
/// event that another thread is telling at that moment may still arrive.
public final class EventSubscription: Sendable {
    private let list: ObserverList
    private let id: UInt64

    /// - Parameter bodyBytes: how much of each body is told.
    package init(_ list: ObserverList, bodyBytes: Int = 0, _ observer: @escaping @Sendable (CallEvent) -> Void) {
        self.list = list
        id = list.add(observer, bodyBytes: Swift.max(bodyBytes, 0))
    }

    deinit { list.remove(id) }

    /// Tells no more; can be called more than once.
    public func cancel() { list.remove(id) }
}

/// The observers of a client. Asking whether there are any costs one relaxed load.
package final class ObserverList: Sendable {
    private struct Entry: Sendable {
        let id: UInt64
        let bodyBytes: Int
        let observer: @Sendable (CallEvent) -> Void
    }

    private let entries = Mutex<(next: UInt64, list: [Entry])>((0, []))
    private let count = Atomic<Int>(0)
    private let mostBodyBytes = Atomic<Int>(0)

    package init() {}

    /// As much of each body as the most curious observer wants.
    package var bodyBytes: Int { mostBodyBytes.load(ordering: .relaxed) }

    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    fileprivate func add(_ observer: @escaping @Sendable (CallEvent) -> Void, bodyBytes: Int) -> UInt64 {
        entries.withLock { entries in
            entries.next += 1
            entries.list.append(Entry(id: entries.next, bodyBytes: bodyBytes, observer: observer))
            note(entries.list)
            return entries.next
        }
    }

    fileprivate func remove(_ id: UInt64) {
        entries.withLock { entries in
            entries.list.removeAll { $0.id == id }
            note(entries.list)
        }
    }

    private func note(_ list: [Entry]) {
        count.store(list.count, ordering: .relaxed)
        mostBodyBytes.store(list.map(\.bodyBytes).max() ?? 0, ordering: .relaxed)
    }

    package func send(_ event: CallEvent) {
        // Called outside the lock, so that an observer may add or cancel one.
        for entry in entries.withLock({ $0.list }) {
            if let event = event.limited(to: entry.bodyBytes) { entry.observer(event) }
        }
    }
}

extension CallEvent {
    /// For an observer that wants so much of each body: nil if it asks for none.
    fileprivate func limited(to bodyBytes: Int) -> CallEvent? {
        switch kind {
        case .requestBody(let body):
            bodyBytes > 0 ? CallEvent(call: call, time: time, kind: .requestBody(body.slice(0..<bodyBytes))) : nil
        case .responseBody(let body):
            bodyBytes > 0 ? CallEvent(call: call, time: time, kind: .responseBody(body.slice(0..<bodyBytes))) : nil
        default: self
        }
    }
}

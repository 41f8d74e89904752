// EventSubscription: one observer of a client's events, and the list of all its observers.

internal import Synchronization

/// Keeps an observer of a client's calls until the subscription is cancelled or released. The observer receives no
/// event that happens later. An event that another thread is delivering at that moment may still arrive.
public final class EventSubscription: Sendable {
    private let list: ObserverList
    private let id: UInt64

    /// - Parameter bodyBytes: the number of bytes of each body that the observer receives.
    package init(_ list: ObserverList, bodyBytes: Int = 0, _ observer: @escaping @Sendable (CallEvent) -> Void) {
        self.list = list
        id = list.add(observer, bodyBytes: Swift.max(bodyBytes, 0))
    }

    deinit { list.remove(id) }

    /// Stops the events. It can be called more than once.
    public func cancel() { list.remove(id) }
}

/// The observers of a client. The check whether there are any costs one relaxed load.
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

    /// The largest number of bytes of a body that any observer asks for.
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
        // An observer goes after the lock, since it may own another subscription of this list.
        let removed = entries.withLock { entries in
            let before = entries.list
            entries.list.removeAll { $0.id == id }
            note(entries.list)
            return before
        }
        withExtendedLifetime(removed) {}
    }

    private func note(_ list: [Entry]) {
        count.store(list.count, ordering: .relaxed)
        mostBodyBytes.store(list.map(\.bodyBytes).max() ?? 0, ordering: .relaxed)
    }

    /// Delivers an event that is no part of a body. An event is large, so none is copied here.
    package func send(_ event: CallEvent) {
        // Observers are called outside the lock, so that an observer may add or cancel another one.
        for entry in entries.withLock({ $0.list }) { entry.observer(event) }
    }

    /// Delivers a part of a body to the observers that ask for so many bytes.
    package func send(body event: CallEvent) {
        for entry in entries.withLock({ $0.list }) where entry.bodyBytes > 0 {
            if let event = event.limited(to: entry.bodyBytes) { entry.observer(event) }
        }
    }
}

extension CallEvent {
    /// The event cut to the first `bodyBytes` of a body. It is nil for a body event that begins after them.
    fileprivate func limited(to bodyBytes: Int) -> CallEvent? {
        let kind: Kind
        switch self.kind {
        case .requestBody(_, let offset) where offset >= bodyBytes: return nil
        case .responseBody(_, let offset) where offset >= bodyBytes: return nil
        case .requestBody(let body, let offset):
            kind = .requestBody(body.part(0..<bodyBytes - offset), at: offset)
        case .responseBody(let body, let offset):
            kind = .responseBody(body.part(0..<bodyBytes - offset), at: offset)
        default: return self
        }
        return CallEvent(call: call, time: time, kind: kind)
    }
}

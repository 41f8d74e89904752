// Log: a list of events in order, from any thread.

import Synchronization
import Tsubame

/// A list to which any thread may add.
final class Log<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    func add(_ element: Element) { list.withLock { $0.append(element) } }

    var all: [Element] { list.withLock { $0 } }
}

extension Log where Element == CallEvent {
    /// The reasons of decisions against an action.
    var decisions: [String] {
        all.compactMap { if case .decision(let why) = $0.kind { why } else { nil } }
    }

    /// The decisions of the cache.
    var cachings: [String] {
        all.compactMap { if case .caching(let what) = $0.kind { what } else { nil } }
    }

    /// The reasons why requests were sent again.
    var resendings: [String] {
        all.compactMap { if case .resending(_, let why, _) = $0.kind { why.description } else { nil } }
    }

    /// The last events of calls.
    var ends: [CallEvent.Kind] { all.map(\.kind).filter(\.isFinal) }
}

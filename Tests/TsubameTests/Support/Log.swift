// What happened, in order, from any thread.

import Synchronization
import Tsubame

/// A list that anyone may add to.
final class Log<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    func add(_ element: Element) { list.withLock { $0.append(element) } }

    var all: [Element] { list.withLock { $0 } }
}

extension Log where Element == CallEvent {
    /// Why something was decided against.
    var decisions: [String] {
        all.compactMap { if case .decision(let why) = $0.kind { why } else { nil } }
    }

    /// What the cache decided.
    var cachings: [String] {
        all.compactMap { if case .caching(let what) = $0.kind { what } else { nil } }
    }

    /// Why something was sent again.
    var resendings: [String] {
        all.compactMap { if case .resending(_, let why, _) = $0.kind { why.description } else { nil } }
    }

    /// The last events of calls.
    var ends: [CallEvent.Kind] { all.map(\.kind).filter(\.isFinal) }
}

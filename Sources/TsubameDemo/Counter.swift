// Counter: a number that any thread can increase.

import Synchronization

final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    /// - Returns: the new value.
    @discardableResult
    func increase() -> Int { count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}

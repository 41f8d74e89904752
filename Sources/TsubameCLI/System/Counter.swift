// Counter: counts from any thread.
#if Tool
import Synchronization

final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    func increase() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

#endif

// AddedInterceptors: interceptors that join the chain of a client after the client was made.

import Synchronization

/// The members that stand innermost in the chain of a client and of its views, just before the transport. The inspector adds its rules
/// here. The check whether there are any costs one relaxed load.
package final class AddedInterceptors: Sendable {
    private let list = Mutex<[any CallInterceptor]>([])
    private let count = Atomic<Int>(0)

    init() {}

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    var current: [any CallInterceptor] { list.withLock { $0 } }

    /// Adds an interceptor, from the next call on. Adding it again changes nothing.
    package func add(_ interceptor: any CallInterceptor) {
        change { list in if !list.contains(where: { $0 === interceptor }) { list.append(interceptor) } }
    }

    /// Removes an interceptor, from the next call on.
    package func remove(_ interceptor: any CallInterceptor) { change { $0.removeAll { $0 === interceptor } } }

    private func change(_ change: (inout [any CallInterceptor]) -> Void) {
        list.withLock { list in
            change(&list)
            count.store(list.count, ordering: .relaxed)
        }
    }
}

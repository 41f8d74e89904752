// WarmedOrigins: where connections were made in advance.

import Synchronization
import TsubameCore

/// The origins to which connections were made in advance, on their home loops. Their number is the caller's own.
final class WarmedOrigins: Sendable {
    private let keys = Mutex<Set<ConnectionKey>>([])
    private let isEmpty = Atomic(true)

    func note(_ key: ConnectionKey) {
        isEmpty.store(false, ordering: .relaxed)
        keys.withLock { _ = $0.insert(key) }
    }

    @inline(__always)
    func includes(_ key: ConnectionKey) -> Bool {
        !isEmpty.load(ordering: .relaxed) && keys.withLock { $0.contains(key) }
    }
}

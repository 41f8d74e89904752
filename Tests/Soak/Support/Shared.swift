// Shared: a value that many tasks change.

import Synchronization

final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    @discardableResult
    func change<R: Sendable>(_ body: @Sendable (inout Value) -> R) -> R { state.withLock { body(&$0) } }
}

extension Shared<Int> {
    /// The value, which then grows by one.
    func next() -> Int {
        change { value in
            defer { value += 1 }
            return value
        }
    }
}

// Values for code of one thread, with the names of Swift's module Synchronization. They have no lock. Code that compiles with them
// needs none where WebAssembly has one thread.

public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private final class Storage {
        nonisolated(unsafe) var value: Value

        init(_ value: consuming Value) { self.value = value }
    }

    private let storage: Storage

    public init(_ value: consuming sending Value) { storage = Storage(value) }

    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try body(&storage.value)
    }
}

public enum Ordering {
    case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent
}

public struct Atomic<Value>: ~Copyable, @unchecked Sendable {
    private final class Storage {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    public init(_ value: Value) { storage = Storage(value) }

    public borrowing func load(ordering: Ordering) -> Value { storage.value }

    public borrowing func store(_ value: Value, ordering: Ordering) { storage.value = value }

    public borrowing func exchange(_ value: Value, ordering: Ordering) -> Value {
        defer { storage.value = value }
        return storage.value
    }
}

extension Atomic where Value: Equatable {
    public borrowing func compareExchange(
        expected: Value, desired: Value, ordering: Ordering
    ) -> (exchanged: Bool, original: Value) {
        let original = storage.value
        if original == expected { storage.value = desired }
        return (original == expected, original)
    }
}

extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    public borrowing func wrappingAdd(_ value: Value, ordering: Ordering) -> (oldValue: Value, newValue: Value) {
        let old = storage.value
        storage.value = old &+ value
        return (old, storage.value)
    }
}

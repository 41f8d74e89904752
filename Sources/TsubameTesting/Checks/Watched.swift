// Watched: a value behind a lock, with waiters that resume once a condition on the value is met.

internal import Synchronization

/// An error: an event that a test waited for did not happen in time.
public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
    /// The event, the duration of the wait, and the events so far.
    public let description: String
}

/// Every wait in this module is built on this type: no wait polls, and no wait can miss a change. The one exception is
/// ``LeakCheck``, which asks again and again, because a client does not report when a connection falls idle.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let id: UInt64
        let isMet: @Sendable (Value) -> Bool
        let resume: @Sendable (_ isMet: Bool) -> Void
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    func read<R: Sendable>(_ body: (Value) -> R) -> R { state.withLock { body($0.value) } }

    /// Changes the value, then resumes the waiters whose condition the new value meets, longest waiting first.
    @discardableResult
    func change<R: Sendable>(_ body: (inout Value) -> R) -> R {
        let (result, met) = state.withLock { state -> (R, [Waiter]) in
            let result = body(&state.value)
            guard !state.waiters.isEmpty else { return (result, []) }
            let value = state.value
            let met = state.waiters.filter { $0.isMet(value) }
            if !met.isEmpty { state.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } } }
            return (result, met)
        }
        // Outside the lock, so that a resumed waiter may change the value at once.
        for waiter in met { waiter.resume(true) }
        return result
    }

    private func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// - Returns: whether the waiter waits; false if its condition is met already.
    @discardableResult
    private func add(_ waiter: Waiter) -> Bool {
        let isMet = state.withLock { state in
            if waiter.isMet(state.value) { return true }
            state.waiters.append(waiter)
            return false
        }
        if isMet { waiter.resume(true) }
        return !isMet
    }

    private func drop(_ id: UInt64) {
        let dropped = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        dropped?.resume(false)
    }

    /// Calls `then` once, on the thread whose change meets the condition, or at once if the condition is met.
    /// - Returns: a closure that ends the waiting; `then` is not called afterwards.
    func whenever(
        _ isMet: @escaping @Sendable (Value) -> Bool, then: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let id = newID()
        add(Waiter(id: id, isMet: isMet) { if $0 { then() } })
        return { self.drop(id) }
    }

    /// Waits until the condition is met.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws(CancellationError) {
        if await !meets(isMet, newID()) { throw CancellationError() }
    }

    /// Waits until the condition is met, but no longer than `time`.
    /// - Parameters:
    ///   - what: the awaited event, for the error.
    ///   - seen: says how far the value has come, for the error.
    /// - Throws: ``WaitTimeout``, `CancellationError`.
    func wait(
        within time: Duration, for what: @autoclosure () -> String, seen: (Value) -> String,
        until isMet: @escaping @Sendable (Value) -> Bool
    ) async throws {
        let id = newID()
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        let isMet = await meets(isMet, id) {
            timer = Task {
                try await Task.sleep(for: time)
                self.drop(id)
            }
        }
        if isMet { return }
        try Task.checkCancellation()
        throw WaitTimeout(description: "waited \(time) for \(what()); so far: \(read(seen))")
    }

    /// Waits until the condition is met or ``drop(_:)`` ends the waiting.
    /// - Parameter added: called once the waiter can be dropped, unless the condition is met at once.
    /// - Returns: whether the condition was met.
    private func meets(
        _ isMet: @escaping @Sendable (Value) -> Bool, _ id: UInt64, added: () -> Void = {}
    ) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = add(Waiter(id: id, isMet: isMet) { continuation.resume(returning: $0) })
                if waits { added() }
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { drop(id) }
            }
        } onCancel: {
            drop(id)
        }
    }
}

// RunningCalls: the running calls of a client.

import Synchronization
import TsubameCore

/// Counts the running calls, waits for their end, and cancels them.
final class RunningCalls: Sendable {
    private struct State: Sendable {
        /// The calls by the last bits of their ids. Ids count up, so the calls spread evenly. This costs less than a hash
        /// of each call that begins and ends.
        private var buckets: [[Call]] = Array(repeating: [], count: 64)
        private(set) var count = 0
        var isClosed = false
        var waiters: [UnsafeContinuation<Void, Never>] = []

        /// Whether each call that still runs is cancelled and in the caller's closure, which only the caller can end.
        var isDrained: Bool { count == 0 || calls.allSatisfy { $0.isInClosure && $0.isCancelled } }

        var calls: [Call] { buckets.flatMap { $0 } }

        mutating func insert(_ call: Call) {
            buckets[Self.bucket(of: call)].append(call)
            count += 1
        }

        mutating func remove(_ call: Call) {
            if Self.remove(call, from: &buckets[Self.bucket(of: call)]) { count -= 1 }
        }

        /// - Returns: whether the call was there.
        private static func remove(_ call: Call, from bucket: inout [Call]) -> Bool {
            guard let index = bucket.lastIndex(where: { $0 === call }) else { return false }
            if index < bucket.count - 1 { bucket.swapAt(index, bucket.count - 1) }
            bucket.removeLast()
            return true
        }

        private static func bucket(of call: Call) -> Int { Int(truncatingIfNeeded: call.id) & 63 }

        mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard !waiters.isEmpty, isDrained else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func begin(_ call: Call) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.insert(call)
            return true
        }
    }

    func end(_ call: Call) {
        let waiters = state.withLock { state in
            state.remove(call)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() { state.withLock { $0.isClosed = true } }

    func cancelAll() {
        for call in state.withLock({ $0.calls }) { call.cancel() }
        let waiters = state.withLock { $0.takeWaiters() }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no call runs, except cancelled calls whose caller's closure still runs.
    func drained() async {
        await withUnsafeContinuation { continuation in
            let waiters = state.withLock { state in
                state.waiters.append(continuation)
                return state.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Waits in the same way, but cancels the calls after `time`.
    func drain(for time: Duration, clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await clock.sleep(for: time)
                if !Task.isCancelled { self.cancelAll() }
            }
            await drained()
            group.cancelAll()
        }
    }
}

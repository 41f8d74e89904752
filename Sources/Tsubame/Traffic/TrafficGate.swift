// TrafficGate: delays exchanges until a traffic policy allows them.

import Synchronization
import TsubameCore
import TsubamePlatform

/// Counts the exchanges of all calls that share a policy. Waiting calls are served by priority, and then in order of
/// arrival.
final class TrafficGate: Sendable {
    private struct Waiter {
        let host: String
        let priority: Int
        let latch: Latch<Bool>
    }

    private struct State {
        var running = 0
        var runningByHost: [String: Int] = [:]
        /// The waiting calls, in the order in which they are served.
        var waiting: [Waiter] = []
        /// When the rate allows the next request to a host, measured by the clock from the gate's creation.
        var nextByHost: [String: Duration] = [:]
    }

    private let problem: String?
    private let calls: Int
    private let callsPerHost: Int
    private let rate: TrafficPolicy.Rate?
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    init(_ policy: TrafficPolicy, clock: any Clock<Duration>) {
        problem = policy.problem
        calls = policy.calls ?? .max
        callsPerHost = policy.callsPerHost ?? .max
        rate = policy.rate
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// The number of calls that wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Returns when an exchange with the host may begin. Each successful call needs a later ``leave(_:)``.
    func enter(_ host: String, priority: Int) async throws {
        if let problem { throw CallError(.invalidRequest, problem, advice: "allow at least 1, or leave it unset") }
        try await takePlace(host, priority)
        do {
            try await keepRate(host)
        } catch {
            leave(host)
            throw error
        }
    }

    /// Ends an exchange with the host.
    func leave(_ host: String) {
        let next = state.withLock { state in
            state.running -= 1
            let left = (state.runningByHost[host] ?? 1) - 1
            state.runningByHost[host] = left > 0 ? left : nil
            return admit(&state)
        }
        next?.settle(true)
    }

    /// Admits the first waiting call that the limits allow.
    private func admit(_ state: inout State) -> Latch<Bool>? {
        guard state.running < calls,
            let index = state.waiting.firstIndex(where: { state.runningByHost[$0.host, default: 0] < callsPerHost })
        else { return nil }
        let waiter = state.waiting.remove(at: index)
        state.running += 1
        state.runningByHost[waiter.host, default: 0] += 1
        return waiter.latch
    }

    private func takePlace(_ host: String, _ priority: Int) async throws {
        let latch = Latch<Bool>()
        let isFree = state.withLock { state in
            if state.running < calls, state.runningByHost[host, default: 0] < callsPerHost {
                state.running += 1
                state.runningByHost[host, default: 0] += 1
                return true
            }
            let index = state.waiting.firstIndex { $0.priority < priority } ?? state.waiting.endIndex
            state.waiting.insert(Waiter(host: host, priority: priority, latch: latch), at: index)
            return false
        }
        if isFree { return }
        let isAdmitted = await withTaskCancellationHandler {
            await latch.wait() ?? false
        } onCancel: {
            // A waiter that is no longer in the list was admitted just now. It gives up its place below.
            let wasWaiting = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.latch === latch }) else { return false }
                state.waiting.remove(at: index)
                return true
            }
            if wasWaiting { latch.settle(false) }
        }
        guard isAdmitted else { throw CancellationError() }
        // The call was cancelled just after it was admitted.
        if Task.isCancelled {
            leave(host)
            throw CancellationError()
        }
    }

    /// Waits by the generic cell rate algorithm: each request moves the time of the next one.
    private func keepRate(_ host: String) async throws {
        guard let rate else { return }
        let step = rate.interval / rate.requests
        let now = elapsed()
        let wait = state.withLock { state -> Duration in
            let due = max(state.nextByHost[host] ?? now, now)
            state.nextByHost[host] = due + step
            if state.nextByHost.count > 1000 {
                state.nextByHost = state.nextByHost.filter { $0.value > now }
            }
            return due - now - step * (rate.burst - 1)
        }
        guard wait > .zero else { return }
        do {
            try await clock.sleep(for: wait)
        } catch {
            // Nothing was sent, so another request may use this turn.
            state.withLock { state in
                if let next = state.nextByHost[host] { state.nextByHost[host] = next - step }
            }
            throw error
        }
    }
}

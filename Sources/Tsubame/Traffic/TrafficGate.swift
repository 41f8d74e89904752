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
        let wait: CallWait<Void>
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
    /// nil for real time.
    private let clock: (any Clock<Duration>)?
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    init(_ policy: TrafficPolicy, clock: any Clock<Duration>) {
        problem = policy.problem
        calls = policy.calls ?? .max
        callsPerHost = policy.callsPerHost ?? .max
        rate = policy.rate
        self.clock = clock is ContinuousClock ? nil : clock
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// The number of calls that wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Returns when an exchange with the host may begin. Each successful call needs a later ``leave(_:)``.
    func enter(_ host: String, priority: Int, _ call: Call) async throws(CallError) {
        if let problem { throw CallError(.invalidRequest, problem, advice: "allow at least 1, or leave it unset") }
        try await takePlace(host, priority, call)
        do throws(CallError) {
            try await keepRate(host, call)
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
        next?.settle(())
    }

    /// Admits the first waiting call that the limits allow.
    private func admit(_ state: inout State) -> CallWait<Void>? {
        guard state.running < calls,
            let index = state.waiting.firstIndex(where: { state.runningByHost[$0.host, default: 0] < callsPerHost })
        else { return nil }
        let waiter = state.waiting.remove(at: index)
        state.running += 1
        state.runningByHost[waiter.host, default: 0] += 1
        return waiter.wait
    }

    private func takePlace(_ host: String, _ priority: Int, _ call: Call) async throws(CallError) {
        let wait = state.withLock { state -> CallWait<Void>? in
            if state.running < calls, state.runningByHost[host, default: 0] < callsPerHost {
                state.running += 1
                state.runningByHost[host, default: 0] += 1
                return nil
            }
            let wait = CallWait<Void>(.preparing)
            let index = state.waiting.firstIndex { $0.priority < priority } ?? state.waiting.endIndex
            state.waiting.insert(Waiter(host: host, priority: priority, wait: wait), at: index)
            return wait
        }
        guard let wait else { return }
        do throws(CallError) {
            try await wait.value(for: call)
        } catch {
            // A waiter that is no longer in the list was admitted just now, and gives up its place.
            let wasWaiting = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.wait === wait }) else { return false }
                state.waiting.remove(at: index)
                return true
            }
            if !wasWaiting { leave(host) }
            throw error
        }
    }

    /// Waits by the generic cell rate algorithm: each request moves the time of the next one.
    private func keepRate(_ host: String, _ call: Call) async throws(CallError) {
        guard let rate else { return }
        // Within these bounds no product of durations overflows.
        let step = min(rate.interval, .seconds(1_000_000_000)) / rate.requests
        let burst = min(rate.burst, 1_000_000_000)
        let now = elapsed()
        let (wait, next) = state.withLock { state in
            let due = max(state.nextByHost[host] ?? now, now)
            state.nextByHost[host] = due + step
            if state.nextByHost.count > 1000 {
                state.nextByHost = state.nextByHost.filter { $0.value > now }
            }
            return (due - now - step * (burst - 1), due + step)
        }
        guard wait > .zero else { return }
        do throws(CallError) {
            try await CallDelay.wait(wait, on: clock, for: call, .preparing)
        } catch {
            // Nothing was sent, so another request may use this turn. If later requests wait already, they keep their times,
            // and the turn is lost.
            state.withLock { state in
                if state.nextByHost[host] == next { state.nextByHost[host] = next - step }
            }
            throw error
        }
    }
}

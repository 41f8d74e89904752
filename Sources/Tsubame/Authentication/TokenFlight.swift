// TokenFlight: one fetch of a token, and the calls that wait for it.

import Synchronization
import TsubameCore
import TsubamePlatform

final class TokenFlight: Sendable {
    private typealias Wait = CallWait<Result<AccessToken, CallError>>

    private struct State: Sendable {
        var result: Result<AccessToken, CallError>?
        var waits: [UInt64: Wait] = [:]
        var alarm: Alarm?
    }

    private let state = Mutex(State())

    /// Keeps the alarm of the fetch's timeout until the fetch has ended.
    func keep(_ alarm: Alarm) {
        state.withLock { state in
            if state.result == nil { state.alarm = alarm }
        }
    }

    /// Ends the fetch. Only the first result counts.
    func land(_ result: Result<AccessToken, CallError>) {
        let waits = state.withLock { state -> [Wait] in
            guard state.result == nil else { return [] }
            state.result = result
            state.alarm = nil
            defer { state.waits = [:] }
            return Array(state.waits.values)
        }
        for wait in waits { wait.settle(result) }
    }

    /// Returns the token. A call that is cancelled or reaches its deadline stops waiting; the others wait on.
    func wait(_ call: Call) async throws(CallError) -> AccessToken {
        let wait = Wait()
        // `land` finds no wait that is over.
        defer { state.withLock { $0.waits[call.id] = nil } }
        let result = try await wait.value(for: call, .authenticating) {
            let landed = state.withLock { state in
                if state.result == nil { state.waits[call.id] = wait }
                return state.result
            }
            if let landed { wait.settle(landed) }
        }
        return try result.get()
    }
}

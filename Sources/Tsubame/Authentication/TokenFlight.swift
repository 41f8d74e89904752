// TokenFlight: one fetch of a token, and the calls that wait for it.

import Synchronization
import TsubameCore
import TsubamePlatform

final class TokenFlight: Sendable {
    private typealias Wait = CallWait<Result<AccessToken, CallError>>

    private struct State: Sendable {
        var result: Result<AccessToken, CallError>?
        var waits: [ObjectIdentifier: Wait] = [:]
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
        // An interceptor may send twice at once in one call.
        let wait = Wait(.authenticating)
        let key = ObjectIdentifier(wait)
        // `land` finds no wait that is over.
        defer { state.withLock { $0.waits[key] = nil } }
        let result = try await wait.value(for: call) {
            let landed = state.withLock { state in
                if state.result == nil { state.waits[key] = wait }
                return state.result
            }
            if let landed { wait.settle(landed) }
        }
        return try result.get()
    }
}

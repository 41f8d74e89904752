// RunInterruption: ends a run of files by Ctrl-C, after its reports are written.

import Synchronization

/// The first signal stops the requests. The outcomes so far are printed and reported. A second one ends the process.
final class RunInterruption: Sendable {
    private struct State {
        var signal: Int32?
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `body`, and cancels it when a signal has come.
    func watching<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let work = Task { try await body() }
        state.withLock { $0.cancel = { work.cancel() } }
        return try await work.value
    }

    /// Takes a signal. The caller observes them until the process ends.
    func stop(by number: Int32) {
        let cancel = state.withLock { state in
            let isFirst = state.signal == nil
            state.signal = number
            return isFirst ? state.cancel : nil
        }
        if let cancel { cancel() } else { EndSignals.endAsInterrupted(by: number) }
    }

    /// Ends the process as the signal does, if one came.
    func endProcess() {
        if let number = state.withLock({ $0.signal }) { EndSignals.endAsInterrupted(by: number) }
    }
}

// CallLifecycle: the life of a call, the same for every way to send, for background calls and for warming up.

import TsubameCore

/// Begins a call, runs its work, and ends it. Each call that has begun has exactly one last event.
struct CallLifecycle: Sendable {
    let runningCalls: RunningCalls

    /// The text for a request with an escaped slash in its path.
    static let slashNote =
        "a value in the path contains a slash, which was escaped as %2F; give a path of several "
        + "segments as path:"

    /// Runs one call.
    /// - Parameters:
    ///   - request: the request for an error that names none.
    ///   - lastEvent: the last event of a call whose work has succeeded.
    /// - Throws: the error of the work, or ``CallError/Kind/cancelled`` if the client is closed.
    @inline(__always)
    func run<T: Sendable>(
        _ call: Call, request: () -> Request, lastEvent: (T) -> CallEvent.Kind,
        _ work: () async throws(CallError) -> T
    ) async throws(CallError) -> T {
        try begin(call)
        if call.isObserved, call.request.escapesSlash { call.emit(.decision(Self.slashNote)) }
        return try await complete(call, request: request, lastEvent: lastEvent, work)
    }

    /// Begins a call now, and runs it in a task of its own. Its events tell how it ends.
    /// - Throws: ``CallError/Kind/cancelled`` if the client is closed. The work then does not run.
    func start<T: Sendable>(
        _ call: Call, lastEvent: @escaping @Sendable (T) -> CallEvent.Kind,
        _ work: @escaping @Sendable () async throws(CallError) -> T
    ) throws(CallError) {
        try begin(call)
        // A detached task inherits no task-local values of the call that caused this one.
        Task.detached {
            _ = try? await complete(call, request: { call.request }, lastEvent: lastEvent, work)
        }
    }

    private func begin(_ call: Call) throws(CallError) {
        guard runningCalls.begin(call) else {
            throw CallError(
                .cancelled, "the client is closed", phase: .preparing, advice: "make a new one", request: call.request)
        }
        call.emit(.started(call.request))
    }

    /// Runs the work of a call that has begun, and ends the call. The work does not run on the caller's actor.
    @inline(__always)
    private func complete<T: Sendable>(
        _ call: Call, request: () -> Request, lastEvent: (T) -> CallEvent.Kind,
        _ work: () async throws(CallError) -> T
    ) async throws(CallError) -> T {
        do {
            let value = try await withTaskCancellationHandler(
                operation: {
                    let value = try await work()
                    if call.isObserved { await call.settle() }
                    call.finish(lastEvent(value))
                    return value
                }, onCancel: { call.cancel() }, isolation: nil)
            runningCalls.end(call)
            return value
        } catch {
            throw await fail(call, error, request: request)
        }
    }

    /// Ends a failed call, and returns the error to throw.
    @inline(never)
    private func fail(_ call: Call, _ error: any Error, request: () -> Request) async -> CallError {
        if call.isObserved { await call.settle() }
        let error = error as? CallError ?? CallError(.interceptor, "\(error)", underlying: error)
        let whole = error.with(request: error.request == nil ? request() : nil, attempts: call.exchanges)
        // A caller may keep the error, which must not hold a connection open.
        whole.response?.body.discard()
        if whole.kind == .cancelled { call.finish(.cancelled) } else { call.finish(.failed(whole)) }
        runningCalls.end(call)
        return whole
    }
}

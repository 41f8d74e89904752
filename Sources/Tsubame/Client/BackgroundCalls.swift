// BackgroundCalls: calls without a waiting caller, such as the revalidation of a stale stored response.

import TsubameCore

/// Background calls begin and end like any other call of the client. Observers receive their events, closing the
/// client ends them, and each has the client's own deadlines.
struct BackgroundCalls: Sendable {
    let runningCalls: RunningCalls
    let observers: ObserverList
    let log: CallLog?
    var timeouts: Timeouts
    let limits: Limits
    let sharedFields: PreencodedFields?

    /// - Parameters:
    ///   - isGuarded: whether an interceptor on the way may ignore deadlines.
    ///   - isOver: called when the call has ended. It is also called if the client is closed and the call never
    ///     begins.
    ///   - work: returns the response, with nothing left to read.
    func start(
        _ request: Request, isGuarded: Bool, isOver: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable (Call) async throws(CallError) -> Response
    ) {
        var observer: (@Sendable (CallEvent) -> Void)?
        if let log { observer = { log($0) } }
        let call = Call(
            request, timeouts: timeouts, limits: limits, wantsStream: true, observers: observers,
            observer: observer, isGuarded: isGuarded, sharedFields: sharedFields)
        guard runningCalls.begin(call) else { return isOver() }
        call.emit(.started(call.request))
        let runningCalls = runningCalls
        // A detached task inherits no task-local values of the call that caused this one.
        Task.detached {
            let end: CallEvent.Kind
            do throws(CallError) {
                let response =
                    isGuarded
                    ? try await CallGuard.run(call) { () throws(CallError) in try await work(call) }
                    : try await work(call)
                end = .finished(response)
            } catch {
                let error = error.with(request: call.request, attempts: call.exchanges)
                error.response?.body.discard()
                end = error.kind == .cancelled ? .cancelled : .failed(error)
            }
            isOver()
            if call.isObserved { await call.settle() }
            call.finish(end)
            runningCalls.end(call)
        }
    }
}

// BackgroundCalls: calls that nobody waits for, such as those of a cache that brings a stale response up to date.

import TsubameCore

/// They begin and end like any other call of the client: observers are told of them, closing the client ends them, and
/// each has the client's own deadlines.
struct BackgroundCalls: Sendable {
    let activity: Activity
    let observers: ObserverList
    let log: CallLog?
    var timeouts: Timeouts
    let limits: Limits
    let sharedFields: SharedFields?

    /// - Parameters:
    ///   - isGuarded: whether something on the way knows nothing of deadlines.
    ///   - isOver: called when the call has ended, also if it never began because the client is closed.
    ///   - work: gives the response, with nothing left to read.
    func start(
        _ request: Request, isGuarded: Bool, isOver: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable (Call) async throws(CallError) -> Response
    ) {
        var observer: (@Sendable (CallEvent) -> Void)?
        if let log { observer = { log($0) } }
        let call = Call(
            request, timeouts: timeouts, limits: limits, wantsStream: true, observers: observers,
            observer: observer, isGuarded: isGuarded, sharedFields: sharedFields)
        guard activity.begin(call) else { return isOver() }
        call.emit(.started(call.original))
        let activity = activity
        // Detached: nothing of the call that gave the reason is to be found in it.
        Task.detached {
            let end: CallEvent.Kind
            do throws(CallError) {
                let response =
                    isGuarded
                    ? try await CallGuard.run(call) { () throws(CallError) in try await work(call) }
                    : try await work(call)
                end = .finished(response)
            } catch {
                let error = error.with(request: call.original, attempts: call.exchanges)
                error.response?.body.discard()
                end = error.kind == .cancelled ? .cancelled : .failed(error)
            }
            isOver()
            if call.isObserved { await call.settle() }
            call.finish(end)
            activity.end(call)
        }
    }
}

// BackgroundCalls: calls without a waiting caller, such as the revalidation of a stale stored response.

import TsubameCore

/// Background calls begin and end like any other call of the client. Observers receive their events, closing the
/// client ends them, and each has the client's own deadlines.
struct BackgroundCalls: Sendable {
    let lifecycle: CallLifecycle
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
            request,
            CallOptions(
                timeouts: timeouts, limits: limits, wantsStream: true, isGuarded: isGuarded, sharedFields: sharedFields),
            observers: observers, observer: observer)
        do throws(CallError) {
            try lifecycle.start(call, lastEvent: { .finished($0) }) { () async throws(CallError) -> Response in
                defer { isOver() }
                return isGuarded
                    ? try await CallGuard.run(call) { () throws(CallError) in try await work(call) }
                    : try await work(call)
            }
        } catch {
            isOver()
        }
    }
}

// Interceptor: what stands between a client and the wire. Three kinds; users write hooks and arounds.

/// Something on the way of a request: a ``Hook`` or an ``Around``.
public protocol Interceptor: Sendable {
    /// What `print(client.corridor)` calls it; the type's name unless given.
    var name: String { get }
}

extension Interceptor {
    /// The type's name.
    public var name: String { "\(Self.self)" }
}

/// Changes a message in passing. Synchronous and cheap; for whatever must wait, use an ``Around``.
///
/// ```swift
/// struct Version: Hook {
///     func willSend(_ request: inout Request) { request.headers[.userAgent] = "Viewer/2.0" }
/// }
/// ```
public protocol Hook: Interceptor {
    /// On the way out: may change the request. What it throws ends the call.
    func willSend(_ request: inout Request) throws(CallError)
    /// On the way back: may change the response, whose body may still be coming. What it throws ends the call.
    func didReceive(_ response: inout Response) throws(CallError)
}

extension Hook {
    /// Leaves the request as it is.
    public func willSend(_ request: inout Request) throws(CallError) {}
    /// Leaves the response as it is.
    public func didReceive(_ response: inout Response) throws(CallError) {}
}

/// Wraps the rest of the way: may wait, answer itself, or go on more than once.
///
/// ```swift
/// struct Gate: Around {
///     func intercept(_ request: Request, next: Next) async throws -> Response {
///         try await gate.enter()
///         return try await next(request)
///     }
/// }
/// ```
/// What it throws that is no ``CallError`` is thrown on as ``CallError/Kind/interceptor`` with it as `underlying`.
public protocol Around: Interceptor {
    /// Gives the response: that of `next`, another one, or one of its own.
    func intercept(_ request: Request, next: Next) async throws -> Response
}

/// The rest of the way behind an ``Around``.
public struct Next: Sendable {
    private let proceed: @Sendable (Request) async throws(CallError) -> Response

    package init(_ proceed: @escaping @Sendable (Request) async throws(CallError) -> Response) {
        self.proceed = proceed
    }

    /// Sends the request on; can be called again, for instance to try once more.
    public func callAsFunction(_ request: Request) async throws(CallError) -> Response {
        try await proceed(request)
    }
}

/// A hook that tells a call what it decided. The library's own.
package protocol CallHook: Interceptor {
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError)
}

extension CallHook {
    package func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}
    package func didReceive(_ response: inout Response, _ call: Call) throws(CallError) {}
}

/// Says what happens next; the driver does it. Pure, tested without I/O. The library's own for now.
package protocol Judge: Interceptor {
    /// Whether a request is one that may be sent again.
    func concerns(_ request: borrowing Request) -> Bool
    /// Whether there is anything to judge; most responses need no look at the request they answer.
    func concerns(_ response: borrowing Response) -> Bool
    func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict
    func didFail(_ error: CallError, _ hop: borrowing Hop) -> Verdict
}

extension Judge {
    package func concerns(_ request: borrowing Request) -> Bool { true }
    package func concerns(_ response: borrowing Response) -> Bool { true }
    package func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
    package func didFail(_ error: CallError, _ hop: borrowing Hop) -> Verdict { .proceed }
}

/// What a judge is shown beside the response or the error.
package struct Hop: Sendable {
    /// The request as it passed this judge.
    package let request: Request
    package let call: Call
    /// How often this judge has sent again in this call.
    package let resends: Int

    package init(request: Request, call: Call, resends: Int) {
        self.request = request
        self.call = call
        self.resends = resends
    }
}

/// What happens next.
package enum Verdict: Sendable {
    case proceed
    /// Send this request from here inwards, after a delay; the response so far goes into the history.
    case resend(Request, after: Duration, why: ResendReason)
    /// The same once something has been fetched, such as a token; a throw ends the call.
    case resendWhen(@Sendable () async throws(CallError) -> Request, why: ResendReason)
    /// Go on with the response once something is done; a throw ends the call.
    case wait(@Sendable () async throws(CallError) -> Void)
    /// Keep the response, and tell why it was not acted on.
    case note(String)
    /// Keep the response, or the failure, although it would be sent again: the error of the call says why it was not.
    case giveUp(String)
    case fail(CallError)
}

// MessageHook: an interceptor that changes messages in passing, without waiting.

/// An interceptor that changes messages as they pass. It is synchronous, and must be quick.
///
/// ```swift
/// struct ClientVersion: MessageHook {
///     func willSend(_ request: inout Request) { request.headers[.userAgent] = "Viewer/2.0" }
/// }
/// ```
/// The chain calls ``willSend(_:)`` and ``didReceive(_:)`` directly, and never ``Interceptor/intercept(_:next:)``.
public protocol MessageHook: Interceptor {
    /// Changes the request before it is sent. An error ends the call.
    func willSend(_ request: inout Request) throws(CallError)
    /// Changes the response, whose body may still be arriving. An error ends the call.
    func didReceive(_ response: inout Response) throws(CallError)
}

extension MessageHook {
    /// Leaves the request as it is.
    public func willSend(_ request: inout Request) throws(CallError) {}
    /// Leaves the response as it is.
    public func didReceive(_ response: inout Response) throws(CallError) {}

    /// Calls ``willSend(_:)``, `next` and ``didReceive(_:)``, for code that holds the hook as an ``Interceptor``.
    public func intercept(_ request: Request, next: Next) async throws -> Response {
        var request = request
        try willSend(&request)
        var response = try await next(request)
        try didReceive(&response)
        return response
    }
}

// Interceptor: what stands between a client and the wire. Users write interceptors and message hooks.
//
// Users know two kinds. A `MessageHook` is an interceptor that never waits: its `intercept` follows from its two functions. The
// chain looks once, when it is made, whether an interceptor is a hook, and then calls the two functions directly, without a
// task. Ten hooks cost a call 4,000 instructions, ten other interceptors 7,000 to 9,000.

/// Wraps the rest of the chain: it may wait, answer by itself, or send the request more than once.
///
/// ```swift
/// struct Gate: Interceptor {
///     func intercept(_ request: Request, next: Next) async throws -> Response {
///         try await gate.enter()
///         return try await next(request)
///     }
/// }
/// ```
/// An error that is no ``CallError`` ends the call with kind ``CallError/Kind/interceptor``; the error itself is the
/// `underlying` one. An interceptor that only changes messages and never waits is a ``MessageHook``.
public protocol Interceptor: Sendable {
    /// The name in `print(client.chain)`; the type's name by default.
    var name: String { get }
    /// Returns the response of `next`, another one, or one that the interceptor makes.
    func intercept(_ request: Request, next: Next) async throws -> Response
}

extension Interceptor {
    /// The type's name.
    public var name: String { "\(Self.self)" }
}

/// The rest of the chain after an ``Interceptor``.
public struct Next: Sendable {
    private let proceed: @Sendable (Request) async throws(CallError) -> Response

    package init(_ proceed: @escaping @Sendable (Request) async throws(CallError) -> Response) {
        self.proceed = proceed
    }

    /// Sends the request through the rest of the chain. An interceptor may call it again, for example to try once more.
    /// - Throws: the ``CallError`` of the rest of the chain.
    public func callAsFunction(_ request: Request) async throws(CallError) -> Response {
        try await proceed(request)
    }
}

// CallInterceptor: an asynchronous member of the chain, which is told the call.

package import TsubameCore

/// A member of the chain that waits, answers by itself, or goes on more than once. Every wait of the library's own members ends
/// with the call, by cancellation or by the deadline. So they cost a call no task. ``UserInterceptor`` is the exception.
package protocol CallInterceptor: AnyObject, Sendable {
    /// The name in `print(client.chain)`.
    var name: String { get }
    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response
}

extension CallInterceptor {
    package var name: String { "\(Self.self)" }
}

/// The rest of the chain after a ``CallInterceptor``, for this call or another one.
package struct CallNext: Sendable {
    let chain: InterceptorChain
    let index: Int

    package func callAsFunction(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        try await chain.run(request, from: index, call)
    }
}

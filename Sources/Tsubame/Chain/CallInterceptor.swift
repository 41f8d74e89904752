// CallInterceptor: an interceptor of the library's own, which is told the call.

import TsubameCore

/// Everything that it waits for ends with the call, by cancellation or by the deadline. A call therefore needs no task of
/// its own because of it, as it does with an ``Interceptor``.
protocol CallInterceptor: ChainMember {
    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response
}

/// The rest of the chain after a ``CallInterceptor``, for this call or another one.
struct CallNext: Sendable {
    let chain: InterceptorChain
    let index: Int

    func callAsFunction(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        try await chain.run(request, from: index, call)
    }
}

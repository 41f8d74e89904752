// CallAround: an around of the library's own, which is told the call.

import TsubameCore

/// Whatever it waits for ends with the call: by its cancellation and by its deadline. So a call needs no task of its own
/// because of it, as it does with an ``Around``.
protocol CallAround: Interceptor {
    func intercept(_ request: Request, _ call: Call, next: Onward) async throws(CallError) -> Response
}

/// The rest of the way behind a ``CallAround``, for this call or another one.
struct Onward: Sendable {
    let corridor: Corridor
    let index: Int

    func callAsFunction(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        try await corridor.run(request, from: index, call)
    }
}

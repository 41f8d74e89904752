// OfflineTransport: the transport of `--offline`, which sends nothing.

import Tsubame

/// Reports the request as the engine would, and answers with an empty 200. A streamed body is read and discarded; the
/// printer sees it while it is read.
struct OfflineTransport: PromptTransport {
    func send(_ request: Request, call: Call) async throws(CallError) -> Response {
        call.emit(.sent(request))
        do {
            if case .stream(let open, _) = request.body.content {
                let reader = open()
                while try await reader.next() != nil {}
            }
        } catch {
            throw error as? CallError
                ?? CallError(
                    .requestBody, "the body cannot be read: \(error)", phase: .sendingBody, underlying: error,
                    request: request)
        }
        return Response(status: .ok, request: request)
    }
}

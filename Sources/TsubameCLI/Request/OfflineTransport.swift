// OfflineTransport: `--offline`: takes requests, and sends them nowhere.
#if Tool
import Tsubame

/// Tells of the request as the engine would and answers 200 with nothing. What a body's reader gives goes nowhere; it is
/// printed on its way.
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

#endif

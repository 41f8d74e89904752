// OfflineTransport: the transport of `--offline`, which sends nothing.

import Tsubame

/// Reports the request as the engine would, and answers with an empty 200. A streamed body is read and discarded; the
/// printer sees it while it is read.
struct OfflineTransport: Transport {
    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        exchange.report(.sent(request))
        // The printer reads bytes and files by itself.
        if case .stream = request.body.content, let body = try await exchange.openBody() {
            while try await body.next() != nil {}
        }
        return Response(status: .ok)
    }

    /// Nothing is connected, so that no setting is ignored.
    func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { [] }
}

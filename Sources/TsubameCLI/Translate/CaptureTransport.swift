// CaptureTransport: the transport of `--as`, which keeps the request instead of sending it.

import Synchronization
import Tsubame

/// Keeps the request with all fields, as the network would get it. A streamed body is read, and kept as bytes.
final class CaptureTransport: Transport {
    /// The longest body that is printed, in bytes.
    private static let maximumBody = 16 << 20

    private let captured = Mutex<Request?>(nil)

    var request: Request? { captured.withLock { $0 } }

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        var request = request
        if case .stream = request.body.content, let body = try await exchange.openBody() {
            var bytes: [UInt8] = []
            while let piece = try await body.next() {
                bytes.append(contentsOf: piece)
                guard bytes.count <= Self.maximumBody else {
                    throw CallError(.requestBody, "a body of more than 16 MiB is too long to be printed")
                }
            }
            let type = request.body.contentType
            request.body = .bytes(bytes, contentType: type)
        }
        let kept = request
        captured.withLock { $0 = kept }
        return Response(status: .ok)
    }

    /// Nothing is connected, so that no setting is ignored.
    func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { [] }
}

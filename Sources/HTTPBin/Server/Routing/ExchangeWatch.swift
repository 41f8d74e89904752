// ExchangeWatch: reports the steps of one exchange while its bodies pass.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Only servers with an ``HTTPBin/onExchange`` have one for each exchange.
final class ExchangeWatch: Sendable {
    /// The beginning of a body, and its length so far.
    private struct Beginning: Sendable {
        var bytes: [UInt8] = []
        var count = 0
        /// The length that was reported.
        var told = 0

        mutating func append(_ buffer: ByteBuffer, limit: Int) {
            if count < limit { bytes.append(contentsOf: buffer.readableBytesView.prefix(limit - count)) }
            count += buffer.readableBytes
        }
    }

    private static let last = Atomic<Int>(0)

    private let number = ExchangeWatch.last.wrappingAdd(1, ordering: .relaxed).newValue
    private let connection: Connection
    private let limit: Int
    private let report: @Sendable (ExchangeEvent) -> Void
    private let isOver = Atomic<Bool>(false)
    private let requestBody = Mutex(Beginning())
    /// The bytes of the response's body that were written.
    private let written = Atomic<Int>(0)

    init(_ exchange: Exchange, _ report: @escaping @Sendable (ExchangeEvent) -> Void) {
        connection = exchange.connection
        limit = exchange.settings.recordLimit
        self.report = report
        let head = exchange.request.head
        let authority = head.authority.map { [RequestRecord.Field(name: "Host", value: $0)] } ?? []
        tell(
            .request(
                method: head.method.rawValue, url: "\(exchange.scheme)://\(exchange.host)\(head.path ?? "/")",
                version: connection.isStream ? "HTTP/2" : "HTTP/1.1",
                fields: authority + Self.fields(head.headerFields)))
    }

    /// The response was never written.
    deinit { if !isOver.load(ordering: .relaxed) { tell(.failed("the client closed the connection")) } }

    private func tell(_ step: ExchangeEvent.Step) {
        let address = connection.channel.remoteAddress
        let peer = address.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? ""
        report(ExchangeEvent(exchange: number, connection: connection.number, peer: peer, step: step))
    }

    private static func fields(_ fields: HTTPFields) -> [RequestRecord.Field] {
        fields.map { RequestRecord.Field(name: $0.name.rawName, value: $0.value) }
    }

    /// The request, whose body is reported as far as an endpoint reads it.
    func watching(_ request: Request) -> Request {
        var request = request
        let body = request.body
        request.body = RequestBody(
            asyncSequence: body.map { [self] buffer in
                requestBody.withLock { $0.append(buffer, limit: limit) }
                return buffer
            })
        return request
    }

    private func tellRequestBody() {
        let body = requestBody.withLock { body in
            defer { body.told = body.count }
            return body
        }
        if body.count > body.told { tell(.requestBody(body.bytes, count: body.count)) }
    }

    /// The response, whose body is reported while it is written.
    func watching(_ response: Response) -> Response {
        var response = response
        let body = response.body
        tellRequestBody()
        tell(.response(status: response.status.code, fields: Self.fields(response.headers)))
        response.body = ResponseBody(contentLength: body.contentLength) { [self] writer in
            do {
                let watched = body.map { [self] buffer in
                    wrote(buffer)
                    return buffer
                }
                try await watched.write(writer)
                // An endpoint may read and write at once.
                tellRequestBody()
                isOver.store(true, ordering: .relaxed)
                tell(.ended)
            } catch {
                failed(error)
                throw error
            }
        }
        return response
    }

    private func wrote(_ buffer: ByteBuffer) {
        let (before, count) = written.add(buffer.readableBytes, ordering: .relaxed)
        tell(.responseBody(Array(buffer.readableBytesView.prefix(max(limit - before, 0))), count: count))
    }

    func failed(_ error: any Error) {
        isOver.store(true, ordering: .relaxed)
        tell(.failed(error is Connection.PeerLeft ? "the client closed the connection" : "\(error)"))
    }
}

#endif

// Response: what came back.

public import HTTPTypes

/// The answer to a request. Any status is an answer; asking for a value of it (`json`, `text`, …) throws unless the
/// status is accepted.
public struct Response: Sendable {
    /// 200, 404, …
    public let statusCode: Int
    private let statusReason: String?
    /// The fields, read lazily. Of a decoded body, Content-Encoding and Content-Length have been removed:
    /// see ``wire``.
    public var headers: ReceivedFields
    /// The body: whole after `send`, still coming in the closure of `stream`.
    public var body: ReceivedBody
    package var details: ResponseDetails

    package init(head: ReceivedHead, body: ReceivedBody, details: ResponseDetails) {
        statusCode = head.status
        statusReason = nil
        headers = ReceivedFields(head, redaction: details.request.ownRedaction)
        self.body = body
        self.details = details
    }

    /// What a cache answers.
    package init(statusCode: Int, headers: HTTPFields, body: ReceivedBody, details: ResponseDetails) {
        self.statusCode = statusCode
        statusReason = nil
        self.headers = ReceivedFields(headers, redaction: details.request.ownRedaction)
        self.body = body
        self.details = details
    }

    /// A response made by hand, as by a stub or an interceptor that answers itself.
    public init(
        status: HTTPResponse.Status, headers: HTTPFields = [:], body: Bytes = Bytes(), request: Request? = nil
    ) {
        statusCode = status.code
        statusReason = status.reasonPhrase
        self.headers = ReceivedFields(headers, redaction: request?.ownRedaction)
        self.body = ReceivedBody(body)
        details = ResponseDetails(
            head: nil, request: request ?? Request(.get, uri: .unknown), connection: nil, timings: Timings(),
            history: [], trailers: nil)
    }

    /// The status with the reason phrase that was received.
    public var status: HTTPResponse.Status {
        let code = Swift.min(Swift.max(statusCode, 0), 999)
        return HTTPResponse.Status(code: code, reasonPhrase: statusReason ?? details.head?.reason ?? "")
    }

    /// The status as a sentence has it: with the phrase that was received, or else, as over HTTP/2, with the usual one.
    package var statusWords: String {
        let received = status.reasonPhrase
        let phrase = received.isEmpty ? HTTPResponse.Status(integerLiteral: status.code).reasonPhrase : received
        return phrase.isEmpty ? "\(statusCode)" : "\(statusCode) \(phrase)"
    }

    /// The version that the answer came in; nil for one that did not come over a connection.
    public var version: HTTPVersion? { details.head?.version }

    /// The body, once it has been collected; empty for a response that is still being streamed.
    public var bytes: Bytes { body.bytes ?? Bytes() }

    /// The request as it was sent for this response: after redirects, the last one.
    public var request: Request { details.request }

    /// The responses before this one: redirects and challenges, oldest first.
    public var history: [Response] { details.history }

    /// The connection that carried it; nil for a stub.
    public var connection: ConnectionInfo? { details.connection }

    /// When each part was done.
    public var timings: Timings { details.timings }

    /// The fields as received, before any decoding.
    public var wire: ReceivedFields {
        let redaction = details.request.ownRedaction
        return details.head.map { ReceivedFields($0, redaction: redaction) }
            ?? details.storedFields.map { ReceivedFields($0, redaction: redaction) } ?? headers
    }

    /// The trailer fields, once the body has been read (RFC 9110 section 6.5). Never merged into ``headers``.
    public var trailers: HTTPFields? { details.trailers?.fields }

    /// Whether the status is one that the request accepts.
    public var isAccepted: Bool { details.request.acceptedStatuses.contains(status) }

    /// Whether nobody has said yet which request it answers.
    package var isHandMade: Bool { details.request.uri == .unknown }

    /// The same response with its body in memory.
    package func with(collected bytes: Bytes) -> Response {
        var copy = self
        copy.body = ReceivedBody(bytes)
        return copy
    }

    /// The beginning of a collected text body, on one line, for error texts.
    var excerpt: String? {
        guard let bytes = body.bytes, bytes.count > 0 else { return nil }
        let head = bytes.slice(0..<300)
        guard let text = head.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            return "the answer's body: \(bytes.count) bytes"
        }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "the answer: \(Redaction.printable(line))\(bytes.count > 300 ? " …" : "")"
    }
}

/// What a response knows beside status, fields and body, in one object.
package final class ResponseDetails: Sendable {
    package let head: ReceivedHead?
    package let request: Request
    package let connection: ConnectionInfo?
    package let timings: Timings
    package let history: [Response]
    package let trailers: TrailerBox?
    /// The charset of a text that does not name one, as the client has it; nil for UTF-8.
    package let charset: String?
    /// How much of a body is collected, as the client has it.
    package let bufferedBody: Int
    /// How JSON is read, as the client has it; nil for Foundation's defaults.
    package let json: (any Sendable)?
    /// The fields of an answer that a cache made, before any decoding.
    package let storedFields: HTTPFields?
    /// Why the request was not sent again although its retry policy says so.
    package let retryObstacle: String?

    package init(
        head: ReceivedHead?, request: Request, connection: ConnectionInfo?, timings: Timings, history: [Response],
        trailers: TrailerBox?, charset: String? = nil, bufferedBody: Int = Limits().bufferedBody,
        json: (any Sendable)? = nil, storedFields: HTTPFields? = nil, retryObstacle: String? = nil
    ) {
        self.storedFields = storedFields
        self.retryObstacle = retryObstacle
        self.bufferedBody = bufferedBody
        self.head = head
        self.request = request
        self.connection = connection
        self.timings = timings
        self.history = history
        self.trailers = trailers
        self.charset = charset
        self.json = json
    }

    package func with(
        history: [Response]? = nil, timings: Timings? = nil, request: Request? = nil, charset: String? = nil,
        bufferedBody: Int? = nil, json: (any Sendable)? = nil, retryObstacle: String? = nil
    ) -> ResponseDetails {
        ResponseDetails(
            head: head, request: request ?? self.request, connection: connection, timings: timings ?? self.timings,
            history: history ?? self.history, trailers: trailers, charset: charset ?? self.charset,
            bufferedBody: bufferedBody ?? self.bufferedBody, json: json ?? self.json, storedFields: storedFields,
            retryObstacle: retryObstacle ?? self.retryObstacle)
    }
}

extension TargetURI {
    /// Where a hand-made response pretends to come from (RFC 2606's reserved name).
    fileprivate static let unknown = TargetURI(
        origin: Origin(isSecure: false, host: "stub.invalid", port: 80), target: "/", pathLength: 1, fragment: nil)
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, fields and the size of the body, with credentials withheld.
    public var description: String {
        let fields = headers.text(details.request.redaction)
        let size = body.bytes.map { "\($0.count) bytes" } ?? "streaming"
        return "\(statusCode) \(status.reasonPhrase)\n\(fields)\n\n\(size)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}

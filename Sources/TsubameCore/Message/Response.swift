// Response: the response to a request, with its status, fields and body.

public import HTTPTypes

/// The response to a request. A response of any status is returned. Reading a value (`json`, `text`, …) throws if the
/// request does not accept the status.
public struct Response: Sendable {
    /// The status code, such as 200 or 404.
    public let statusCode: Int
    private let statusReason: String?
    /// The fields, decoded only when they are read. If the body was decoded, Content-Encoding and Content-Length are
    /// removed; see ``wire``.
    public var headers: ReceivedFields
    /// The body: complete after `send`, still arriving in the closure of `stream`.
    public var body: ResponseBody
    package var details: ResponseDetails

    package init(head: ReceivedHead, body: ResponseBody, details: ResponseDetails) {
        statusCode = head.status
        statusReason = nil
        headers = ReceivedFields(head, redaction: details.request.ownRedaction)
        self.body = body
        self.details = details
    }

    /// A response from the cache.
    package init(statusCode: Int, headers: HTTPFields, body: ResponseBody, details: ResponseDetails) {
        self.statusCode = statusCode
        statusReason = nil
        self.headers = ReceivedFields(headers, redaction: details.request.ownRedaction)
        self.body = body
        self.details = details
    }

    /// Makes a response by hand, for example in a stub or in an interceptor that answers by itself.
    public init(
        status: HTTPResponse.Status, headers: HTTPFields = [:], body: Bytes = Bytes(), request: Request? = nil
    ) {
        statusCode = status.code
        statusReason = status.reasonPhrase
        self.headers = ReceivedFields(headers, redaction: request?.ownRedaction)
        self.body = ResponseBody(body)
        details = ResponseDetails(
            .unchanged, request: request ?? Request(.get, uri: .unknown), connection: nil, timings: Timings(),
            history: [], trailers: nil)
    }

    /// Makes the response of a ``Transport``, or of an interceptor that answers with a body that still arrives.
    /// - Parameters:
    ///   - status: the status, from 200 to 999.
    ///   - headers: the fields, without any decoding.
    ///   - body: the body, made by ``ResponseBody/init(pieces:)`` or ``ResponseBody/makeStream(onPause:onResume:onCancel:)``.
    ///   - trailers: the object that gets the trailer fields at the end of the body.
    public init(
        status: HTTPResponse.Status, headers: HTTPFields = [:], body: ResponseBody,
        trailers: ResponseTrailers? = nil
    ) {
        self.init(status: status, headers: headers, request: nil)
        self.body = body
        if let trailers { details = details.with(trailers: trailers) }
    }

    /// The status with the reason phrase that was received.
    public var status: HTTPResponse.Status {
        let code = Swift.min(Swift.max(statusCode, 0), 999)
        return HTTPResponse.Status(code: code, reasonPhrase: statusReason ?? details.head?.reason ?? "")
    }

    /// The status for a sentence. It has the received reason phrase or, without one as over HTTP/2, the usual phrase.
    package var statusWords: String {
        let received = status.reasonPhrase
        let phrase = received.isEmpty ? HTTPResponse.Status(integerLiteral: status.code).reasonPhrase : received
        return phrase.isEmpty ? "\(statusCode)" : "\(statusCode) \(phrase)"
    }

    /// The HTTP version of the response; nil for a response that did not come over a connection.
    public var version: HTTPVersion? {
        if case .cache(_, let version?) = details.origin { return version }
        return details.head?.version ?? connection?.version
    }

    /// The body if it has been collected; empty for a response that is still being streamed.
    public var bytes: Bytes { body.bytes ?? Bytes() }

    /// The request as it was sent for this response. After redirects, this is the last one.
    public var request: Request { details.request }

    /// The responses before this one, oldest first: redirects and challenges.
    public var history: [Response] { details.history }

    /// The connection that carried the response; nil for a stub.
    public var connection: ConnectionInfo? { details.metrics?.connection ?? details.connection }

    /// Whether the content came from the client's cache. The server may have been asked whether it is still valid.
    public var isFromCache: Bool { if case .cache = details.origin { true } else { false } }

    /// When each step of the exchange was done.
    public var timings: Timings { details.metrics?.timings?.completed(by: details.timings) ?? details.timings }

    /// The fields as received, before any decoding.
    public var wire: ReceivedFields {
        let redaction = details.request.ownRedaction
        switch details.origin {
        case .connection(let head): return ReceivedFields(head, redaction: redaction)
        case .cache(let fields, _), .decoded(let fields): return ReceivedFields(fields, redaction: redaction)
        case .unchanged: return headers
        }
    }

    /// The trailer fields (RFC 9110 section 6.5); nil until the body has been read. They are never merged into
    /// ``headers``.
    public var trailers: HTTPFields? { details.trailers?.fields }

    /// Whether the request accepts the status.
    public var isAccepted: Bool { details.request.acceptedStatuses.contains(status) }

    /// Whether the response was made by hand and does not belong to a request yet.
    package var isHandMade: Bool { details.request.uri == .unknown }

    /// The same response with its body in memory.
    package func with(collected bytes: Bytes) -> Response {
        var copy = self
        copy.body = ResponseBody(bytes)
        return copy
    }

    /// The `code` of an answer says what is wrong. Codes that are secrets come in redirects.
    private static let answerRules = Redaction(secrets: Redaction.standard.secrets.subtracting(["code"]))

    /// The beginning of a collected text body, on one line and without secrets, for error texts.
    var excerpt: String? {
        guard let bytes = body.bytes, bytes.count > 0 else { return nil }
        var head = Array(bytes.slice(0..<300))[...]
        // Not cut within a character.
        if head.count < bytes.count {
            let most = head.count - 3
            while head.count > most, let last = head.last, last & 0xC0 == 0x80 { head.removeLast() }
            if let last = head.last, last >= 0xC0 { head.removeLast() }
        }
        let rules = details.request.redaction
        var redaction = BodyRedaction(rules == .standard ? Self.answerRules : rules)
        let shown = redaction.redacted(
            head, type: headers[.contentType] ?? "", isCoded: headers.contains(.contentEncoding))
        guard let text = String(validating: shown, as: UTF8.self) else {
            return "the answer's body: \(bytes.count) bytes"
        }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "the answer: \(Redaction.printable(line))\(bytes.count > 300 ? " …" : "")"
    }
}

/// The facts about a response that are not its status, fields or body, in one object.
package final class ResponseDetails: Sendable {
    /// Where the fields came from, and how they were before any decoding.
    package enum Origin: Sendable {
        /// A head that the engine received.
        case connection(ReceivedHead)
        /// The cache, which got its response in this version of HTTP.
        case cache(HTTPFields, HTTPVersion?)
        /// Another transport. The body has been decoded since.
        case decoded(HTTPFields)
        /// Another transport or a user's code. The fields of the response are still those.
        case unchanged
    }

    package let origin: Origin
    package let request: Request
    package let connection: ConnectionInfo?
    package let timings: Timings
    package let history: [Response]
    package let trailers: ResponseTrailers?
    /// The client's limit for a body that is collected, in bytes.
    package let bufferedBody: Int
    /// The client's rules for reading values; nil for the standard ones.
    package let valueRules: (any ValueRules)?
    /// Why the request was not sent again although its retry policy asked for that.
    package let retryObstacle: String?
    /// For a transport that knows times and connection only at the end.
    package let metrics: LateMetrics?

    /// The head that the engine received; nil for a response of another origin.
    package var head: ReceivedHead? { if case .connection(let head) = origin { head } else { nil } }

    package init(
        _ origin: Origin, request: Request, connection: ConnectionInfo?, timings: Timings, history: [Response],
        trailers: ResponseTrailers?, bufferedBody: Int = Limits().bufferedBody,
        valueRules: (any ValueRules)? = nil, retryObstacle: String? = nil, metrics: LateMetrics? = nil
    ) {
        self.metrics = metrics
        self.retryObstacle = retryObstacle
        self.bufferedBody = bufferedBody
        self.origin = origin
        self.request = request
        self.connection = connection
        self.timings = timings
        self.history = history
        self.trailers = trailers
        self.valueRules = valueRules
    }

    package func with(
        _ origin: Origin? = nil, history: [Response]? = nil, timings: Timings? = nil, request: Request? = nil,
        bufferedBody: Int? = nil, valueRules: (any ValueRules)? = nil, retryObstacle: String? = nil,
        connection: ConnectionInfo? = nil, trailers: ResponseTrailers? = nil, metrics: LateMetrics? = nil
    ) -> ResponseDetails {
        ResponseDetails(
            origin ?? self.origin, request: request ?? self.request, connection: connection ?? self.connection,
            timings: timings ?? self.timings,
            history: history ?? self.history, trailers: trailers ?? self.trailers,
            bufferedBody: bufferedBody ?? self.bufferedBody,
            valueRules: valueRules ?? self.valueRules, retryObstacle: retryObstacle ?? self.retryObstacle,
            metrics: metrics ?? self.metrics)
    }
}

extension TargetURI {
    /// The URI of a response that was made by hand. RFC 2606 reserves its name.
    fileprivate static let unknown = TargetURI(
        origin: Origin(isSecure: false, host: "stub.invalid", port: 80), target: "/", pathLength: 1, fragment: nil)
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, fields and the size of the body, with credentials withheld.
    public var description: String {
        let fields = headers.text(details.request.redaction)
        let size = body.bytes.map { "\($0.count) bytes" } ?? "streaming"
        return "\(statusCode) \(Redaction.printable(status.reasonPhrase))\n\(fields)\n\n\(size)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}

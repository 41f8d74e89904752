// Reply: the list of steps by which a ScriptedServer answers a request.
#if TestServer

public import HTTPTypes

/// The steps that a ``ScriptedServer`` performs, in order, for one request or for a new connection.
///
/// ```swift
/// Reply.ok("hello")
/// Reply.redirect(to: "/elsewhere")
/// let cutShort: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close]
/// let slow = Reply.ok("late").after(gate)
/// ```
/// After the last step the connection stays open for the next request.
public struct Reply: Sendable, ExpressibleByArrayLiteral {
    /// The steps, in order.
    public var steps: [Step]
    /// Whether the reply begins when the request's head has arrived, and not after the whole request.
    public var isEarly = false

    /// Makes a reply of these steps.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Makes a reply of these steps.
    public init(arrayLiteral steps: Step...) { self.steps = steps }

    // MARK: Changing a reply

    /// The same reply, which begins as soon as the request's head has arrived.
    public var early: Reply {
        var copy = self
        copy.isEarly = true
        return copy
    }

    /// The same reply, followed by these steps.
    public func then(_ steps: Step...) -> Reply {
        var copy = self
        copy.steps += steps
        return copy
    }

    /// The same reply, which begins when the gate is open.
    public func after(_ gate: Gate) -> Reply {
        var copy = self
        copy.steps.insert(.wait(for: gate), at: 0)
        return copy
    }

    /// The same reply, followed by another answer to the same request.
    public func followed(by reply: Reply) -> Reply {
        var copy = self
        copy.steps += reply.steps
        return copy
    }

    // MARK: Responses

    /// A 200 response with this text.
    public static func ok(_ body: String = "", headers: HTTPFields = [:]) -> Reply {
        .status(.ok, body, headers: headers)
    }

    /// A 200 response with these bytes.
    public static func ok(_ body: [UInt8], headers: HTTPFields = [:]) -> Reply {
        .status(.ok, body, headers: headers)
    }

    /// A response with this status and text. Content-Type (`text/plain; charset=utf-8`) and Content-Length are added
    /// unless `headers` holds them.
    public static func status(
        _ status: HTTPResponse.Status, _ body: String = "", headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        if !body.isEmpty, !headers.contains(.contentType) { headers[.contentType] = "text/plain; charset=utf-8" }
        return .status(status, Array(body.utf8), headers: headers)
    }

    /// A response with this status and bytes. Content-Length is added unless `headers` holds it or the status forbids
    /// it (1xx, 204). In the response to HEAD the bytes are left out.
    public static func status(
        _ status: HTTPResponse.Status, _ body: [UInt8], headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        let hasLength = status.code >= 200 && status.code != 204 && !headers.contains(.transferEncoding)
        if hasLength, !headers.contains(.contentLength) { headers[.contentLength] = String(body.count) }
        // Over HTTP/2, no content may stand before the final head.
        if status.code < 200, body.isEmpty { return [.head(status, headers)] }
        return [.head(status, headers), .content(body)]
    }

    /// A response whose body is this JSON text.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return .status(status, text, headers: headers)
    }

    /// A redirect to `location`, which is sent unchanged.
    public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Reply {
        let fields = [
            Step.Field(name: "Location", value: location), Step.Field(name: "Content-Length", value: "0"),
        ]
        return [Step(kind: .head(Step.Head(status: status, fields: fields)))]
    }

    /// A 200 response with a chunked body (RFC 9112 section 7.1). Each piece is one chunk and is written on its own;
    /// over HTTP/2 it is a DATA frame.
    public static func chunked(
        _ pieces: [String], headers: HTTPFields = [:], trailers: HTTPFields = [:]
    ) -> Reply {
        let head = Step.Head(status: .ok, fields: headers.map(Step.Field.init), isChunked: true)
        return Reply(
            [Step(kind: .head(head))] + pieces.filter { !$0.isEmpty }.map { .chunk($0) }
                + [.lastChunk(trailers: trailers)])
    }

    /// A 200 response with a body of `count` bytes, sent as fast as the client reads it. With nil the body never ends
    /// and has no length. See ``ScriptedServer/sentBodyBytes``.
    public static func stream(
        _ count: Int?, of piece: [UInt8] = Array(repeating: 0x78, count: 16 << 10), headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        if let count { headers[.contentLength] = String(piece.isEmpty ? 0 : count) }
        return [.head(.ok, headers), .repeating(piece, count: count)]
    }

    /// Exactly these bytes, which are an HTTP/1.1 response in most tests.
    public static func bytes(_ text: String) -> Reply { [.bytes(text)] }

    /// Exactly these bytes.
    public static func bytes(_ bytes: [UInt8]) -> Reply { [.bytes(bytes)] }

    /// No response; the connection stays open.
    public static let stall: Reply = [.stall]

    /// No response; the connection is closed.
    public static let close: Reply = [.close]

    /// No response; the connection is reset (RST).
    public static let reset: Reply = [.reset]

    // MARK: Bytes of a head

    /// The bytes of a response's head in HTTP/1.1, up to and including the empty line.
    public static func head(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) -> String {
        Step.Head(status: status, fields: headers.map(Step.Field.init)).text
    }
}

extension Reply.Step.Head {
    /// The head in HTTP/1.1.
    var text: String {
        "HTTP/1.1 \(status.code) \(Self.reason(status))\r\n\(Self.lines(fields))"
            + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
    }

    static func lines(_ fields: [ReceivedRequest.Field]) -> String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    /// A status that was made from a number has no reason phrase of its own.
    private static func reason(_ status: HTTPResponse.Status) -> String {
        if !status.reasonPhrase.isEmpty { return status.reasonPhrase }
        let known: [HTTPResponse.Status] = [
            .continue, .earlyHints, .ok, .created, .accepted, .noContent, .resetContent, .partialContent,
            .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
            .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
            .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired, .preconditionFailed,
            .contentTooLarge, .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed, .unprocessableContent,
            .tooManyRequests, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
            .gatewayTimeout,
        ]
        return known.first { $0.code == status.code }?.reasonPhrase ?? ""
    }
}
#endif

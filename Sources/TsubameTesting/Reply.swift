// Reply: what a ScriptedServer does about a request, as a list of steps.

public import HTTPTypes

/// What a ``ScriptedServer`` does about one request (or about a connection): steps, done in order.
///
/// ```swift
/// Reply.ok("hello")
/// Reply.redirect(to: "/elsewhere")
/// let cutShort: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close]
/// let slow = Reply.ok("late").after(gate)
/// ```
/// After the last step the connection stays open for the next request.
public struct Reply: Sendable, ExpressibleByArrayLiteral {
    /// What is done, in order.
    public var steps: [Step]
    /// Whether to begin as soon as the request's head is there, rather than after the whole request.
    public var isEarly = false

    /// These steps.
    public init(_ steps: [Step]) { self.steps = steps }

    /// These steps.
    public init(arrayLiteral steps: Step...) { self.steps = steps }

    // MARK: Changing a reply

    /// The same, begun as soon as the request's head is there.
    public var early: Reply {
        var copy = self
        copy.isEarly = true
        return copy
    }

    /// The same and then these steps.
    public func then(_ steps: Step...) -> Reply {
        var copy = self
        copy.steps += steps
        return copy
    }

    /// The same once the gate is open.
    public func after(_ gate: Gate) -> Reply {
        var copy = self
        copy.steps.insert(.wait(for: gate), at: 0)
        return copy
    }

    // MARK: Responses

    /// 200 with this text.
    public static func ok(_ body: String = "", headers: HTTPFields = [:]) -> Reply {
        .status(.ok, body, headers: headers)
    }

    /// 200 with these bytes.
    public static func ok(_ body: [UInt8], headers: HTTPFields = [:]) -> Reply {
        .status(.ok, body, headers: headers)
    }

    /// A response of this status with a text. Content-Type (`text/plain; charset=utf-8`) and Content-Length are added
    /// unless given.
    public static func status(
        _ status: HTTPResponse.Status, _ body: String = "", headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        if !body.isEmpty, !headers.contains(.contentType) { headers[.contentType] = "text/plain; charset=utf-8" }
        return .status(status, Array(body.utf8), headers: headers)
    }

    /// A response of this status with these bytes. Content-Length is added unless given or not allowed (1xx, 204); in
    /// answer to HEAD the bytes are left out.
    public static func status(
        _ status: HTTPResponse.Status, _ body: [UInt8], headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        let hasLength = status.code >= 200 && status.code != 204 && !headers.contains(.transferEncoding)
        if hasLength, !headers.contains(.contentLength) { headers[.contentLength] = String(body.count) }
        return [.bytes(head(status, headers)), .content(body)]
    }

    /// A response whose body is this JSON text.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return .status(status, text, headers: headers)
    }

    /// A redirect to `location`, which is sent as it is.
    public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Reply {
        [
            .bytes(
                "HTTP/1.1 \(status.code) \(reason(status))\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        ]
    }

    /// 200 with a chunked body (RFC 9112 section 7.1), a chunk for each piece, each written on its own.
    public static func chunked(
        _ pieces: [String], headers: HTTPFields = [:], trailers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        headers[.transferEncoding] = "chunked"
        var chunks = pieces.filter { !$0.isEmpty }
            .map { Array("\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n".utf8) }
        chunks.append(Array("0\r\n\(lines(trailers))\r\n".utf8))
        return [.bytes(head(.ok, headers)), .pieces(chunks)]
    }

    /// 200 with a body of `count` bytes, sent as fast as the client takes it; nil: a body that never ends, without a
    /// length. See ``ScriptedServer/sentBodyBytes``.
    public static func stream(
        _ count: Int?, of piece: [UInt8] = Array(repeating: 0x78, count: 16 << 10), headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        if let count { headers[.contentLength] = String(count) }
        return [.bytes(head(.ok, headers)), .repeating(piece, count: count)]
    }

    /// These bytes as they are.
    public static func bytes(_ text: String) -> Reply { [.bytes(text)] }

    /// These bytes as they are.
    public static func bytes(_ bytes: [UInt8]) -> Reply { [.bytes(bytes)] }

    /// No answer, and the connection stays open.
    public static let stall: Reply = [.stall]

    /// No answer, and the connection is closed.
    public static let close: Reply = [.close]

    /// No answer, and the connection is reset (RST).
    public static let reset: Reply = [.reset]

    // MARK: Bytes of a head

    /// The bytes of a response's head up to and including the empty line.
    public static func head(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) -> String {
        "HTTP/1.1 \(status.code) \(reason(status))\r\n\(lines(headers))\r\n"
    }

    private static func lines(_ fields: HTTPFields) -> String {
        fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
    }

    /// A status from a number has no phrase of its own.
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

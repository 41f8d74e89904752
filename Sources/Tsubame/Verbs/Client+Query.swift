// Client+Query: QUERY by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a QUERY to a path below the client's base URL. The method asks a question by its content (RFC 10008). Like GET, it is safe and idempotent.
    ///
    /// A response with any status is returned. `try response.accepted()` or a value of it throws for 4xx and 5xx.
    /// - Parameters:
    ///   - path: a literal. Each interpolated value is escaped as one segment.
    ///   - query: parameters that are added to those of the base URL and the path.
    ///   - headers: the fields of this request, to which the client's are added.
    ///   - body: the content; or give it as one of the next three.
    ///   - json: a value that is sent as JSON. ``Configuration/json`` decides how it is encoded.
    ///   - form: parameters that are sent as `application/x-www-form-urlencoded`.
    ///   - multipart: adds the parts of a `multipart/form-data` body.
    ///   - timeout: the time for the whole call, including retries; nil for that of the client.
    /// - Throws: ``CallError``, but never because of a status.
    public func query(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.query, path, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a QUERY to a path given as text, which is already percent-encoded and may have several segments.
    public func query(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.query, RequestPath(encoded: path), query: query, headers: headers, timeout: timeout))
    }

    /// Sends a QUERY to a whole URL.
    public func query(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.query, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a QUERY to a whole URL, which is parsed again as strictly as text.
    public func query(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.query, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable,
        message: "write query(path: text) for a path, or query(\"\\(text)\") to escape it as one segment"
    )
    public func query(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.query, RequestPath(encoded: path)))
    }
}

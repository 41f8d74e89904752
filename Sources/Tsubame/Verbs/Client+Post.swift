// Client+Post: POST by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a POST to a path below the client's base URL. The method hands content to a resource. It is not sent again by itself.
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
    public func post(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.post, path, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a POST to a path given as text, which is already percent-encoded and may have several segments.
    public func post(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.post, RequestPath(encoded: path), query: query, headers: headers, timeout: timeout))
    }

    /// Sends a POST to a whole URL.
    public func post(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.post, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a POST to a whole URL, which is parsed again as strictly as text.
    public func post(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.post, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write post(path: text) for a path, or post(\"\\(text)\") to escape it as one segment"
    )
    public func post(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, RequestPath(encoded: path)))
    }
}

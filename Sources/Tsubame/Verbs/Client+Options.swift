// Client+Options: OPTIONS by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends an OPTIONS to a path below the client's base URL. The method asks which methods a resource allows.
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
    public func options(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.options, path, query: query, headers: headers, timeout: timeout))
    }

    /// Sends an OPTIONS to a path given as text, which is already percent-encoded and may have several segments.
    public func options(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.options, RequestPath(encoded: path), query: query, headers: headers, timeout: timeout)
        )
    }

    /// Sends an OPTIONS to a whole URL.
    public func options(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.options, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Sends an OPTIONS to a whole URL, which is parsed again as strictly as text.
    public func options(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        let content = RequestContent(body, json, form, multipart)
        return try await send(
            content, in: Request(.options, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable,
        message: "write options(path: text) for a path, or options(\"\\(text)\") to escape it as one segment"
    )
    public func options(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], body: RequestBody = .empty,
        json: any Encodable & Sendable = NoContent(), form: Parameters? = nil,
        multipart: ((inout MultipartForm) -> Void)? = nil, timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.options, RequestPath(encoded: path)))
    }
}

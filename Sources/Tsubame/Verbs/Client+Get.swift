// Client+Get: GET by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a GET to a path below the client's base URL. The method asks for a resource.
    ///
    /// A response with any status is returned. `try response.accepted()` or a value of it throws for 4xx and 5xx.
    /// - Parameters:
    ///   - path: a literal. Each interpolated value is escaped as one segment.
    ///   - query: parameters that are added to those of the base URL and the path.
    ///   - headers: the fields of this request, to which the client's are added.
    ///   - timeout: the time for the whole call, including retries; nil for that of the client.
    /// - Throws: ``CallError``, but never because of a status.
    public func get(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, path, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a GET to a path given as text, which is already percent-encoded and may have several segments.
    public func get(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, RequestPath(encoded: path), query: query, headers: headers, timeout: timeout))
    }

    /// Sends a GET to a whole URL.
    public func get(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a GET to a whole URL, which is parsed again as strictly as text.
    public func get(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write get(path: text) for a path, or get(\"\\(text)\") to escape it as one segment"
    )
    public func get(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, RequestPath(encoded: path)))
    }
}

// Client+Head: HEAD by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a HEAD to a path below the client's base URL. The method asks for the fields of a resource without its content.
    ///
    /// A response with any status is returned. `try response.accepted()` or a value of it throws for 4xx and 5xx.
    /// - Parameters:
    ///   - path: a literal. Each interpolated value is escaped as one segment.
    ///   - query: parameters that are added to those of the base URL and the path.
    ///   - headers: the fields of this request, to which the client's are added.
    ///   - timeout: the time for the whole call, including retries; nil for that of the client.
    /// - Throws: ``CallError``, but never because of a status.
    public func head(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, path, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a HEAD to a path given as text, which is already percent-encoded and may have several segments.
    public func head(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, RequestPath(encoded: path), query: query, headers: headers, timeout: timeout))
    }

    /// Sends a HEAD to a whole URL.
    public func head(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Sends a HEAD to a whole URL, which is parsed again as strictly as text.
    public func head(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, url: url, query: query, headers: headers, timeout: timeout))
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write head(path: text) for a path, or head(\"\\(text)\") to escape it as one segment"
    )
    public func head(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], timeout: Duration? = nil
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, RequestPath(encoded: path)))
    }
}

// Request+Making: creates requests with a query of parameters, for a path or a whole URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Request {
    /// Creates a request for a path below the client's base URL.
    ///
    /// The query is added after the queries that the base URL and the path have, and keeps its order. Every character
    /// in it except RFC 3986's unreserved ones is percent-encoded.
    /// - Parameters:
    ///   - method: the method.
    ///   - path: a literal. Each interpolated value is escaped as one segment.
    ///   - query: the parameters of the query.
    ///   - headers: the fields of this request, to which the client's are added.
    ///   - body: the content.
    ///   - timeout: the time for the whole call, including retries; nil for that of the client.
    public init(
        _ method: HTTPRequest.Method, _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:],
        body: RequestBody = .empty, timeout: Duration? = nil
    ) {
        self.init(method, path, encodedQuery: query.encoded(), headers: headers, body: body)
        finish(query.failure, timeout)
    }

    /// Creates a request for a path given as text, which is already percent-encoded and may have several segments.
    public init(
        _ method: HTTPRequest.Method, path: String, query: Parameters = [:], headers: RequestHeaders = [:],
        body: RequestBody = .empty, timeout: Duration? = nil
    ) {
        self.init(
            method, RequestPath(encoded: path), query: query, headers: headers, body: body, timeout: timeout)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public init(
        _ method: HTTPRequest.Method, _ path: String, query: Parameters = [:], headers: RequestHeaders = [:],
        body: RequestBody = .empty, timeout: Duration? = nil
    ) {
        self.init(method, RequestPath(encoded: path))
    }

    /// Creates a request for a whole URL.
    ///
    /// The segments `.` and `..` of its path are removed (RFC 3986 section 5.2.4), unless `keepingDotSegments` is
    /// true.
    public init(
        _ method: HTTPRequest.Method, url: String, keepingDotSegments: Bool = false, query: Parameters = [:],
        headers: RequestHeaders = [:], body: RequestBody = .empty, timeout: Duration? = nil
    ) {
        self.init(
            method, url: url, keepingDotSegments: keepingDotSegments,
            encodedQuery: query.isEmpty ? "" : query.encoded(), headers: headers, body: body)
        finish(query.failure, timeout)
    }

    /// Creates a request for a whole URL. The URL is parsed again, as strictly as a string.
    public init(
        _ method: HTTPRequest.Method, url: URL, query: Parameters = [:], headers: RequestHeaders = [:],
        body: RequestBody = .empty, timeout: Duration? = nil
    ) {
        self.init(method, url: url.absoluteString, query: query, headers: headers, body: body, timeout: timeout)
    }

    private mutating func finish(_ failure: (any Error)?, _ timeout: Duration?) {
        if let timeout { timeouts.total = timeout }
        guard let failure else { return }
        target = .invalid(
            CallError(.invalidRequest, "the query cannot be encoded: \(failure)", underlying: failure))
    }
}

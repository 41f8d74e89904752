// How requests are made: with a query of parameters, for a path or for a whole URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Request {
    /// A request for a path below the client's base URL.
    ///
    /// The query is added to the one that base and path may have, in its order; everything in it but RFC 3986's
    /// unreserved characters is percent-encoded.
    public init(
        _ method: HTTPRequest.Method, _ path: Path, query: Parameters = [:], headers: HTTPFields = [:],
        body: Body = .empty
    ) {
        self.init(method, path, encodedQuery: query.encoded(), headers: headers, body: body)
        keep(query.failure)
    }

    /// A request for a whole URL.
    ///
    /// The segments `.` and `..` of its path are removed (RFC 3986 section 5.2.4), unless `keepingDotSegments` is true.
    public init(
        _ method: HTTPRequest.Method, url: String, keepingDotSegments: Bool = false, query: Parameters = [:],
        headers: HTTPFields = [:], body: Body = .empty
    ) {
        self.init(
            method, url: url, keepingDotSegments: keepingDotSegments,
            encodedQuery: query.isEmpty ? "" : query.encoded(), headers: headers, body: body)
        keep(query.failure)
    }

    /// A request for a whole URL; Foundation's idea of it is checked again, as strictly as text is.
    public init(
        _ method: HTTPRequest.Method, url: URL, query: Parameters = [:], headers: HTTPFields = [:],
        body: Body = .empty
    ) {
        self.init(method, url: url.absoluteString, query: query, headers: headers, body: body)
    }

    private mutating func keep(_ failure: (any Error)?) {
        guard let failure else { return }
        target = .invalid(
            CallError(.invalidRequest, "the query cannot be encoded: \(failure)", underlying: failure))
    }
}

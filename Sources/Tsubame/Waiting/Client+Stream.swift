// Client+Stream: reads the body of a GET as it arrives, by path and by URL.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a GET to a path below the client's base URL, and passes the response to the closure as soon as its head is
    /// there.
    ///
    /// ```swift
    /// try await api.stream("log", query: ["follow": true]) { response in
    ///     for try await line in response.body.lines { print(line) }
    /// }
    /// ```
    /// See ``stream(_:_:)`` for the details.
    @concurrent
    public func stream<T: Sendable>(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:],
        _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        try await stream(Request(.get, path, query: query, headers: headers), body)
    }

    /// Sends a GET to a path given as text, which is already percent-encoded and may have several segments, and passes the
    /// response to the closure.
    @concurrent
    public func stream<T: Sendable>(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:],
        _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        try await stream(Request(.get, path: path, query: query, headers: headers), body)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func stream<T: Sendable>(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:],
        _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        try await stream(Request(.get, path: path, query: query, headers: headers), body)
    }

    /// Sends a GET to a whole URL, and passes the response to the closure as soon as its head is there.
    @concurrent
    public func stream<T: Sendable>(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:],
        _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        try await stream(Request(.get, url: url, query: query, headers: headers), body)
    }

    /// Sends a GET to a whole URL, and passes the response to the closure as soon as its head is there.
    @concurrent
    public func stream<T: Sendable>(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:],
        _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        try await stream(Request(.get, url: url, query: query, headers: headers), body)
    }
}

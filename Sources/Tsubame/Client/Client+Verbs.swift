// Client+Verbs: one function for each everyday method of HTTP.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Client {
    /// Sends a GET for a path below the client's base URL.
    public func get(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, path, query: query, headers: headers))
    }

    /// Sends a GET for a whole URL.
    public func get(
        url: String, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers))
    }

    /// Sends a GET for a whole URL. The URL is parsed again, as strictly as a string.
    public func get(
        url: URL, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers))
    }

    /// Sends a HEAD for a path below the client's base URL.
    public func head(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, path, query: query, headers: headers))
    }

    /// Sends a DELETE for a path below the client's base URL.
    public func delete(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.delete, path, query: query, headers: headers))
    }

    /// Sends a POST to a path below the client's base URL.
    public func post(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, path, query: query, headers: headers, body: body))
    }

    /// Sends a form by POST to a path below the client's base URL.
    @concurrent
    public func post(_ path: RequestPath, form: Parameters, headers: HTTPFields = [:]) async throws(CallError)
        -> Response
    {
        try await sendHere(Request(.post, path, headers: headers, body: .form(form)))
    }

    /// Sends a value as JSON by POST. ``Configuration/json`` decides how it is encoded.
    @concurrent
    public func post(
        _ path: RequestPath, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, path, headers: headers, body: .json(json, by: configuration.json)))
    }

    /// Sends a POST to a whole URL.
    public func post(
        url: String, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, url: url, query: query, headers: headers, body: body))
    }

    /// Sends a POST to a whole URL. The URL is parsed again, as strictly as a string.
    public func post(
        url: URL, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, url: url, query: query, headers: headers, body: body))
    }

    /// Sends a QUERY for a path below the client's base URL. QUERY is safe and idempotent, and its body says what to
    /// look for (RFC 10008).
    public func query(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.query, path, query: query, headers: headers, body: body))
    }

    /// Sends a PUT to a path below the client's base URL.
    public func put(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.put, path, query: query, headers: headers, body: body))
    }

    /// Sends a value as JSON by PUT. ``Configuration/json`` decides how it is encoded.
    @concurrent
    public func put(
        _ path: RequestPath, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.put, path, headers: headers, body: .json(json, by: configuration.json)))
    }

    /// Sends a PATCH to a path below the client's base URL.
    public func patch(
        _ path: RequestPath, query: Parameters = [:], headers: HTTPFields = [:], body: RequestBody
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.patch, path, query: query, headers: headers, body: body))
    }

    /// Sends a value as JSON by PATCH. ``Configuration/json`` decides how it is encoded.
    @concurrent
    public func patch(
        _ path: RequestPath, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.patch, path, headers: headers, body: .json(json, by: configuration.json)))
    }
}

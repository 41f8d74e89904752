// The verbs: one line for each of HTTP's everyday methods.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Client {
    /// GET of a path below the client's base URL.
    public func get(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, path, query: query, headers: headers))
    }

    /// GET of a whole URL.
    public func get(
        url: String, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers))
    }

    /// GET of a whole URL; Foundation's idea of it is checked again, as strictly as text is.
    public func get(
        url: URL, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.get, url: url, query: query, headers: headers))
    }

    /// HEAD of a path below the client's base URL.
    public func head(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.head, path, query: query, headers: headers))
    }

    /// DELETE of a path below the client's base URL.
    public func delete(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.delete, path, query: query, headers: headers))
    }

    /// POST to a path below the client's base URL.
    public func post(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:], body: Body = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, path, query: query, headers: headers, body: body))
    }

    /// POST of a form.
    @concurrent
    public func post(_ path: Path, form: Parameters, headers: HTTPFields = [:]) async throws(CallError) -> Response {
        try await sendHere(Request(.post, path, headers: headers, body: .form(form)))
    }

    /// POST of a value as JSON, spelt as ``Configuration/json`` says.
    @concurrent
    public func post(
        _ path: Path, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, path, headers: headers, body: .json(json, by: configuration.json)))
    }

    /// POST to a whole URL.
    public func post(
        url: String, query: Parameters = [:], headers: HTTPFields = [:], body: Body = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, url: url, query: query, headers: headers, body: body))
    }

    /// POST to a whole URL; Foundation's idea of it is checked again, as strictly as text is.
    public func post(
        url: URL, query: Parameters = [:], headers: HTTPFields = [:], body: Body = .empty
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.post, url: url, query: query, headers: headers, body: body))
    }

    /// QUERY of a path below the client's base URL: safe and idempotent, with what is asked for in the body (RFC 10008).
    public func query(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:], body: Body
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.query, path, query: query, headers: headers, body: body))
    }

    /// PUT to a path below the client's base URL.
    public func put(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:], body: Body
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.put, path, query: query, headers: headers, body: body))
    }

    /// PUT of a value as JSON, spelt as ``Configuration/json`` says.
    @concurrent
    public func put(
        _ path: Path, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.put, path, headers: headers, body: .json(json, by: configuration.json)))
    }

    /// PATCH of a path below the client's base URL.
    public func patch(
        _ path: Path, query: Parameters = [:], headers: HTTPFields = [:], body: Body
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.patch, path, query: query, headers: headers, body: body))
    }

    /// PATCH with a value as JSON, spelt as ``Configuration/json`` says.
    @concurrent
    public func patch(
        _ path: Path, json: some Encodable & Sendable, headers: HTTPFields = [:]
    ) async throws(CallError) -> Response {
        try await sendHere(Request(.patch, path, headers: headers, body: .json(json, by: configuration.json)))
    }
}

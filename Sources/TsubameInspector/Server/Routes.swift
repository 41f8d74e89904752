// Routes: the page, its data and its actions.

#if Inspector
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import HummingbirdCore
import NIOCore
import TsubameCore

struct Routes: Sendable {
    /// The most rows of one response.
    private static let mostRows = 5000

    let log: TrafficLog
    let feeds: Feeds
    let rules: InspectorRules
    let texts: ShownTexts
    let showsSecrets: Bool

    func answer(_ request: ServerRequest, on channel: any Channel) async throws -> ServerResponse {
        let query = Query(request.head.path ?? "/")
        let path = query.path.split(separator: "/").map(String.init)
        if path.count > 2, path.starts(with: ["api", "calls"]) { return try await call(path, request, query) }
        switch (request.method, path) {
        case (.get, []), (.head, []): return Self.bytes(PackageResources.index_html, type: "text/html; charset=utf-8")
        case (.get, ["inspector.css"]):
            return Self.bytes(PackageResources.inspector_css, type: "text/css; charset=utf-8")
        case (.get, let path) where path.count == 1 && path[0].hasSuffix(".js"):
            guard let script = Self.scripts[path[0]] else { return Self.missing }
            return Self.bytes(script, type: "text/javascript; charset=utf-8")
        case (.get, ["api", "calls"]): return try rows(query)
        case (.get, ["api", "search"]): return try search(query)
        case (.get, ["api", "events"]): return feeds.response(on: channel)
        case (.get, ["api", "har"]): return try await archive(query)
        case (.post, ["api", "har"]): return try await importArchive(request)
        case (.post, ["api", "clear"]):
            log.clear()
            return ServerResponse(status: .noContent)
        case (.get, ["api", "rules"]): return try Self.json(rules.rules)
        case (.put, ["api", "rules"]): return try await setRules(request)
        default: return Self.missing
        }
    }

    /// `api/calls/ID`, and the parts of that call.
    private func call(_ path: [String], _ request: ServerRequest, _ query: Query) async throws -> ServerResponse {
        guard let id = UInt64(path[2]), let call = log.read({ $0[id] }) else { return Self.missing }
        switch (request.method, path.dropFirst(3)) {
        case (.get, []):
            return try Self.json(await CallDetail(call, showsSecrets: query["secrets"] == "1" && showsSecrets))
        case (.get, ["body"]): return try await body(call, query)
        case (.get, ["request"]): return try Self.json(await EditableRequest(call))
        case (.post, ["resend"]): return try await resend(call, request)
        case (.post, ["certificates"]): return try await certificates(call, query)
        case (.post, ["pin"]): return try pin(id, true)
        case (.delete, ["pin"]): return try pin(id, false)
        default: return Self.missing
        }
    }

    private static let scripts = [
        "inspector.js": PackageResources.inspector_js, "list.js": PackageResources.list_js,
        "detail.js": PackageResources.detail_js, "bodies.js": PackageResources.bodies_js,
        "actions.js": PackageResources.actions_js, "elements.js": PackageResources.elements_js,
    ]

    // MARK: Data

    struct Rows: Encodable {
        var rows: [CallRow]
        /// The calls that were removed.
        var gone: [UInt64] = []
        var count: Int
        var evicted: Int
        var showsSecrets: Bool
    }

    private func rows(_ query: Query) throws -> ServerResponse {
        let after = query["after"].flatMap { UInt64($0) } ?? 0
        let limit = min(query["limit"].flatMap { Int($0) } ?? Self.mostRows, Self.mostRows)
        return try Self.json(
            log.read { ring in
                Rows(
                    rows: ring.calls(after: after, limit: max(limit, 0)).map { texts.row($0, in: ring) },
                    count: ring.count,
                    evicted: ring.evicted, showsSecrets: showsSecrets)
            })
    }

    private func search(_ query: Query) throws -> ServerResponse {
        struct Found: Encodable {
            var ids: [UInt64]
        }
        let found: Found
        do throws(TrafficFilter.Problem) {
            let filter = try TrafficFilter(query["q"] ?? "")
            found = Found(ids: log.read { ring in texts.search(filter, in: ring) })
        } catch {
            return try Self.problem(error.description)
        }
        return try Self.json(found)
    }

    private func archive(_ query: Query) async throws -> ServerResponse {
        let wanted = query["ids"].map { Set($0.split(separator: ",").compactMap { UInt64($0) }) }
        let calls = log.read { ring in ring.all.filter { wanted?.contains($0.id) ?? true } }
        let data = try await log.archive(of: calls, showingSecrets: false)
        var response = Self.bytes(Array(data), type: "application/json")
        response.headers[.contentDisposition] = "attachment; filename=\"calls.har\""
        return response
    }

    /// The bytes of a body as a file. No browser shows it.
    private func body(_ call: LoggedCall, _ query: Query) async throws -> ServerResponse {
        let index = query["attempt"].flatMap { Int($0) } ?? 0
        let isRequest = query["side"] == "request"
        let entries = await call.entries(showsSecrets: showsSecrets && query["secrets"] == "1")
        guard entries.indices.contains(index) else { return Self.missing }
        let entry = entries[index]
        var bytes = isRequest ? entry.request.postData?.bytes : entry.response.content.bytes
        if query["raw"] == "1" {
            // Bytes with content codings cannot be redacted.
            let whole = await call.entries(showsSecrets: true)[index]
            let isPartOfCoded =
                isRequest
                ? whole.request.postData?.isIncomplete == true && whole.request.headers.contains { $0.isCoding }
                : whole.response.content.isIncomplete && whole.response.headers.contains { $0.isCoding }
            let mayShow = showsSecrets && query["secrets"] == "1"
            guard mayShow || !isPartOfCoded,
                bytes == (isRequest ? whole.request.postData?.bytes : whole.response.content.bytes)
            else {
                return Self.text(
                    "this body holds secrets, and cannot be shown as it was received\n", status: .forbidden)
            }
            bytes = call.received(isRequest: isRequest, ofEntry: index).map { Array($0) } ?? bytes
        }
        guard let bytes else { return Self.missing }
        var response = Self.bytes(bytes, type: "application/octet-stream")
        response.headers[.contentDisposition] = "attachment; filename=\"body-\(call.id)-\(index)\""
        return response
    }

    // MARK: Responses

    static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> ServerResponse {
        ServerResponse(
            status: status, headers: [.contentType: type], body: ServerBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func text(_ text: String, status: HTTPResponse.Status) -> ServerResponse {
        bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
    }

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> ServerResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return bytes(Array(try encoder.encode(value)), type: "application/json", status: status)
    }

    private struct Problem: Encodable {
        var problem: String
    }

    static func problem(_ text: String) throws -> ServerResponse {
        try json(Problem(problem: text), status: .badRequest)
    }

    static let missing = text("there is no such page\n", status: .notFound)
}

extension HTTPArchive.Pair {
    fileprivate var isCoding: Bool { name.lowercased() == "content-encoding" }
}

/// The path and the parameters of a request's target.
struct Query {
    let path: String
    private let parameters: [(name: String, value: String)]

    init(_ target: String) {
        let mark = target.firstIndex(of: "?") ?? target.endIndex
        path = String(target[..<mark])
        parameters = target[mark...].dropFirst().split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.decodeLeniently(String($0), plusAsSpace: true)
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}
#endif

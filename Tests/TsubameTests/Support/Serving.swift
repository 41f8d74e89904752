// Serving: a client and its server, which must leave nothing open.

import Dispatch
import Testing
import Tsubame
import TsubameTesting

/// Runs `body` with the server and a client of it. Afterwards no call may run, no connection may be leased, and, once
/// the client is closed, none may be open at either end.
/// - Parameter base: the client's base URL; the server's own unless given.
func serving<R>(
    _ server: ScriptedServer, base: String? = nil, _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (ScriptedServer, Client) async throws -> R
) async throws -> R {
    try await server.use { server in
        let result = try await withClient(base ?? server.url, configure) { try await body(server, $0) }
        try await server.waitUntil(openConnections: 0)
        return result
    }
}

/// Returns when no call of the client runs and the main queue has done the work of the last call. Events that come
/// twice or after the end have arrived by then.
func settled(_ client: Client) async throws {
    try await LeakCheck.verify(client)
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

/// A `resolve` table that leads each of these hosts to one server.
func hosts(_ names: [String], at server: ScriptedServer) -> [String: String] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, "127.0.0.1:\(server.port)") })
}

/// The error that `body` throws, which must be a `CallError`.
func callError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> CallError? {
    do {
        try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as CallError {
        return error
    } catch {
        Issue.record("\(error) is no CallError", sourceLocation: sourceLocation)
    }
    return nil
}

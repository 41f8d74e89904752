// LoadServer: the servers of the runs under load, in a process of their own.
#if TestServer

import Foundation
import HTTPTypes
import Tsubame
import TsubameTesting

/// The ports that the process prints, as JSON, when it is ready.
struct LoadServerPorts: Codable {
    var plain: Int
    var http2: Int
    /// Accepts connections and never sends a byte.
    var silent: Int

    /// The base URLs, with HTTP/1.1 and with HTTP/2 over TLS.
    var bases: [String] { ["http://127.0.0.1:\(plain)", "https://127.0.0.1:\(http2)"] }
}

/// Answers `/ID/COUNT` with the content of that identifier, `/endless` with a body that has no end, `/half` with a body
/// that stops, and `/silent` never.
enum LoadServer {
    /// Serves until standard input ends.
    /// - Parameter port: the port of the server without TLS; with 0 the system chooses.
    static func run(port: Int) async throws {
        let script: @Sendable (ReceivedRequest) -> Reply = { request in
            let parts = request.path.split(separator: "/")
            if parts == ["endless"] { return .stream(nil) }
            if parts == ["half"] { return [.head(.ok, [.contentLength: "10"]), .content("half"), .stall] }
            if parts == ["silent"] { return .stall }
            guard parts.count == 2, let id = Int(parts[0]), let count = Int(parts[1]) else { return .status(.notFound) }
            return .ok(Content.bytes(id: id, count: count), headers: [.cacheControl: "max-age=60"])
        }
        let plain = try await ScriptedServer.start(port: port, keepingBodyBytes: 0, keepingRequests: 1_000, script)
        let http2 = try await ScriptedServer.start(
            tls: .localhost, versions: [.http2], keepingBodyBytes: 0, keepingRequests: 1_000, script)
        let silent = try await ScriptedServer.start(onConnect: { _ in .stall })
        try ServerProcess.announce(LoadServerPorts(plain: plain.port, http2: http2.port, silent: silent.port))
        await ServerProcess.untilInputEnds()
        await plain.stop()
        await http2.stop()
        await silent.stop()
    }
}
#endif

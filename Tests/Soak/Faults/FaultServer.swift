// FaultServer: the servers and proxies of a run with faults, in a process of their own.
#if TestServer

import Foundation
import HTTPTypes
import Synchronization
import Tsubame
import TsubameTesting

/// The ports that the process prints, as JSON, when it is ready.
struct FaultServerPorts: Codable {
    /// The proxies' ports.
    var plain: Int
    var secure: Int
    var http2: Int
    /// A server without a proxy, which answers GET /report.
    var direct: Int
}

/// The server's own count at the end.
struct FaultServerReport: Codable {
    /// The identifiers of requests that must not be repeated and came more than once.
    var repeated: [Int]
    var requests: Int
    /// Request bodies that were not what the client sends under that identifier.
    var wrongBodies: [String]
    var faults: [String: Int]
}

/// Answers by the path: /get/ID/COUNT, /query/ID, /keyed/ID, /post/ID, /upload/ID/COUNT, /download/ID/COUNT.
final class FaultServer: Sendable {
    private struct Tally {
        var seen: Set<Int> = []
        var repeated: [Int] = []
        var requests = 0
        var wrongBodies: [String] = []
    }

    private let tally = Mutex(Tally())
    private let proxy = FaultProxy()

    /// Serves until standard input ends.
    static func run(chance: Double, seed: UInt64) async throws {
        let state = FaultServer()
        func start(tls: TLSIdentity? = nil, versions: [HTTPVersion] = [.http11]) async throws -> ScriptedServer {
            try await ScriptedServer.start(
                tls: tls, versions: versions, keepingRequests: 1_000,
                { state.reply(to: $0) },
                onHead: {
                    state.count($0)
                    return nil
                })
        }
        let servers = [
            try await start(), try await start(tls: .localhost),
            try await start(tls: .localhost, versions: [.http2]), try await start(),
        ]
        var ports: [Int] = []
        for (index, server) in servers.dropLast().enumerated() {
            ports.append(
                try await state.proxy.start(
                    to: server.port, chance: chance, hasTLS: index > 0, seed: seed &+ UInt64(index) << 32))
        }
        try ServerProcess.announce(
            FaultServerPorts(plain: ports[0], secure: ports[1], http2: ports[2], direct: servers[3].port))
        await ServerProcess.untilInputEnds()
        for server in servers { await server.stop() }
    }

    private func count(_ request: ReceivedRequest) {
        let parts = request.path.split(separator: "/")
        guard parts.count > 1, let id = Int(parts[1]) else { return }
        tally.withLock { tally in
            tally.requests += 1
            guard parts[0] == "post" || parts[0] == "upload" else { return }
            if !tally.seen.insert(id).inserted { tally.repeated.append(id) }
        }
    }

    private func reply(to request: ReceivedRequest) -> Reply {
        let parts = request.path.split(separator: "/")
        if parts == ["report"] { return report() }
        guard parts.count > 1, let id = Int(parts[1]) else { return .status(.notFound) }
        let count = parts.count > 2 ? Int(parts[2]) ?? 0 : 1_000
        switch parts[0] {
        case "get": return .ok(Content.bytes(id: id, count: count))
        case "download": return file(id: id, count: count, range: request["range"])
        case "stream":
            let bytes = Content.bytes(id: id, count: count)
            let piece = 8 << 10
            return [
                .head(.ok, [.contentLength: String(count)]),
                .generated { index in
                    let start = index * piece
                    return start < count ? Array(bytes[start..<min(start + piece, count)]) : nil
                },
            ]
        default:
            if request.body != Content.bytes(id: id, count: request.bodyByteCount) || request.bodyByteCount != count {
                let text =
                    "\(parts[0]) \(id): \(request.bodyByteCount) of \(count) bytes, \(request["content-length"] ?? "chunked")"
                tally.withLock { $0.wrongBodies.append(text) }
            }
            return .ok(Content.bytes(id: id &+ 1, count: 1_000))
        }
    }

    /// A file that can be resumed.
    private func file(id: Int, count: Int, range: String?) -> Reply {
        let bytes = Content.bytes(id: id, count: count)
        let tag: HTTPFields = [.eTag: "\"\(id)\"", .acceptRanges: "bytes"]
        guard let range, range.hasPrefix("bytes="), let start = Int(range.dropFirst(6).prefix { $0 != "-" }),
            start < count
        else { return .ok(bytes, headers: tag) }
        var fields = tag
        fields[.contentRange] = "bytes \(start)-\(count - 1)/\(count)"
        return .status(.partialContent, Array(bytes[start...]), headers: fields)
    }

    private func report() -> Reply {
        let faults = Dictionary(uniqueKeysWithValues: proxy.faults.map { ($0.rawValue, $1) })
        let report = tally.withLock {
            FaultServerReport(
                repeated: $0.repeated, requests: $0.requests, wrongBodies: $0.wrongBodies, faults: faults)
        }
        guard let text = try? JSONEncoder().encode(report) else { return .status(.internalServerError) }
        return .json(String(decoding: text, as: UTF8.self))
    }
}
#endif

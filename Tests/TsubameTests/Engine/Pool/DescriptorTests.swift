// DescriptorTests: the open descriptors, as the system reports them and not the client.

#if os(Linux)
import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// Counts only the descriptors of this test: sockets of this process that are connected to the test's server, and files
/// in the test's folder. Tests that run at the same time do not disturb it.
private struct Descriptors {
    let port: Int
    let folder: URL

    /// This process's client sockets to the server, and its open files in the folder.
    func open() throws -> [String] {
        let sockets = try connected()
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            else { return nil }
            return sockets.contains(target) || target.hasPrefix(folder.path) ? target : nil
        }
    }

    /// `socket:[inode]` of each connection to the server, in any state (proc_net_tcp(5)).
    private func connected() throws -> Set<String> {
        let suffix = ":" + String(port, radix: 16, uppercase: true)
        // Read piece by piece, because the system reports an empty file and gives a page at a time.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp"))
        var table = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { table += piece }
        return Set(
            String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
                let columns = line.split(separator: " ")
                guard columns.count > 9, columns[2].hasSuffix(suffix) else { return nil }
                return "socket:[\(columns[9])]"
            })
    }

    /// Waits until no descriptor is open.
    func waitUntilNone() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        while true {
            let open = try open()
            if open.isEmpty { return }
            guard ContinuousClock.now < end else {
                Issue.record("still open: \(open)")
                return
            }
            await Task.yield()
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct DescriptorTests {
    private static func reply(to request: ReceivedRequest) -> Reply {
        switch request.path {
        case "/ok": .ok("hello")
        case "/chunked": .chunked(["hel", "lo"])
        case "/error": .status(.internalServerError, "no")
        case "/redirect": .redirect(to: "/ok")
        case "/last": Reply.ok("hello", headers: [.connection: "close"]).then(.close)
        case "/close": .close
        case "/reset": .reset
        case "/nonsense": .bytes("nonsense\r\n\r\n")
        case "/cut": [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
        case "/endless": .stream(nil)
        case "/large": .stream(1 << 20)
        default: .stall
        }
    }

    /// One call of every kind, each with another end.
    private static func exercise(_ client: Client, _ server: ScriptedServer, folder: URL, round: Int) async throws {
        for path in ["ok", "chunked", "error", "redirect", "last", "large"] as [RequestPath] {
            _ = try await client.get(path)
        }
        let file = folder.appending(path: "saved")
        try await client.stream(Request(.get, "large")) { try await $0.save(to: file) }
        _ = try await client.post("ok", body: .file(file))
        var late = Request(.get, "stall")
        late.timeouts.head = .milliseconds(1)
        // TLS to a server that does not speak it.
        var hasty = Request(.get, url: "https://127.0.0.1:\(server.port)/")
        hasty.timeouts.tls = .milliseconds(1)
        for (request, kind) in [
            (Request(.post, "close", body: .text("x")), .emptyReply), (Request(.post, "reset"), .connectionLost),
            (Request(.get, "nonsense"), .invalidResponse), (Request(.get, "cut"), .incompleteResponse),
            (Request(.get, "a/../b"), .invalidRequest), (late, .timeout),
            (Request(.post, "close", body: .file(file)), .emptyReply),
            (hasty, .timeout),
        ] as [(Request, CallError.Kind)] {
            let error = await callError { _ = try await client.send(request) }
            #expect(error?.kind == kind, "\(request.summary)")
        }
        let broken = await callError {
            try await client.stream(Request(.get, "cut")) { try await $0.save(to: file) }
        }
        #expect(broken?.kind == .incompleteResponse)

        let cancelled = Task { try await client.get("stall/\(round)") }
        while !server.requests.contains(where: { $0.path == "/stall/\(round)" }) {
            try Task.checkCancellation(); await Task.yield()
        }
        cancelled.cancel()
        _ = await cancelled.result
        let early = Task { try await client.get("stall") }
        early.cancel()
        _ = await early.result

        let first = try await client.stream(Request(.get, "endless")) { response in
            var pieces = response.body.makeAsyncIterator()
            return try await pieces.next()?.count ?? 0
        }
        #expect(first > 0)
        struct GivenUp: Error {}
        await #expect(throws: GivenUp.self) {
            try await client.stream(Request(.get, "endless")) { _ in throw GivenUp() }
        }

        _ = try await onThread { try client.blocking.send(Request(.get, "ok")) }
        let result = await withCheckedContinuation { continuation in
            client.start(Request(.get, "ok"), on: .queue(.init(label: "x"))) { continuation.resume(returning: $0) }
        }
        _ = try result.get()
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func `however calls end, a closed client has no descriptor left`() async throws {
        try await Self.withFolder { folder in
            try await ScriptedServer.start { Self.reply(to: $0) }.use { server in
                let descriptors = Descriptors(port: server.port, folder: folder)
                let client = Client(server.url)
                for round in 0..<10 { try await Self.exercise(client, server, folder: folder, round: round) }
                try await LeakCheck.verify(client)
                _ = try await client.get("ok")
                let kept = try descriptors.open()
                #expect(!kept.isEmpty)
                #expect(kept.allSatisfy { $0.hasPrefix("socket:") })
                await client.close()
                try await descriptors.waitUntilNone()
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    @Test func `nor one that was dropped, or closed under its running calls`() async throws {
        try await Self.withFolder { folder in
            try await ScriptedServer.start { Self.reply(to: $0) }.use { server in
                let descriptors = Descriptors(port: server.port, folder: folder)
                for round in 0..<10 {
                    var client: Client? = Client(server.url)
                    for path in ["ok", "large"] as [RequestPath] { _ = try await client?.get(path) }
                    #expect(try !descriptors.open().isEmpty)
                    let calls: [Task<Response, any Error>] = (0..<4).compactMap { _ in
                        client.map { client in Task { try await client.get("stall/\(round)") } }
                    }
                    while server.requests.filter({ $0.path == "/stall/\(round)" }).count < 4 {
                        try Task.checkCancellation(); await Task.yield()
                    }
                    if round.isMultiple(of: 2) {
                        await client?.close()
                    } else {
                        for call in calls { call.cancel() }
                    }
                    for call in calls { _ = await call.result }
                    client = nil
                    try await descriptors.waitUntilNone()
                }
            }
        }
    }
}
#endif

// HTTP2SharingTests: how many calls share how many HTTP/2 connections.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2SharingTests {
    /// Answers no request until `count` requests have arrived, on this connection or others.
    private static func together(_ count: Int, _ arrived: Log<String>, _ all: Gate) -> FramePeer.Script {
        { connection in
            while true {
                let request = try await connection.nextRequest()
                arrived.add(request[":path"] ?? "")
                if arrived.all.count == count { all.open() }
                Task {
                    try await all.wait()
                    try await connection.respond(request.stream, text: request[":path"] ?? "")
                }
            }
        }
    }

    private static func ask(_ client: Client, _ url: String, _ count: Int) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<count { group.addTask { try await client.get(url: "\(url)/\(index)").text() } }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    private static func paths(_ count: Int) -> Set<String> { Set((0..<count).map { "/\($0)" }) }

    @Test func `calls at once share one connection, each on a stream of its own`() async throws {
        let (arrived, all) = (Log<String>(), Gate())
        let script = Self.together(50, arrived, all)
        try await withPeer {
            try await script($0)
        } client: { peer, client in
            let answer = try await Self.ask(client, peer.url, 50)
            #expect(answer == Self.paths(50))
            #expect(peer.acceptedConnections == 1)
            let streams = peer.connections[0].frames.filter { $0.kind == .headers }.map(\.stream)
            #expect(streams == streams.sorted() && Set(streams).count == 50 && streams.allSatisfy { $0 % 2 == 1 })
        }
    }

    @Test func `when a connection has no stream left, another one is made`() async throws {
        let (arrived, all) = (Log<String>(), Gate())
        let script = Self.together(30, arrived, all)
        try await withPeer(settings: [(3, 10)]) {
            try await script($0)
        } client: { peer, client in
            // The server's settings have arrived by then.
            let first = Task { try await client.get(url: "\(peer.url)/first").text() }
            _ = try await peer.connection(0).frame("the acknowledgement") { $0.kind == .settings && $0.flags == 1 }
            #expect(try await Self.ask(client, peer.url, 29) == Self.paths(29))
            #expect(try await first.value == "/first")
            #expect(peer.acceptedConnections >= 2)
            let most = peer.connections.map { $0.frames.filter { $0.kind == .headers }.count }
            #expect(most[0] == 10, "\(most)")
        }
    }

    @Test func `with a limit of one connection, calls wait for its streams`() async throws {
        let connections = 1
        try await withPeer(settings: [(3, 2)], { $0.connection.connectionsPerOrigin = connections }) { connection in
            try await connection.echo()
        } client: { peer, client in
            _ = try await client.get(url: "\(peer.url)/first")
            #expect(try await Self.ask(client, peer.url, 20) == Self.paths(20))
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `over TLS the server's choice is spoken, and a burst makes one connection`() async throws {
        let (arrived, all) = (Log<String>(), Gate())
        let peer = try await FramePeer.start(
            tls: .localhost, protocols: ["h2", "http/1.1"], Self.together(20, arrived, all))
        try await serving(peer, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }) { peer, client in
            let answer = try await Self.ask(client, peer.url, 20)
            #expect(answer == Self.paths(20))
            #expect(peer.acceptedConnections == 1)
            #expect(try await client.statistics().leased == 0)
        }
    }

    @Test func `a server that chooses HTTP/1.1 is spoken to in it, on as many connections as calls`() async throws {
        let all = Gate()
        let server = try await ScriptedServer.start(tls: .localhost) { _ in .ok("x").after(all) }
        try await serving(
            server, base: server.localhostURL, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
        ) { server, client in
            let calls = (0..<4).map { index in Task { try await client.get("\(index)") } }
            try await server.waitUntil(acceptedConnections: 4)
            all.open()
            for call in calls { #expect(try await call.value.version == .http11) }
        }
    }

    @Test func `who wants HTTP/1.1 alone offers nothing else; who wants HTTP/2 alone takes nothing else`() async throws
    {
        let peer = try await FramePeer.start(tls: .localhost, protocols: ["h2"]) { try await $0.echo() }
        try await serving(
            peer,
            {
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.httpVersion = .http2
            }
        ) { peer, client in
            let response = try await client.get(url: peer.url)
            #expect(response.connection?.tls?.applicationProtocol == "h2")
        }
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(
            server, base: server.localhostURL,
            {
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.httpVersion = .http2
            }
        ) { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls && "\(error)".contains("does not speak HTTP/2"), "\(error)")
        }
    }

    @Test func `a server that answers in HTTP/1 to HTTP/2 is named as such`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in
            [.bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close]
        })
        try await serving(server, { $0.connection.httpVersion = .http2 }) { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidResponse && "\(error)".contains("HTTP/1"), "\(error)")
        }
    }

    @Test func `a proxy that forwards is not spoken to in HTTP/2`() async throws {
        try await serving(
            ScriptedServer.start(),
            { $0.connection.httpVersion = .http2 }
        ) { server, client in
            let through = client.with { $0.connection.proxy = .url(server.url) }
            let error = try await failure { try await through.get(url: "http://origin.example/") }
            #expect(error.kind == .unsupported, "\(error)")
        }
    }

    @Test func `a connection that is idle takes the next call; one that the server has closed does not`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream)
            await connection.close()
        } client: { peer, client in
            _ = try await client.get(url: peer.url)
            try await peer.waitUntil(openConnections: 0)
            _ = try await client.get(url: peer.url)
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test func `PING is answered, also while nothing runs`() async throws {
        try await withPeer { connection in
            let request = try await connection.nextRequest()
            try await connection.respond(request.stream)
            try await connection.ping(0x0102_0304_0506_0708)
            let pong = try await connection.frame("the answer") { $0.kind == .ping && $0.flags == 1 }
            #expect(pong.payload == [1, 2, 3, 4, 5, 6, 7, 8])
        } client: { peer, client in
            _ = try await client.get(url: peer.url)
            _ = try await peer.connection(0).frame("the answer") { $0.kind == .ping && $0.flags == 1 }
            let answer = try await client.statistics().idle
            #expect(answer == 1)
        }
    }

    @Test func `calls that end as they begin leave the connection to those behind them`() async throws {
        let release = Gate()
        try await withPeer(settings: [(3, 1)], { $0.connection.connectionsPerOrigin = 1 }) { connection in
            var isFirst = true
            while true {
                let request = try await connection.nextRequest()
                if isFirst { try await release.wait() }
                isFirst = false
                try await connection.respond(request.stream, text: request[":path"] ?? "")
            }
        } client: { peer, client in
            let events = EventLog()
            let first = Task { try await client.get(url: "\(peer.url)/first").text() }
            _ = try await peer.connection(0).frame("the acknowledgement") { $0.kind == .settings && $0.flags == 1 }
            // The calls cancel themselves as soon as they are sent.
            let doomed = (0..<3).map { _ in Doomed() }
            let observation = client.observe { event in
                events.add(event)
                if case .sent(let request) = event.kind, request.uri?.target.hasPrefix("/doomed") == true {
                    for box in doomed { box.cancel() }
                }
            }
            for (index, box) in doomed.enumerated() {
                box.start { try await client.get(url: "\(peer.url)/doomed/\(index)") }
            }
            let last = Task { try await client.get(url: "\(peer.url)/last").text() }
            while try await client.statistics().waiting < 4 { try Task.checkCancellation(); await Task.yield() }
            release.open()
            #expect(try await first.value == "/first")
            for box in doomed { #expect(await callError { _ = try await box.value() }?.kind == .cancelled) }
            #expect(try await last.value == "/last")
            withExtendedLifetime(observation) {}
            let statistics = try await client.statistics()
            #expect(statistics.leased == 0 && statistics.idle == 1)
        }
    }

    @Test func `a waiting POST leaves a half-closed connection to the responses that have come`() async throws {
        let answer = Gate()
        try await withPeer(settings: [(3, 2)], { $0.connection.connectionsPerOrigin = 1 }) { connection in
            if connection.number > 0 { return try await connection.echo() }
            let streams = [try await connection.nextRequest().stream, try await connection.nextRequest().stream]
            try await answer.wait()
            // Both in one write, with `:status: 200` as the index 8 of the static table.
            try await connection.send(
                streams.flatMap { stream in
                    FrameConnection.frames(stream, [0x88], flags: PeerFrame.Flag.endStream).flatMap(\.bytes)
                })
            await connection.close()
        } client: { peer, client in
            async let first = client.get(url: "\(peer.url)/1").status
            async let second = client.get(url: "\(peer.url)/2").status
            _ = try await peer.connection(0).frame("the second request") { $0.kind == .headers && $0.stream == 3 }
            async let third = client.post(url: "\(peer.url)/3", body: .text("hello")).status
            while try await client.statistics().waiting < 1 { try Task.checkCancellation(); await Task.yield() }
            // Both responses and the end have come when the loop reads.
            let loops = try HeldLoops()
            answer.open()
            try await peer.waitUntil(openConnections: 0)
            loops.release()
            let statuses = try await [first, second, third]
            #expect(statuses.map(\.code) == [200, 200, 200])
            #expect(peer.acceptedConnections == 2)
        }
    }

    @Test func `a connection on which nothing has come since a call that is given up is left`() async throws {
        try await withPeer { connection in
            if connection.number > 0 { return try await connection.echo() }
            let first = try await connection.nextRequest()
            try await connection.respond(first.stream, text: "once")
        } client: { peer, client in
            let once = try await client.get(url: peer.url).text()
            #expect(once == "once")
            let hasty = client.with {
                $0.retry = .off
                $0.timeouts.total = .milliseconds(1_500)
            }
            let error = try await failure { try await hasty.get(url: peer.url) }
            #expect(error.kind == .timeout, "\(error)")
            #expect(try await client.get(url: "\(peer.url)/next").text() == "/next")
            #expect(peer.acceptedConnections == 2)
        }
    }
}

/// A call that other code can cancel.
private final class Doomed: Sendable {
    private let task = Mutex<Task<Response, any Error>?>(nil)

    func start(_ call: @escaping @Sendable () async throws -> Response) {
        task.withLock { $0 = Task { try await call() } }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    func value() async throws { _ = try await task.withLock { $0 }?.value }
}

// LinkConditionsTests: slow connections, as a schedule and on a socket.

import HTTPTypes
import Testing
import Tsubame
@testable import TsubameTesting

@Suite struct LinkConditionsTests {
    @Test func `latency and jitter come from the seed, and the order is kept`() {
        let conditions = LinkConditions(latency: .milliseconds(20), jitter: .milliseconds(10), seed: 7)
        var schedule = LinkConditions.Schedule(conditions, connection: 3)
        var same = LinkConditions.Schedule(conditions, connection: 3)
        var other = LinkConditions.Schedule(conditions, connection: 4)
        var (last, differences) = (Duration.zero, 0)
        for step in 0..<100 {
            let now = Duration.milliseconds(step)
            let due = schedule.due(100, writtenAt: now)
            #expect(due >= last)
            #expect(due >= now + .milliseconds(20))
            #expect(due == same.due(100, writtenAt: now))
            #expect(due <= max(last, now + .milliseconds(30)))
            if due != other.due(100, writtenAt: now) { differences += 1 }
            last = due
        }
        #expect(differences > 0)
    }

    @Test func `the throughput spaces bytes out`() {
        var schedule = LinkConditions.Schedule(LinkConditions(bytesPerSecond: 1_000), connection: 0)
        #expect(schedule.pieceBytes == 10)
        #expect(schedule.due(500, writtenAt: .seconds(1)) == .milliseconds(1_500))
        #expect(schedule.due(500, writtenAt: .seconds(1)) == .seconds(2))
        #expect(schedule.due(100, writtenAt: .seconds(5)) == .milliseconds(5_100))
        #expect(schedule.read(250, at: .seconds(1)) == .milliseconds(1_250))
        #expect(schedule.read(250, at: .seconds(1)) == .milliseconds(1_500))
    }

    @Test func `a limit below one byte a second is one byte a second`() {
        var schedule = LinkConditions.Schedule(LinkConditions(bytesPerSecond: 0), connection: 0)
        #expect(schedule.pieceBytes == 1)
        #expect(schedule.due(1, writtenAt: .zero) == .seconds(1))
    }

    @Test func `over a slow link a response ends before its connection does`() async throws {
        let link = LinkConditions(latency: .milliseconds(50))
        let server = try await ScriptedServer.start(versions: [.http2], link: link) { _ in
            Reply.ok("hello").interrupted(.afterResponse, by: .close)
        }
        try await server.use { server in
            try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { client async throws in
                #expect(try await client.get("").text() == "hello")
            }
        }
    }

    @Test func `over a slow link two streams may close their connection at once`() async throws {
        let link = LinkConditions(latency: .milliseconds(50))
        let gate = Gate()
        let server = try await ScriptedServer.start(tls: .localhost, versions: [.http2], link: link) { request in
            request.target == "/first" ? .ok("hello") : Reply.close.after(gate)
        }
        try await server.use { server in
            try await withClient(
                server.url, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
            ) { client async throws in
                #expect(try await client.get("first").text() == "hello")
                let calls = ["a", "b"].map { path in Task { try await client.post(path: path) } }
                try await gate.waitForArrivals(2)
                gate.open()
                for call in calls { await #expect(throws: CallError.self) { _ = try await call.value } }
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    @Test func `a server with a very slow link stops at once`() async throws {
        let link = LinkConditions(bytesPerSecond: 100)
        let server = try await ScriptedServer.start(link: link) { _ in .ok(Array(repeating: 1, count: 3_000_000)) }
        let client = try await RawClient.connect(to: server)
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await server.request(0)
        await server.stop()
        #expect(server.openConnections == 0)
        await client.close()
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `calls over a slow link take their time and lose nothing`(version: HTTPVersion) async throws {
        let link = LinkConditions(
            latency: .milliseconds(30), jitter: .milliseconds(5), bytesPerSecond: 200_000, seed: 1)
        let authority = try TestAuthority()
        let server = try await ScriptedServer.start(
            tls: try authority.identity(), versions: [version], link: link
        ) { .status(.ok, $0.body) }
        try await server.use { server async throws in
            try await withClient(
                server.url, { $0.connection.tls.roots = .pem(authority.certificatePEM) }
            ) { client in
                let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let begin = ContinuousClock.now
                let response = try await client.post("", body: .bytes(bytes))
                #expect(response.version == version)
                #expect(Array(response.data) == bytes)
                // A handshake, a response with 100 ms of bytes: lower bounds only, because a machine may be slow.
                #expect(ContinuousClock.now - begin > .milliseconds(160))
            }
        }
    }

    @Test func `a close waits for bytes that are on their way`() async throws {
        let link = LinkConditions(latency: .milliseconds(20), bytesPerSecond: 10_000)
        let server = try await ScriptedServer.start(link: link) { _ in Reply.ok("hello").then(.halfClose) }
        try await server.use { server async throws in
            let client = try await RawClient.connect(to: server)
            try await client.send("GET / HTTP/1.1\r\n\r\n")
            #expect(try await client.receivedAll().hasSuffix("hello"))
            await client.close()
        }
    }
}

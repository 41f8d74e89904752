// ScriptedServerTests: the records of a ScriptedServer, the order of its replies, and its stop.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

private func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }

@Suite struct ScriptedServerTests {
    @Test func `records a request down to its bytes`() async throws {
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            let head = "POST /a/b?c=d%20e HTTP/1.1\r\nHost:  x \r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 5\r\n\r\n"
            try await client.send(head + "hello")
            let request = try await server.request(0)
            #expect(request.headText == head)
            #expect(request.method == "POST")
            #expect(request.target == "/a/b?c=d%20e")
            #expect(request.path == "/a/b")
            #expect(request.query == "c=d%20e")
            #expect(request.version == "HTTP/1.1")
            #expect(request.fields.map(\.name) == ["Host", "X-Two", "x-two", "Content-Length"])
            #expect(request["hOST"] == "x")
            #expect(request.values("X-TWO") == ["1", "2"])
            #expect(request.text == "hello")
            #expect(request.rawBody == Array("hello".utf8))
            #expect(request.bodyByteCount == 5)
            #expect(request.isComplete && request.hasEnded && request.problem == nil)
            #expect(request.serverName == nil && request.tlsVersion == nil)
            #expect(server.acceptedBodyBytes == 5)
            #expect(!request.description.contains("d%20e"))
            await client.close()
        }
    }

    @Test func `keeps only as many requests as it is told to`() async throws {
        try await ScriptedServer.start(keepingRequests: 4, { .ok("\($0.index)") }).use { server in
            let client = try await RawClient.connect(to: server)
            for number in 0..<9 {
                try await client.send(get("/\(number)"))
                #expect(try await server.request(number).target == "/\(number)")
            }
            #expect(server.requests.map(\.index) == [6, 7, 8])
            let error = await #expect(throws: ScriptedServer.Forgotten.self) { try await server.request(5) }
            #expect(error?.description == "ScriptedServer keeps request 5 no longer; see keepingRequests")
            await client.close()
        }
    }

    @Test func `does not forget a request that is still arriving`() async throws {
        try await ScriptedServer.start(keepingRequests: 2, { .ok("\($0.index): \($0.text)") }).use { server in
            let slow = try await RawClient.connect(to: server)
            try await slow.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
            _ = try await server.head(0)
            let client = try await RawClient.connect(to: server)
            for number in 1..<6 {
                try await client.send(get("/\(number)"))
                _ = try await server.request(number)
            }
            try await slow.send("b")
            #expect(try await server.request(0).text == "ab")
            await slow.close()
            await client.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `HEAD for a reply of very many chunks is answered`() async throws {
        let pieces = Array(repeating: "x", count: 100_000)
        try await ScriptedServer.start { _ in Reply.chunked(pieces).then(.close) }.use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.receivedAll() == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            await client.close()
        }
    }

    @Test func `an absurd pause and an empty piece do not hang a reply`() async throws {
        let reply: Reply = [.pause(for: .seconds(Int64.min))]
        try await ScriptedServer.start { _ in reply.followed(by: .stream(100, of: [])) }.use { server in
            try await withClient(server.url) { client async throws in
                #expect(try await client.get("").data.isEmpty)
            }
        }
    }

    @Test func `numbers requests over all connections and on each`() async throws {
        try await ScriptedServer.start().use { server in
            let first = try await RawClient.connect(to: server)
            try await first.send(get("/0"))
            _ = try await server.request(0)
            let second = try await RawClient.connect(to: server)
            try await second.send(get("/1"))
            _ = try await server.request(1)
            try await first.send(get("/2"))
            _ = try await server.request(2)
            #expect(server.requests.map(\.target) == ["/0", "/1", "/2"])
            #expect(server.requests.map(\.index) == [0, 1, 2])
            #expect(server.requests.map(\.connection) == [0, 1, 0])
            #expect(server.requests.map(\.indexOnConnection) == [0, 0, 1])
            #expect(server.acceptedConnections == 2)
            #expect(server.openConnections == 2)
            await first.close()
            try await server.waitUntil(openConnections: 1)
            await second.close()
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `answers pipelined requests in order, each after the one before`() async throws {
        let gate = Gate()
        try await ScriptedServer.start {
            $0.index == 0 ? Reply.ok("first").after(gate) : .ok("second")
        }.use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send(get("/0") + get("/1"))
            _ = try await server.request(1)
            #expect(client.text.isEmpty)
            gate.open()
            let text = try await client.received(endingIn: "second")
            #expect(text.contains("first") && text.hasSuffix("second"))
            await client.close()
        }
    }

    @Test func `gives queued replies in the order of arrival and then 500`() async throws {
        try await ScriptedServer.start(replies: [.ok("one"), .status(404, "two")]).use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send(get("/a"))
            #expect(
                try await client.received(endingIn: "one")
                    == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n\r\none")
            let other = try await RawClient.connect(to: server)
            try await other.send(get("/b"))
            #expect(try await other.received(endingIn: "two").hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            try await client.send(get("/c"))
            let text = try await client.received(endingIn: "started with 2")
            #expect(text.contains("HTTP/1.1 500 Internal Server Error\r\n"))
            #expect(text.contains("no reply is left for request 2 (GET /c)"))
            await client.close()
            await other.close()
        }
    }

    @Test func `begins an early reply before the body has come`() async throws {
        let early = Reply.bytes("HTTP/1.1 100 Continue\r\n\r\n").early.then(.wholeRequest, .bytes("whole"))
        try await ScriptedServer.start(replies: [early]).use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n")
            #expect(try await client.received(endingIn: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            let head = try await server.head(0)
            #expect(!head.isComplete && !head.hasEnded)
            try await client.send("body")
            #expect(try await client.received(endingIn: "whole").hasSuffix("whole"))
            #expect(try await server.request(0).text == "body")
            await client.close()
        }
    }

    @Test func `asks onHead first and the script only if that has no reply`() async throws {
        try await ScriptedServer.start { _ in
            .ok("at the end")
        } onHead: { request in
            request.target == "/early" ? .ok("at the head") : nil
        }.use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST /early HTTP/1.1\r\nContent-Length: 1\r\n\r\n")
            #expect(try await client.received(endingIn: "head").hasSuffix("at the head"))
            try await client.send("x" + get("/late"))
            #expect(try await client.received(endingIn: "end").hasSuffix("at the end"))
            await client.close()
        }
    }

    @Test func `keeps only as much of a body as it was told to, and counts all of it`() async throws {
        try await ScriptedServer.start(keepingBodyBytes: 10).use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n")
            try await client.send(Array(repeating: 0x61, count: 100_000))
            let request = try await server.request(0)
            #expect(request.body.count == 10)
            #expect(request.bodyByteCount == 100_000)
            #expect(server.acceptedBodyBytes == 100_000)
            await client.close()
        }
    }

    @Test func `gives a request that was cut off as it is when its connection ends`() async throws {
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf")
            _ = try await server.head(0)
            try await server.waitUntil(acceptedBodyBytes: 4)
            await client.close()
            let request = try await server.request(0)
            #expect(request.hasEnded && !request.isComplete)
            #expect(request.text == "half")
        }
    }

    @Test func `stop ends stalled connections, and those who wait`() async throws {
        let never = Gate()
        let server = try await ScriptedServer.start { $0.index == 0 ? .stall : Reply.ok().after(never) }
        let stalled = try await RawClient.connect(to: server)
        try await stalled.send(get("/stalled"))
        _ = try await server.request(0)
        let waiting = try await RawClient.connect(to: server)
        try await waiting.send(get("/waiting"))
        try await never.waitForArrivals(1)
        let silent = try await RawClient.connect(to: server)
        try await server.waitUntil(acceptedConnections: 3)

        let request = Task { try await server.request(2) }
        let connections = Task { try await server.waitUntil(openConnections: 7) }
        await server.stop()
        #expect(server.openConnections == 0)
        await #expect(throws: ScriptedServer.Stopped.self) { _ = try await request.value }
        await #expect(throws: ScriptedServer.Stopped.self) { try await connections.value }
        #expect(try await stalled.end() == .closed)
        #expect(try await waiting.end() == .closed)
        #expect(try await silent.end() == .closed)
        #expect(never.waiting == 0)
        // Another test's server may have taken the port by now, so that the connection is made.
        await (try? RawClient.connect(to: server))?.close()
        #expect(server.acceptedConnections == 3)
        await server.stop()
        #expect(server.requests.count == 2)
    }

    @Test func `a number of connections was reached, also if the next connection came at once`() async throws {
        let executor = HeldJobs()
        try await ScriptedServer.start().use { server in
            let first = try await RawClient.connect(to: server)
            try await server.waitUntil(openConnections: 1)
            let wait = Task(executorPreference: executor) { try await server.waitUntil(openConnections: 0) }
            executor.runAll()
            await first.close()
            try await server.waitUntil(openConnections: 0)
            let second = try await RawClient.connect(to: server)
            try await server.waitUntil(openConnections: 1)
            executor.runAll()
            try await wait.value
            await second.close()
        }
    }

    @Test func `a wait for what never comes ends, and says what has come`() async throws {
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await server.request(0)
            let error = await #expect(throws: WaitTimeout.self) {
                _ = try await server.request(1, within: .milliseconds(20))
            }
            #expect(
                error?.description == """
                    waited 0.02 seconds for request 1, counted from 0, at the ScriptedServer on port \(server.port); \
                    so far: 1 requests, the last one whole, 1 connections accepted, 1 open, \
                    0 bytes of bodies received, 0 sent
                    """)
            await #expect(throws: WaitTimeout.self) {
                try await server.waitUntil(openConnections: 2, within: .milliseconds(20))
            }
            await #expect(throws: WaitTimeout.self) { try await server.waitUntilBlocked(within: .milliseconds(20)) }
            await client.close()
        }
    }

    @Test func `stop ends a body that is blocked`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil) }
        let client = try await RawClient.connect(to: server, isPaused: true)
        try await client.send(get("/"))
        try await server.waitUntilBlocked(for: .milliseconds(20))
        await server.stop()
        #expect(server.openConnections == 0)
        await client.close()
    }

    @Test func `a server that is dropped stops`() async throws {
        var server: ScriptedServer? = try await ScriptedServer.start { _ in .stall }
        let client = try await RawClient.connect(to: try #require(server))
        try await client.send(get("/"))
        _ = try await server?.request(0)
        server = nil
        #expect(try await client.end() == .closed)
    }

    @Test func `use stops the server when its body throws`() async throws {
        struct Problem: Error {}
        let server = try await ScriptedServer.start()
        await #expect(throws: Problem.self) { try await server.use { _ in throw Problem() } }
        await #expect(throws: (any Error).self) { _ = try await RawClient.connect(to: server) }
    }

    @Test func `a wait obeys the cancellation of its task`() async throws {
        try await ScriptedServer.start().use { server in
            let task = Task { try await server.request(0) }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test func `its URL leads to it`() async throws {
        try await ScriptedServer.start().use { server in
            #expect(server.url == "http://127.0.0.1:\(server.port)")
            #expect(server.port > 0)
        }
    }
}

/// An executor that keeps its jobs until it is told to run them.
private final class HeldJobs: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

// ReuseTests: when a connection may carry another request, and when it must not.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct ReuseTests {
    @Test func `calls one after the other share a connection`() async throws {
        try await serving(try await ScriptedServer.start { _ in .ok("hello") }) { server, client in
            for index in 0..<5 {
                let response = try await client.get(url: server.url)
                #expect(response.connection?.isReused == (index > 0))
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        // FAULT 29, BAD-INPUT 5: chunks in a version that has no chunks.
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        // BAD-INPUT 4 and 9: the start of the next response is in doubt.
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok",
        // BAD-INPUT 10: bytes after the response.
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ])
    func `a connection whose response ends it, or leaves in doubt where it ends, is not used again`(
        _ answer: String
    ) async throws {
        try await serving(try await ScriptedServer.start { _ in .bytes(answer) }) { server, client in
            for _ in 0..<2 {
                let response = try await client.get(url: server.url)
                #expect(response.bytes == Bytes(response.statusCode == 204 ? "" : "ok"))
                #expect(response.connection?.isReused == false)
            }
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `Connection close of the caller's is sent and ends the connection`() async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            for _ in 0..<2 {
                _ = try await client.send(Request(.get, url: server.url, headers: [.connection: "close"]))
            }
            #expect(server.acceptedConnections == 2)
            #expect(server.requests.allSatisfy { $0["connection"] == "close" })
        }
    }

    @Test func `FAULT 29, BAD-INPUT 5: an event says that an HTTP/1.0 response is chunked`() async throws {
        let answer = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        try await serving(try await ScriptedServer.start { _ in .bytes(answer) }) { server, client in
            let log = Log<CallEvent>()
            let observation = client.observe { log.add($0) }
            let response = try await client.get(url: server.url)
            #expect(response.bytes == Bytes("ok"))
            observation.cancel()
            #expect(log.decisions == ["the HTTP/1.0 response is read as chunked, and its connection closed after it"])
        }
    }

    @Test func `HTTP/1.0 with keep-alive is kept`() async throws {
        let answer = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        try await serving(try await ScriptedServer.start { _ in .bytes(answer) }) { server, client in
            for _ in 0..<2 { _ = try await client.get(url: server.url) }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a connection that its server closed while it was idle is not used`(
        _ method: HTTPRequest.Method
    ) async throws {
        // Even if the client had no time to see the close, because a POST could not be repeated.
        let server = try await ScriptedServer.start { request in
            request.indexOnConnection == 0 ? Reply.ok("once").then(.close) : .close
        }
        try await serving(server) { server, client in
            for _ in 0..<20 {
                try await server.waitUntil(openConnections: 0)
                let body: RequestBody = method == .post ? .text("hello") : .empty
                let response = try await client.send(Request(method, url: server.url, body: body))
                #expect(response.connection?.isReused == false)
            }
            #expect(server.requests.count == 20)
        }
    }

    @Test func `BAD-INPUT 10: bytes that come while nothing was asked for end the connection`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            let evil = Reply.Step.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            return request.connection == 0 ? Reply.ok("good").then(.wait(for: gate), evil, .stall) : .ok("good")
        }
        try await serving(server) { server, client in
            #expect(try await client.get(url: server.url).bytes == Bytes("good"))
            gate.open()
            try await server.waitUntil(openConnections: 0)
            #expect(try await client.get(url: server.url).bytes == Bytes("good"))
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `BAD-INPUT 10: nor are they an answer if the loop has not looked at its sockets since`(
        _ method: HTTPRequest.Method
    ) async throws {
        let gate = Gate()
        let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
        let server = try await ScriptedServer.start { request in
            request.connection == 0
                ? Reply.ok("good").then(.wait(for: gate), .repeating(evil, count: evil.count), .stall) : .ok("good")
        }
        try await serving(server) { server, client in
            let task = Task(executorPreference: client.executor) {
                let first = try await client.get(url: server.url).bytes
                gate.open()
                // The loop's thread waits here until the bytes are in its socket.
                while server.sentBodyBytes < evil.count {}
                return [first, try await client.send(Request(method, url: server.url)).bytes]
            }
            let bodies = try await task.value
            #expect(bodies == [Bytes("good"), Bytes("good")])
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A body of the length 0 holds the head back until its reader has said that nothing follows.
    @Test(arguments: [HTTPRequest.Method.put, .post])
    func `BAD-INPUT 10: nor while the head of a request waits for its body`(_ method: HTTPRequest.Method) async throws {
        let (asked, goes) = (Gate(), Gate())
        let evil = Reply.Step.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        let server = try await ScriptedServer.start { request in
            request.connection == 0 ? Reply.ok("good").then(.wait(for: asked), evil, .stall) : .ok("good")
        }
        try await serving(server) { server, client in
            #expect(try await client.get(url: server.url).bytes == Bytes("good"))
            let body = RequestBody.stream(length: 0) {
                AsyncStream<Bytes> {
                    asked.open()
                    try? await goes.wait()
                    return nil
                }
            }
            let call = Task { try await client.send(Request(method, url: server.url, body: body)).bytes }
            if method == .put {
                try await server.waitUntil(acceptedConnections: 2)
            } else {
                try await server.waitUntil(openConnections: 0)
            }
            goes.open()
            let result = await call.result
            if method == .put {
                #expect(try result.get() == Bytes("good"))
            } else {
                #expect(throws: CallError.self) { try result.get() }
            }
            #expect(server.requests.allSatisfy { $0.connection != 0 || $0.index == 0 })
        }
    }

    /// A response of exactly `length` bytes, followed by a response that no request asked for.
    private static func forged(_ length: Int) -> [[UInt8]] {
        let digits = "\(length - 41)"
        let padding = String(repeating: " ", count: 4 - digits.count)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(padding)\(digits)\r\n\r\n"
        let first = Array(head.utf8) + [UInt8](repeating: 0x67, count: length - head.utf8.count)
        return [first, Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)]
    }

    @Test(arguments: [false, true])
    func `FAULT 3, BAD-INPUT 10: a second response is not the next one's answer, though the first fills a read`(
        onLoop: Bool
    ) async throws {
        let answer = Self.forged(4_096).flatMap { $0 }
        try await serving(.start { _ in .bytes(answer) }, { $0.connection.connectionsPerOrigin = 1 }) {
            server, client in
            for _ in 0..<10 {
                let task = Task(executorPreference: onLoop ? client.executor : nil) {
                    if onLoop { return [try await client.get("1").bytes, try await client.get("2").bytes] }
                    async let first = client.get("1").bytes
                    async let second = client.get("2").bytes
                    return try await [first, second]
                }
                let bodies = try await task.value
                #expect(bodies.map(\.count) == [4_055, 4_055])
            }
            #expect(server.acceptedConnections == 20)
        }
    }

    @Test func `a request that is cancelled while its connection is to be read leaves nothing behind`() async throws {
        let answer = Self.forged(4_096).flatMap { $0 }
        let (asked, gates) = ((0..<10).map { _ in Gate() }, (0..<10).map { _ in Gate() })
        let server = try await ScriptedServer.start { request in
            guard let round = request.target.split(separator: "first").last.flatMap({ Int($0) }) else {
                return .ok("good")
            }
            asked[round].open()
            return Reply.bytes(answer).after(gates[round])
        }
        try await serving(server, { $0.connection.connectionsPerOrigin = 1 }) { server, client in
            // A first response hands the connection to a second call, and is told of on the loop before the loop looks.
            let second = Mutex<Task<Response, any Error>?>(nil)
            let observation = client.observe { event in
                guard case .headReceived(let response) = event.kind,
                    response.request.uri?.target.hasPrefix("/first") == true
                else { return }
                second.withLock { $0 }?.cancel()
            }
            for round in 0..<10 {
                let first = Task { try await client.get("first\(round)") }
                try await asked[round].wait()
                let task = Task { try await client.get("second") }
                second.withLock { $0 = task }
                while try await client.statistics().waiting < 1 { try Task.checkCancellation(); await Task.yield() }
                gates[round].open()
                #expect(try await first.value.bytes.count == 4_055)
                _ = await task.result
                #expect(try await client.get("third").bytes == Bytes("good"))
                #expect(try await client.statistics().leased == 0)
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [1_024, 2_048, 4_096, 8_192], [false, true])
    func `FAULT 3, BAD-INPUT 10: nor over TLS, where the second response is a record of its own`(
        length: Int, onLoop: Bool
    ) async throws {
        // A record of TLS 1.3 is 22 bytes longer than its content. Both records are sent by one write: records that arrive
        // one by one cannot be told from two responses.
        let answer = Self.forged(length - 22)
        let server = try await ScriptedServer.start(
            tls: .localhost, { $0.indexOnConnection == 0 ? .ok("good") : [.together(answer), .stall] })
        try await serving(
            server, base: server.localhostURL,
            {
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.connectionsPerOrigin = 1
            }
        ) { server, client in
            let bodies = try await Task(executorPreference: onLoop ? client.executor : nil) {
                _ = try await client.get("1")
                async let second = client.get("2").bytes
                async let third = client.get("3").bytes
                return try await [second, third]
            }.value
            #expect(bodies.map(\.count).sorted() == [4, length - 63])
            #expect(bodies.contains(Bytes("good")))
            #expect(server.acceptedConnections == 2)
        }
    }

    /// On the first connection, a second response follows that was not asked for.
    private static func evil(after gate: Gate, until sent: Gate, on request: ReceivedRequest) -> Reply {
        guard request.connection == 0 else { return .ok("good") }
        let evil = Reply.Step.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        return Reply.ok("good").then(.wait(for: gate), evil, .wait(for: sent), .stall)
    }

    @Test func `BAD-INPUT 10: nor if the loop has looked at its sockets, and was then held while they came`()
        async throws
    {
        let (gate, sent) = (Gate(), Gate())
        try await serving(.start { Self.evil(after: gate, until: sent, on: $0) }) { server, client in
            let second = try await Task(executorPreference: client.executor) {
                _ = try await client.get(url: server.url)
                // The loop turns, and looks at its sockets.
                for _ in 0..<10 { await Task.yield() }
                gate.open()
                #expect(waitHere { try await sent.waitForArrivals(1) })
                return try await client.get(url: server.url).bytes
            }.value
            #expect(second == Bytes("good"))
            #expect(server.acceptedConnections == 2)
            sent.open()
        }
    }

    #if os(Linux)
    @Test func `BAD-INPUT 10: nor are they taken for the answer to a POST if the loop had no time to read them`()
        async throws
    {
        let (gate, sent) = (Gate(), Gate())
        try await serving(.start { Self.evil(after: gate, until: sent, on: $0) }) { server, client in
            // The wait is on the loop itself, which reads no bytes meanwhile.
            let answers = Task(executorPreference: client.executor) {
                let first = try await client.get(url: server.url).bytes
                gate.open(after: 60)
                #expect(waitHere { try await sent.waitForArrivals(1) })
                let second = try await client.post(url: server.url, body: .text("hello")).bytes
                return [first, second]
            }
            let given = try await answers.value
            #expect(given == [Bytes("good"), Bytes("good")])
            #expect(server.acceptedConnections == 2)
            sent.open()
        }
    }

    @Test func `BAD-INPUT 10: nor for the answer to a request that the broken connection did not take`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            let evil = Reply.Step.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            guard request.connection == 0 else { return .ok("good") }
            return Reply.ok("good").then(.wait(for: gate), evil, .reset)
        }
        try await serving(server) { server, client in
            // The loop itself waits, so it reads neither the bytes nor the reset before the second request.
            let answers = Task(executorPreference: client.executor) {
                let first = try await client.get(url: server.url).bytes
                gate.open()
                #expect(waitHere { try await server.waitUntil(openConnections: 0) })
                return [first, try await client.get(url: server.url).bytes]
            }
            let given = try await answers.value
            #expect(given == [Bytes("good"), Bytes("good")])
            #expect(server.acceptedConnections == 2)
        }
    }
    #endif

    @Test func `an idle connection is closed after its lifetime`() async throws {
        try await serving(
            try await ScriptedServer.start(), { $0.connection.idleConnectionLifetime = .milliseconds(10) }
        ) { server, client in
            _ = try await client.get(url: server.url)
            try await server.waitUntil(openConnections: 0)
            _ = try await client.get(url: server.url)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `no more connections are made to an origin than are allowed, and every call gets its turn`() async throws
    {
        let server = try await ScriptedServer.start { .ok($0.target) }
        try await serving(server, { $0.connection.connectionsPerOrigin = 3 }) { server, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<64 {
                    group.addTask { try await client.get("\(index)").bytes == Bytes("/\(index)") }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.acceptedConnections <= 3)
            #expect(await client.statistics().leased == 0)
        }
    }

    @Test func `a connection that was made for one call is not given to another that waits longer`() async throws {
        let answer = Gate()
        let server = try await ScriptedServer.start(
            tls: .localhost, { _ in .ok("x").after(answer) }, onConnect: { $0 == 0 ? [.stopReading, .stall] : nil })
        try await serving(
            server, base: server.localhostURL, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
        ) { server, client in
            let first = Task { try await client.get("1") }
            try await server.waitUntil(acceptedConnections: 1)
            let second = Task { try await client.get("2") }
            // If the first call had got its connection, this one would wait for a handshake that never comes.
            #expect(try await server.head(0).path == "/2")
            first.cancel()
            _ = await first.result
            // The loop takes a cancelled call out after the caller has gone on. Before that, the connection could go to it.
            #expect(await client.statistics().waiting == 0)
            answer.open()
            #expect(try await second.value.timings.secured != nil)
        }
    }

    @Test func `what was being connected for a call that found another connection ends with the client`() async throws {
        let answer = Gate()
        let server = try await ScriptedServer.start(
            tls: .localhost, { $0.path == "/2" ? .ok("x").after(answer) : .ok("x") },
            onConnect: { $0 == 0 ? [.stopReading, .stall] : nil })
        try await server.use { server in
            let client = Client(server.localhostURL) { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
            let first = Task { try await client.get("1") }
            try await server.waitUntil(acceptedConnections: 1)
            let second = Task { try await client.get("2") }
            _ = try await server.head(0)
            answer.open()
            #expect(try await first.value.connection?.isReused == true)
            _ = try await second.value
            #expect(await client.statistics().connecting == 1)
            await client.close()
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `limits are those of the call, on whatever connection it runs`() async throws {
        let server = try await ScriptedServer.start { request in
            .ok("x", headers: [.server: String(repeating: "x", count: request.path == "/long" ? 200 : 2)])
        }
        try await serving(server) { server, client in
            let strict = client.with { $0.limits.headBytes = 20 }
            _ = try await client.get("1")
            let error = try await failure { try await strict.get("2") }
            #expect(error.kind == .limitExceeded && error.connection?.isReused == true)
            // Conversely, a connection that was made for a call with a lower limit serves this one.
            _ = try await client.with { $0.limits.headBytes = 150 }.get("3")
            let response = try await client.get("long")
            #expect(response.statusCode == 200 && response.connection?.isReused == true)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `a response whose body nobody reads gives its connection up`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil) }
        try await serving(server) { server, client in
            try await client.stream(Request(.get, url: server.url)) { _ in }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `resolve takes a host in any case, and the port of the origin where it names none`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.resolve = ["API.example:\(server.port)": "127.0.0.1"] }) {
            server, client in
            let response = try await client.get(url: "http://api.example:\(server.port)/")
            #expect(response.statusCode == 200)
        }
        try await withClient("http://api.example", { $0.connection.resolve = ["api.example:80": "::1:80"] }) { client in
            let error = try await failure { try await client.get(url: "http://api.example/") }
            #expect(error.kind == .invalidRequest && error.advice == "an IPv6 address stands in brackets")
        }
    }

    @Test func `resolve sends a host elsewhere, and the host stays what it is for the server`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.resolve = ["api.example:8080": "127.0.0.1:\(server.port)"] }) {
            server, client in
            _ = try await client.get(url: "http://api.example:8080/x")
            #expect(try await server.request(0)["host"] == "api.example:8080")
        }
    }
}

// InterruptionTests: every moment at which a reply can go wrong, over HTTP/1.1 and HTTP/2.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct InterruptionTests {
    private let request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"

    /// All that a client of HTTP/1.1 receives up to the end of the connection.
    private func received(_ reply: Reply, sending text: String) async throws -> String {
        try await ScriptedServer.start(replies: [reply]).use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send(text)
            let received = try await client.receivedAll()
            await client.close()
            return received
        }
    }

    @Test func `an early moment does not wait for the whole request`() async throws {
        let ok = Reply.ok("hello")
        #expect(try await received(ok.interrupted(.requestHead, by: .close), sending: request) == "")
        #expect(
            try await received(
                ok.interrupted(.requestBody(after: 3), by: .bytes("HTTP/1.1 400 No\r\n\r\n"), .close),
                sending: request + "123") == "HTTP/1.1 400 No\r\n\r\n")
    }

    @Test func `before the head, in the head, in the body and after the response`() async throws {
        let whole = request + "0123456789"
        let ok = Reply.ok("hello")
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n"
        #expect(try await received(ok.interrupted(.beforeHead, by: .close), sending: whole) == "")
        #expect(try await received(ok.interrupted(.inHead(after: 9), by: .close), sending: whole) == "HTTP/1.1 ")
        #expect(
            try await received(ok.interrupted(.inHead(after: 9), by: .bytes("junk"), .close), sending: whole)
                == "HTTP/1.1 junk")
        #expect(try await received(ok.interrupted(.inBody(after: 0), by: .close), sending: whole) == text)
        #expect(try await received(ok.interrupted(.inBody(after: 2), by: .close), sending: whole) == text + "he")
        #expect(
            try await received(ok.interrupted(.afterResponse, by: .close), sending: whole) == text + "hello")
        #expect(
            try await received(ok.followed(by: .ok("x")).then(.close), sending: whole)
                == text + "hello" + text.replacing("Length: 5", with: "Length: 1") + "x")
    }

    @Test func `chunks and long bodies are cut at the byte`() async throws {
        let chunked = Reply.chunked(["one", "two"]).interrupted(.inBody(after: 4), by: .close)
        #expect(
            try await received(chunked, sending: "GET / HTTP/1.1\r\n\r\n")
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\nt")
        let long = Reply.stream(1 << 20, of: [0x78]).interrupted(.inBody(after: 70_001), by: .close)
        #expect(
            try await received(long, sending: "GET / HTTP/1.1\r\n\r\n")
                == "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" + String(repeating: "x", count: 70_001))
    }

    @Test(.timeLimit(.minutes(1)))
    func `an interrupted body may stand in a longer reply`() async throws {
        let whole = "GET / HTTP/1.1\r\n\r\n"
        func text(_ count: Int) -> String { Reply.head(.ok, [.contentType: "t", .contentLength: "\(count)"]) }
        func ok(_ body: String) -> Reply { .ok(body, headers: [.contentType: "t"]) }
        let cut = ok("hello").interrupted(.inBody(after: 2), by: .close)
        #expect(try await received(ok("a").followed(by: cut), sending: whole) == text(1) + "a" + text(5) + "he")
        let none = ok("a").followed(by: ok("hello").interrupted(.inBody(after: 0), by: .close))
        #expect(try await received(none, sending: whole) == text(1) + "a" + text(5))
        let gate = Gate()
        gate.open()
        #expect(try await received(cut.after(gate), sending: whole) == text(5) + "he")
        // The earlier of two moments counts, in whichever order they are given.
        for (first, second) in [(1, 3), (3, 1)] {
            let twice = ok("hello").interrupted(.inBody(after: first), by: .close)
                .interrupted(.inBody(after: second), by: .close)
            #expect(try await received(twice, sending: whole) == text(5) + "h")
        }
        // The effects are no content that counts.
        let later = ok("hello").interrupted(.inBody(after: 10), by: .content("0123456789"), .close)
        #expect(try await received(later, sending: whole) == text(5) + "hello0123456789")
        let exact = ok("hello").then(.bytes("extra")).interrupted(.inBody(after: 2), by: .close)
        #expect(try await received(exact, sending: whole) == text(5) + "he")
    }

    @Test func `the steps after a failed write are performed`() async throws {
        let reply: Reply = [.bytes("a"), .halfClose, .bytes("b"), .close]
        #expect(try await received(reply, sending: "GET / HTTP/1.1\r\n\r\n") == "a")
        try await withHTTP2({ _ in .ok("hello").interrupted(.afterResponse, by: .content("more"), .close) }) {
            server, client async throws in
            #expect(try await client.get("").text() == "hello")
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `over HTTP/2 the steps after a reset stream or a GOAWAY are performed`() async throws {
        let replies: [Reply] = [
            [.resetStream(), .close], Reply.ok().interrupted(.beforeHead, by: .goAway(lastStream: 0), .close),
            Reply.ok("hello").interrupted(.afterResponse, by: .resetStream(), .close),
        ]
        for reply in replies {
            try await withHTTP2({ _ in reply }) { server, client in
                _ = try? await client.post("")
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    /// The phase of a call that meets this over HTTP/2, and that the next call works.
    private func failure(_ moment: Reply.Moment, _ effects: Reply.Step...) async throws -> CallError {
        let reply =
            effects.count == 1
            ? Reply.ok("hello").interrupted(moment, by: effects[0])
            : Reply.ok("hello").interrupted(moment, by: effects[0], effects[1])
        return try await withHTTP2(
            { $0.index == 0 ? reply : .ok("again") },
            onHead: { request in
                request.index == 0 && reply.isEarly ? reply : nil
            }
        ) { _, client async throws in
            let error = await #expect(throws: CallError.self) { _ = try await client.post("", body: .text("0123")) }
            #expect(try await client.get("").text() == "again")
            return try #require(error)
        }
    }

    @Test(arguments: [
        Reply.Moment.requestHead, .requestBody(after: 2), .beforeHead, .inHead(after: 11), .inBody(after: 2),
    ])
    func `over HTTP/2 a call fails and the next one works`(moment: Reply.Moment) async throws {
        for effect in [Reply.Step.close, .cutOff, .reset, .bytes(String(repeating: "garbage", count: 10))] {
            let error = try await failure(moment, effect)
            // Only a body can be incomplete; garbage is no frame.
            #expect([.connectionLost, .invalidResponse, .incompleteResponse].contains(error.kind), "\(error)")
        }
    }

    @Test func `over HTTP/2 a stream is reset without its connection`() async throws {
        for moment in [Reply.Moment.requestHead, .beforeHead, .inBody(after: 2)] {
            try await withHTTP2({ request in
                request.index == 0 ? Reply.ok("hello").interrupted(moment, by: .resetStream(code: 2)) : .ok("again")
            }) { server, client async throws in
                let error = await #expect(throws: CallError.self) { _ = try await client.post("") }
                #expect(error?.reason.contains("INTERNAL_ERROR") == true, "\(String(describing: error))")
                #expect(try await client.get("").text() == "again")
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test func `a GOAWAY can come before any request`() async throws {
        let server = try await ScriptedServer.start(
            versions: [.http2], { _ in .ok("hello") }, onConnect: { $0 == 0 ? [.goAway(lastStream: 0)] : nil })
        try await server.use { server in
            try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { client in
                // No stream was processed, so even a POST goes to another connection.
                let text = try await client.post("", body: .text("x")).text()
                #expect(text == "hello" && server.requests.last?.connection == 1)
                #expect(server.acceptedConnections == 2)
            }
        }
    }

    @Test func `a GOAWAY with an error before any request is told`() async throws {
        let server = try await ScriptedServer.start(
            versions: [.http2], { _ in .ok() }, onConnect: { _ in [.goAway(code: 11), .close] })
        try await server.use { server in
            try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { client in
                let error = await #expect(throws: CallError.self) { _ = try await client.post("", body: .text("x")) }
                #expect(error?.reason.contains("ENHANCE_YOUR_CALM") == true, "\(String(describing: error))")
            }
        }
    }

    @Test(arguments: [
        Reply.Moment.requestHead, .requestBody(after: 2), .beforeHead, .inHead(after: 11), .inBody(after: 2),
        .afterResponse,
    ])
    func `each effect works at each moment over HTTP/1.1`(moment: Reply.Moment) async throws {
        let garbage = Reply.Step.bytes("garbage\r\n\r\n")
        for (name, effect) in [
            ("close", .close), ("cutOff", .cutOff), ("reset", .reset), ("halfClose", .halfClose), ("stall", .stall),
            ("garbage", garbage), ("goAway", .goAway()), ("resetStream", .resetStream()),
        ] as [(String, Reply.Step)] {
            let reply = Reply.ok("hello").interrupted(moment, by: effect)
            let server = try await ScriptedServer.start {
                $0.index == 0 ? reply : .ok("again")
            } onHead: {
                $0.index == 0 && reply.isEarly ? reply : nil
            }
            // In the body, the garbage stands for the rest of it.
            let expected: String? =
                switch (moment, name) {
                case (.afterResponse, _): "hello"
                case (.inBody, "garbage"): "hegar"
                default: nil
                }
            try await server.use { server in
                try await withClient(server.url) { client in
                    let isSilent = name == "stall" && expected == nil
                    // These timeouts begin when the request is out, so a busy machine still connects and sends it.
                    let caller = client.with {
                        if isSilent { ($0.timeouts.head, $0.timeouts.idle) = (.milliseconds(300), .milliseconds(300)) }
                    }
                    var (text, kind): (String?, CallError.Kind?)
                    do throws(CallError) {
                        text = try await caller.post("", body: .text("0123"), timeout: .seconds(60)).text()
                    } catch {
                        kind = error.kind
                    }
                    #expect(text == expected, "\(name)")
                    let kinds: [CallError.Kind?] =
                        switch name {
                        case _ where expected != nil: [nil]
                        case "stall": [.timeout]
                        case "garbage": [.invalidResponse]
                        default: [.emptyReply, .connectionLost, .incompleteResponse]
                        }
                    #expect(kinds.contains(kind), "\(name): \(String(describing: kind))")
                    // The silent connection is used again, and stays silent.
                    if moment == .afterResponse && name == "stall" { return }
                    // The server may be late: the first request must be counted before the second.
                    try await server.waitUntil(acceptedConnections: 1)
                    try await server.waitUntil(openConnections: 0)
                    let again = try await client.get("").text()
                    #expect(again == "again" && server.requests.last?.connection == 1, "\(name)")
                }
            }
        }
    }

    @Test func `after GOAWAY the next call takes a new connection`() async throws {
        try await withHTTP2({ request in
            request.index == 0 ? Reply.ok("hello").interrupted(.afterResponse, by: .goAway()) : .ok("again")
        }) { server, client async throws in
            #expect(try await client.get("").text() == "hello")
            try await server.waitUntil(openConnections: 0)
            #expect(try await client.get("").text() == "again")
            #expect(server.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `a client closes an idle connection that gets a GOAWAY`() async throws {
        let gate = Gate()
        let reply = Reply.ok("hello").interrupted(.afterResponse, by: .wait(for: gate), .goAway())
        try await withHTTP2({ _ in reply }) { server, client in
            #expect(try await client.get("").text() == "hello")
            try await LeakCheck.verify(client)
            #expect(server.openConnections == 1)
            gate.open()
            try await server.waitUntil(openConnections: 0)
            #expect(await client.statistics().idle == 0)
        }
    }

    @Test func `a stalled reply ends at the deadline, a half-closed one at once`() async throws {
        let stall = (Reply.Step.stall, Duration.milliseconds(300), CallError.Kind.timeout)
        // The other deadline is far away: a machine that is busy with other tests must not reach it.
        let halfClose = (Reply.Step.halfClose, Duration.seconds(100), CallError.Kind.incompleteResponse)
        for (effect, deadline, kind) in [stall, halfClose] {
            try await withHTTP2({ _ in Reply.ok("hello").interrupted(.inBody(after: 2), by: effect) }) {
                _, client async throws in
                let error = await #expect(throws: CallError.self) {
                    _ = try await client.get("", timeout: deadline)
                }
                #expect(error?.kind == kind, "\(String(describing: error))")
            }
        }
    }
}

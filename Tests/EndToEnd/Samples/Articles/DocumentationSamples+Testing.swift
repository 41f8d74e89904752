// DocumentationSamples: the samples of Testing.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

private struct User: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}

extension DocumentationSamples {
    @Test func stubs() async throws {
        let swallow = User(id: 7, name: "swallow")
        let stub = StubTransport {
            $0.on(.get, "/users/7").respond(json: swallow)
            $0.on(.get, "/status").respond(status: .serviceUnavailable).respond(text: "ready")
            $0.on(.post, "/users").fail(CallError(.connectionLost, "the line is cut"))
            $0.on("/echo/*").respond { request in
                Response(status: .ok, body: Bytes(request.summary))
            }
        }
        let api = Client("https://api.example.com/v1", transport: stub)

        #expect(try await api.get("users/7").json(User.self) == swallow)
        #expect(try await api.get("status").status == .serviceUnavailable)
        #expect(try await api.get("status").text() == "ready")
        let error = await #expect(throws: CallError.self) {
            _ = try await api.post("users", json: swallow)
        }
        #expect(error?.kind == .connectionLost)
        #expect(stub.requests.last?.uri?.path == "/v1/users")
        #expect(try await api.get("echo/1").text() == "GET https://api.example.com/v1/echo/1")
        await #expect { _ = try await api.get("unknown") } throws: { "\($0)".contains("no route of the stub fits") }
        try await close(api)
    }

    @Test func matchers() async throws {
        let swallow = User(id: 7, name: "swallow")
        let stub = StubTransport {
            $0.on(.get, "/users", .query("page", "2")).respond(json: [swallow])
            $0.on(.post, "/users", .header("X-Team", "birds"), .json(swallow)).respond(status: .created).times(2)
        }
        let api = Client("https://api.example.com", transport: stub)
        _ = try await api.get("users", query: ["page": 2])
        for _ in 0..<2 { _ = try await api.post("users", headers: ["X-Team": "birds"], json: swallow) }
        try stub.assertAllUsed()
        try await close(api)
    }

    @Test func scenario() async throws {
        let stub = StubTransport {
            $0.on(.post, "/login").respond().moves(to: "signed in", of: "login")
            $0.on(.get, "/me", .state("signed in", of: "login")).respond(text: "swallow")
            $0.on(.get, "/me").respond(status: .unauthorized)
        }
        let api = Client("https://api.example.com", transport: stub)
        #expect(try await api.get("me").statusCode == 401)
        _ = try await api.post("login")
        #expect(try await api.get("me").text() == "swallow")
        try await close(api)
    }

    @Test func time() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock) {
            $0.on(.get, "/slow").respond(text: "at last").delay(.seconds(60))
        }
        let api = Client("https://api.example.com", transport: stub)
        let call = Task { try await api.get("slow").text() }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        #expect(try await call.value == "at last")
        try await close(api)
    }

    @Test func scriptedServer() async throws {
        let server = try await ScriptedServer.start(replies: [
            .redirect(to: "/elsewhere"),
            .ok("hello"),
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .reset],
        ])
        try await withClient(server.url) { api in
            let text = try await api.get("here").text()
            let second = try await server.request(1)
            #expect(text == "hello" && second.target == "/elsewhere")
            await #expect(throws: CallError.self) { _ = try await api.get("broken") }
        }
        await server.stop()
    }

    @Test func gates() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in Reply.ok("late").after(gate) }
        try await withClient(server.url) { api in
            let call = Task { try await api.get("late").text() }
            try await gate.waitForArrivals(1)  // the server has the request and waits
            gate.open()
            #expect(try await call.value == "late")
        }
        await server.stop()
    }

    @Test func interruptions() async throws {
        let server = try await ScriptedServer.start(
            replies: [
                Reply.ok("hello").interrupted(.inBody(after: 2), by: .resetStream()),
                [.head(.earlyHints), .head(.ok), .content("hello")],
            ], versions: [.http2])
        try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { api in
            let error = await #expect(throws: CallError.self) { _ = try await api.post("broken") }
            #expect(error?.kind == .incompleteResponse)
            let text = try await api.get("whole").text()
            #expect(text == "hello")
            #expect(server.requests.map(\.connection) == [0, 0])
        }
        await server.stop()
    }

    @Test func slowNetwork() async throws {
        let server = try await ScriptedServer.start(
            link: LinkConditions(latency: .milliseconds(20), jitter: .milliseconds(5), bytesPerSecond: 100_000, seed: 7)
        ) { _ in .ok("slow") }
        try await withClient(server.url) { api in
            let text = try await api.get("").text()
            #expect(text == "slow")
        }
        await server.stop()
    }

    @Test func certificates() async throws {
        let server = try await ScriptedServer.start(tls: .expired) { _ in .ok("secure") }
        try await withClient(
            server.url, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
        ) { api in
            let error = await #expect(throws: CallError.self) { _ = try await api.get("") }
            #expect(error?.kind == .tls)
            #expect(error?.reason.contains("expired") == true)
        }
        await server.stop()
    }

    @Test func nobodyThere() async throws {
        let port = try DeadPort()
        try await withClient(port.url) { api in
            let error = await #expect(throws: CallError.self) { _ = try await api.get("") }
            #expect(error?.kind == .connectionFailed)
        }
    }

    @Test func recordOnce() async throws {
        try await withFolder { folder in
            let recording = folder.appending(path: "users.har").path
            let server = try await ScriptedServer.start(replies: [.ok(#"[{"id": 7, "name": "swallow"}]"#)])
            let url = server.url
            for _ in ["record", "replay"] {
                let recorder = Recorder(file: recording)
                let api = Client(url, transport: recorder)
                let users = try await api.get("users").json([User].self)
                #expect(users == [User(id: 7, name: "swallow")])
                await api.close()
            }
            #expect(server.requests.count == 1)
            await server.stop()
        }
    }
}

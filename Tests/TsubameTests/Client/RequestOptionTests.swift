// RequestOptionTests: settings that one request changes for itself, in every way to send.

import Foundation
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RequestOptionTests {
    private struct Mark: MessageHook {
        func willSend(_ request: inout Request) throws(CallError) { request.headers["X-Mark"] = "1" }
    }

    @Test(arguments: Way.allCases)
    func `a request's own interceptors and policies count for it alone`(_ way: Way) async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/moved" ? .redirect(to: "/end") : .ok(request["x-mark"] ?? "none")
        }
        try await serving(server, { $0.cookies = .memory }) { (server, client) async throws in
            var request = Request(.get, "x")
            request.options { $0.interceptors += [Mark()] }
            request.options { $0.authentication = .bearer("t0k3n") }
            #expect(try await way.send(request, by: client).bytes == Bytes("1"))
            #expect(try await server.request(0)["authorization"] == "Bearer t0k3n")
            #expect(try await way.send(Request(.get, "x"), by: client).bytes == Bytes("none"))
            #expect(try await server.request(1)["authorization"] == nil)
            var moved = Request(.get, "moved")
            moved.options { $0.redirects = .off }
            #expect(try await way.send(moved, by: client).status == .found)
            #expect(try await way.send(Request(.get, "moved"), by: client).bytes == Bytes("none"))
            // All of them shared one connection.
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `the observers of the client see such a call, and the client counts it`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub)
        let events = EventLog()
        let subscription = events.observe(client)
        var request = Request(.get, "x")
        request.options { $0.interceptors += [Mark()] }
        _ = try await client.send(request)
        #expect(events.events.count { $0.kind.isFinal } == 1)
        await client.close()
        let error = await callError { _ = try await client.send(request) }
        #expect(error?.kind == .cancelled)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: Way.allCases)
    func `a request that requires an accepted status fails without one`(_ way: Way) async throws {
        try await serving(.start { $0.path == "/x" ? .status(.notFound, "gone") : .ok("here") }) { _, client in
            var request = Request(.get, "x")
            request.requiresAcceptedStatus = true
            let error = try await failure { try await way.send(request, by: client) }
            #expect(error.kind == .status && error.status == .notFound && error.response?.bytes == Bytes("gone"))
            request.acceptedStatuses = [404]
            #expect(try await way.send(request, by: client).status == .notFound)
        }
    }

    @Test(arguments: Way.allCases)
    func `the error of a status needs only the beginning of a body, however long that is`(_ way: Way) async throws {
        let long = String(repeating: "x", count: 600_000)
        try await serving(.start { _ in .status(.notFound, long) }) {
            $0.limits.bufferedBody = 300_000
        } _: { _, client in
            var request = Request(.get, "x")
            request.requiresAcceptedStatus = true
            let error = try await failure { try await way.send(request, by: client) }
            #expect(error.kind == .status && error.response?.bytes.count == 65_536, "\(error)")
        }
    }

    @Test func `they count for streams, callbacks, downloads and uploads, too`() async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/missing" ? .status(.notFound) : .ok(request["x-mark"] ?? "none")
        }
        try await withTemporaryFolder { folder in
            try await serving(server) { _, client in
                var request = Request(.get, "x")
                request.options { $0.interceptors += [Mark()] }
                let streamed = try await client.stream(request) { response in try await response.text() }
                let started = await withCheckedContinuation { continuation in
                    client.start(request) { continuation.resume(returning: $0) }
                }
                let uploaded = try await client.upload(request).text()
                #expect(try await [streamed, started.get().text(), uploaded] == ["1", "1", "1"])
                let file = try await client.download(request, to: folder.appending(path: "a"))
                #expect(try Data(contentsOf: file.url) == Data("1".utf8))
                var missing = Request(.get, "missing")
                missing.requiresAcceptedStatus = true
                let request404 = missing
                let errors = [
                    await callError { try await client.stream(request404) { _ in } },
                    await callError { _ = try await client.upload(request404) },
                    await callError { _ = try await client.download(request404, to: folder.appending(path: "b")) },
                ]
                for error in errors { #expect(error?.kind == .status && error?.status == .notFound) }
            }
        }
    }

    @Test func `BAD-INPUT 17: an invalid field that an interceptor sets is an error, too`() async throws {
        struct Wrong: MessageHook {
            func willSend(_ request: inout Request) throws(CallError) { request.headers[.authorization] = "t\n" }
        }
        let stub = StubTransport { $0.on("*") }
        for client in [
            Client("https://a.example", transport: stub) { $0.interceptors = [Wrong()] },
            Client("https://a.example", transport: stub) { $0.wireInterceptors = [Wrong()] },
        ] {
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .invalidRequest && error?.reason.contains("Authorization") == true)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func `a slash that was escaped in a path is told by an event and by the error`() async throws {
        let stub = StubTransport { $0.on("*").respond(status: .notFound) }
        let client = Client("https://a.example", transport: stub)
        let events = EventLog()
        let subscription = events.observe(client)
        let (deep, plain) = ("a/b", "a")
        let error = await callError { _ = try await client.get("x/\(deep)").accepted() }
        #expect(error?.advice?.contains("path:") == true && events.decisions.contains { $0.contains("%2F") })
        #expect(stub.requests.last?.uri?.target == "/x/a%2Fb")
        let other = await callError { _ = try await client.get("x/\(plain)").accepted() }
        #expect(other?.advice == nil)
        _ = try await client.get(path: "x/\(deep)")
        #expect(stub.requests.last?.uri?.target == "/x/a/b")
        withExtendedLifetime(subscription) {}
    }
}

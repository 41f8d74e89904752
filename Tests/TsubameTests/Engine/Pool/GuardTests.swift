// GuardTests: the user's interceptors and transports, and the limits that a call keeps nevertheless.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

/// Sends another request first, like an interceptor that fetches a token.
private struct Detour: Interceptor {
    let detour: Request

    func intercept(_ request: Request, next: Next) async throws -> Response {
        _ = try await next(detour)
        return try await next(request)
    }
}

/// Gives up after a time, and answers itself.
private struct Impatient: Interceptor {
    let hasStarted: Gate

    func intercept(_ request: Request, next: Next) async throws -> Response {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { _ = try? await next(request) } }
            try? await hasStarted.wait()
            group.cancelAll()
        }
        return Response(status: .ok, body: Bytes("instead"))
    }
}

/// Never answers, and ignores deadlines.
private struct Deaf: Transport {
    let gate: Gate

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        do {
            try await gate.wait()
        } catch {
            throw CallError(.cancelled, "given up")
        }
        return Response(status: .ok)
    }
}

/// Never sends the request.
private struct Keeping: Interceptor {
    let gate: Gate

    func intercept(_ request: Request, next: Next) async throws -> Response {
        try await gate.wait()
        return try await next(request)
    }
}

@Suite(.timeLimit(.minutes(2))) struct GuardTests {
    @Test func `a detour to another origin goes without the client's fields and credentials`() async throws {
        let server = try await ScriptedServer.start()
        let elsewhere = "http://other.example/token"
        try await serving(
            server,
            {
                $0.connection.resolve = hosts(["other.example:80"], at: server)
                $0.authentication = .bearer("secret")
                $0.headers[.userAgent] = "Viewer"
                $0.interceptors = [Detour(detour: Request(.post, url: elsewhere, body: .text("refresh")))]
            }
        ) { server, client in
            _ = try await client.get("mine")
            let (detour, main) = (try await server.request(0), try await server.request(1))
            #expect(detour["host"] == "other.example")
            #expect(detour["authorization"] == nil)
            #expect(detour["user-agent"] != "Viewer")
            #expect(detour.text == "refresh")
            #expect(main["authorization"] == "Bearer secret")
            #expect(main["user-agent"] == "Viewer")
        }
    }

    @Test func `a redirected detour never carries what the call's own request does`() async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/token" ? .redirect(to: "http://third.example/x", status: .temporaryRedirect) : .ok()
        }
        try await serving(
            server,
            {
                $0.connection.resolve = hosts(["third.example:80"], at: server)
                $0.interceptors = [Detour(detour: Request(.post, url: server.url + "/token", body: .text("refresh")))]
            }
        ) { server, client in
            _ = try await client.send(
                Request(.post, "mine", headers: [.init("X-Private") ?? .accept: "1"], body: .text("private")))
            let third = try await server.request(1)
            #expect(third["host"] == "third.example")
            #expect(third.text == "refresh")
            #expect(third["x-private"] == nil)
            #expect(try await server.request(2).text == "private")
        }
    }

    @Test func `what an interceptor cancels ends at once, all of it, and the call goes on`() async throws {
        let started = Gate()
        try await serving(
            try await ScriptedServer.start { _ in .stall }, { $0.interceptors = [Impatient(hasStarted: started)] }
        ) { server, client in
            let call = Task { try await client.get(url: server.url).bytes }
            _ = try await server.head(0)
            _ = try await server.head(1)
            started.open()
            #expect(try await call.value == Bytes("instead"))
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a transport that knows no deadline is kept to it`() async throws {
        let client = Client("http://host.example", transport: Deaf(gate: Gate())) {
            $0.timeouts.total = .milliseconds(100)
        }
        let error = try await failure { try await client.get("x") }
        #expect(error.timeout == .total)
        try await LeakCheck.verify(client)
    }

    @Test func `FAULT 32: a slow transport of the user's times out while its response is waited for`() async throws {
        let client = Client("http://host.example", transport: Deaf(gate: Gate())) {
            $0.timeouts.total = .milliseconds(700)
        }
        let error = try await failure { try await client.get("x") }
        #expect(error.phase == .waitingForHead)
        #expect(
            "\(error)".hasPrefix(
                "GET http://host.example/x failed while waiting for the response: not done after 0.7 s (timeouts.total)"
            ),
            "\(error)")
        // While an interceptor holds the request, nothing has reached the transport.
        let kept = client.with { $0.interceptors = [Keeping(gate: Gate())] }
        #expect(try await failure { try await kept.get("x") }.phase == .preparing)
        try await LeakCheck.verify(client)
    }

    @Test func `a transport that cannot be cancelled does not keep a cancelled call, nor a closed client`() async throws
    {
        let client = Client("http://host.example", transport: Deaf(gate: Gate()))
        let (ended, begun) = (Gate(), Gate())
        let result = Mutex<Result<Response, CallError>?>(nil)
        let observation = client.observe { event in if case .started = event.kind { begun.open() } }
        let call = client.start(Request(.get, "x"), on: .queue(.global())) { value in
            result.withLock { $0 = value }
            ended.open()
        }
        try await begun.wait()
        call.cancel()
        try await ended.wait()
        let error: CallError? = result.withLock { result in
            if case .failure(let error)? = result { return error }
            return nil
        }
        #expect(error?.kind == .cancelled)
        async let second = failure { try await client.get("y") }
        await client.close()
        #expect(try await second.kind == .cancelled)
        withExtendedLifetime(observation) {}
    }

    @Test func `closing a client from the closure of its own stream returns`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil) }
        try await server.use { server in
            let client = Client(server.url)
            let error = try await failure {
                try await client.stream(Request(.get, "x")) { response in
                    await client.close()
                    for try await _ in response.body {}
                }
            }
            #expect(error.kind == .cancelled)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `closing a client does not wait for what a stream's closure does besides`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in .stream(nil) }
        try await server.use { server in
            let client = Client(server.url)
            let inside = Gate()
            let call = Task {
                try await client.stream(Request(.get, "x")) { _ in
                    inside.open()
                    try await gate.wait()
                }
            }
            try await inside.wait()
            await client.close()
            try await server.waitUntil(openConnections: 0)
            gate.open()
            _ = await call.result
            #expect(client.runningCallCount == 0)
        }
    }
}

// RunningCallsTests: RunningCalls counts running calls, however they end.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RunningCallsTests {
    struct OwnError: Error {}

    /// A server that answers or stalls, depending on the path.
    private static func server() async throws -> ScriptedServer {
        try await .start { request in
            switch request.path {
            case "/ok", "/end": .ok("x")
            case "/error": .status(.internalServerError)
            case "/redirect": .redirect(to: "/end")
            case "/loop": .redirect(to: "/loop")
            case "/close": .close
            case "/reset": .reset
            case "/cut": [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell"), .close]
            case "/garbage": .bytes("garbage\r\n\r\n")
            case "/gzip": .ok("no gzip", headers: [.contentEncoding: "gzip"])
            case "/endless": .stream(nil)
            default: .stall
            }
        }
    }

    @Test(
        arguments: [
            "ok", "error", "redirect", "loop", "close", "reset", "cut", "garbage", "gzip", "stall", "endless",
            "a/../b", "",
        ])
    func `the count is back at zero at every end`(name: String) async throws {
        try await serving(Self.server()) {
            $0.timeouts.head = .milliseconds(50)
            $0.limits.bufferedBody = 1 << 20
        } _: { _, client in
            let counts = Log<Int>()
            let events = Log<CallEvent>()
            let monitor = ActivityMonitor(client) { counts.add($0) }
            let observation = client.observe { events.add($0) }
            _ = try? await client.get(RequestPath(encoded: name))
            await MainActor.run {}
            #expect(counts.all == [1, 0])
            #expect(monitor.count == 0)
            #expect(events.ends.count == 1)
            #expect(events.all.last?.kind.isFinal == true)
            if case .started? = events.all.first?.kind {} else { Issue.record("not started first") }

            _ = try? await client.stream(Request(.get, RequestPath(encoded: name))) { _ in throw OwnError() }
            _ = try? await onThread { try client.blocking.send(Request(.get, RequestPath(encoded: name))) }
            await MainActor.run {}
            #expect(counts.all == [1, 0, 1, 0, 1, 0])
            #expect(events.ends.count == 3)
            #expect(client.runningCallCount == 0)
            observation.cancel()
        }
    }

    @Test func `cancelled and interrupted calls are counted out`() async throws {
        try await serving(Self.server()) { server, client in
            let monitor = ActivityMonitor(client)
            let tasks = (0..<8).map { _ in Task { try await client.get("stall") } }
            for index in 0..<8 { _ = try await server.head(index) }
            #expect(monitor.count == 8)
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await callError { _ = try await task.value }
                #expect(error?.kind == .cancelled)
            }
            #expect(monitor.count == 0)
        }
    }

    @Test func `an interceptor that throws is no call that runs on`() async throws {
        struct Thrower: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response { throw OwnError() }
        }
        let client = Client("https://a.example", transport: StubTransport()) { $0.interceptors = [Thrower()] }
        let monitor = ActivityMonitor(client)
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .interceptor)
        #expect(monitor.count == 0 && client.runningCallCount == 0)
    }

    @Test func `a monitor that is dropped is told nothing more`() async throws {
        let counts = Log<Int>()
        let client = Client("https://a.example", transport: StubTransport { $0.on("/x") })
        var monitor: ActivityMonitor? = ActivityMonitor(client) { counts.add($0) }
        _ = try await client.get("x")
        #expect(monitor?.count == 0)
        monitor = nil
        _ = try await client.get("x")
        await MainActor.run {}
        #expect(counts.all == [1, 0])
    }

    @Test func `views of a client are counted with it`() async throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("/x") })
        let counts = Log<Int>()
        let monitor = ActivityMonitor(client) { counts.add($0) }
        _ = try await client.with { $0.timeouts.total = .seconds(1) }.get("x")
        await MainActor.run {}
        #expect(counts.all == [1, 0] && monitor.count == 0)
    }

    @Test func `an observation ends when it is cancelled or dropped`() async throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("/x") })
        let events = Log<CallEvent>()
        let first = client.observe { events.add($0) }
        var second: EventSubscription? = client.observe { events.add($0) }
        _ = try await client.get("x")
        let both = events.all.count
        #expect(both > 0 && both % 2 == 0)
        first.cancel()
        _ = try await client.get("x")
        #expect(events.all.count == both + both / 2)
        second = nil
        _ = second
        _ = try await client.get("x")
        #expect(events.all.count == both + both / 2)
    }

    // MARK: Closing

    @Test func `a closed client refuses, and ends what runs`() async throws {
        try await serving(Self.server()) { server, client in
            let task = Task { try await client.get("stall") }
            _ = try await server.head(0)
            await client.close()
            let running = await callError { _ = try await task.value }
            #expect(running?.kind == .cancelled)
            let late = await callError { _ = try await client.get("ok") }
            #expect(late?.kind == .cancelled && late?.reason == "the client is closed")
        }
    }

    @Test func `draining lets running calls end`() async throws {
        let gate = Gate()
        try await serving(.start { _ in .ok("late").after(gate) }) {
            $0.clock = ManualClock()
        } _: { server, client in
            let task = Task { try await client.get("x") }
            _ = try await server.head(0)
            async let closed: Void = client.close(drainingFor: .seconds(3600))
            gate.open()
            let response = try await task.value
            #expect(response.bytes == Bytes("late"))
            await closed
        }
    }

    @Test func `draining has an end`() async throws {
        let clock = ManualClock()
        try await serving(.start { _ in .stall }) {
            $0.clock = clock
        } _: { server, client in
            let task = Task { try await client.get("x") }
            _ = try await server.head(0)
            async let closed: Void = client.close(drainingFor: .seconds(30))
            try await clock.waitForSleepers(1)
            #expect(client.runningCallCount == 1)
            clock.advance(by: .seconds(30))
            let error = await callError { _ = try await task.value }
            #expect(error?.kind == .cancelled)
            await closed
        }
    }
}

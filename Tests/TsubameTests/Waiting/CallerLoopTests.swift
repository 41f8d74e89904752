// CallerLoopTests: the connections of blocking calls, whose threads turn a loop only while they wait.

import Dispatch
import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(2))) struct CallerLoopTests {
    private func expect(_ text: String, of client: Client, _ path: RequestPath = "x") async throws {
        let answer = try await get(client, path)
        #expect(answer == text)
    }

    private func get(_ client: Client, _ path: RequestPath = "x") async throws -> String {
        try await onThread { () throws(CallError) in try client.blocking.send(Request(.get, path)).text() }
    }

    @Test func `blocking calls of many threads, one after another, share a connection`() async throws {
        try await serving(.start { _ in .ok("a") }) { server, client in
            for _ in 0..<10 { try await expect("a", of: client) }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `threads that wait at the same time each have a connection, and use it again`() async throws {
        let server = try await ScriptedServer.start { _ in .ok("a") }
        try await serving(server) { server, client in
            for _ in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { try await expect("a", of: client) } }
                    try await group.waitForAll()
                }
            }
            #expect(server.acceptedConnections <= 8)
        }
    }

    @Test func `a connection that the server has closed meanwhile is not used again`() async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/last"
                ? [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .close] : .ok("b")
        }
        try await serving(server) { server, client in
            try await expect("a", of: client, "last")
            try await server.waitUntil(openConnections: 0)
            var request = Request(.post, "x", body: .text("once"))
            request.isReplayable = false
            let text = try await onThread { [request] in try client.blocking.send(request).text() }
            #expect(text == "b" && server.requests.count == 2)
        }
    }

    @Test func `an idle connection ends at its time, though no thread comes`() async throws {
        try await serving(
            .start { _ in .ok("a") }, { $0.connection.idleConnectionLifetime = .milliseconds(10) }
        ) { server, client in
            try await expect("a", of: client)
            try await server.waitUntil(openConnections: 0)
            try await expect("a", of: client)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `an idle connection ends with its client`() async throws {
        let server = try await ScriptedServer.start { _ in .ok("a") }
        try await server.use { server in
            do {
                let client = Client(server.url)
                try await expect("a", of: client)
                #expect(server.openConnections == 1)
            }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a client is closed while a caller's closure reads`() async throws {
        try await serving(
            .start { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .stall] }
        ) { server, client in
            let (reads, isClosed) = (Gate(), DispatchSemaphore(value: 0))
            async let error = callError {
                try await onThread {
                    try client.blocking.stream(Request(.get, "x")) { _, next in
                        _ = try next()
                        reads.open()
                        isClosed.wait()
                        while try next() != nil {}
                    }
                }
            }
            try await reads.wait()
            await client.close()
            // The thread is still in the closure.
            try await server.waitUntil(openConnections: 0)
            isClosed.signal()
            #expect(await error?.kind == .cancelled)
        }
    }

    @Test func `a connection made in advance is used`() async throws {
        try await serving(.start { _ in .ok("a") }) { server, client in
            try await client.warmUp()
            try await server.waitUntil(acceptedConnections: 1)
            try await expect("a", of: client)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `limits of connections hold for blocking and other calls together`() async throws {
        for limit in [1, 2] {
            let server = try await ScriptedServer.start { _ in .ok("a") }
            try await serving(server, { $0.connection.connections = limit }) { server, client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await expect("a", of: client) }
                        group.addTask {
                            let text = try await client.get("x").text()
                            #expect(text == "a")
                        }
                    }
                    try await group.waitForAll()
                }
                let state = await client.statistics()
                #expect(state.leased == 0 && state.idle <= limit && state.sockets <= limit)
            }
        }
    }

    @Test func `a hook may wait for a call of its own`() async throws {
        struct Asking: MessageHook {
            let client: Client

            func willSend(_ request: inout Request) throws(CallError) {
                request.headers["X-Token"] = try token()
            }

            func didReceive(_ response: inout Response) throws(CallError) {}

            private func token() throws(CallError) -> String {
                try client.blocking.send(Request(.get, "token")).text()
            }
        }
        let server = try await ScriptedServer.start { .ok($0["x-token"] ?? "secret") }
        try await serving(server) { server, client in
            let asking = client.with { $0.interceptors = [Asking(client: client)] }
            for _ in 0..<3 { try await expect("secret", of: asking) }
            #expect(server.acceptedConnections == 2)
        }
    }
}

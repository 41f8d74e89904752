// CallerLoopTests: the connections of blocking calls, whose threads run a loop only while they wait.

import Dispatch
import Foundation
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

    @Test(arguments: ["GET", "POST"])
    func `BAD-INPUT 10: an answer that nobody asked for is not that of the next call`(_ method: String) async throws {
        let second = Gate()
        let server = try await ScriptedServer.start { request in
            request.index == 0
                ? [
                    .bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .wait(for: second),
                    .repeating(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8), count: 43),
                ] : .ok("b")
        }
        try await serving(server) { server, client in
            try await expect("a", of: client)
            second.open()
            // The server's socket has taken the second answer.
            try await server.waitUntil(sentBodyBytes: 43)
            let request = Request(method == "GET" ? .get : .post, "x")
            let text = try await onThread { () throws(CallError) in try client.blocking.send(request).text() }
            #expect(text == "b" && server.acceptedConnections == 2)
        }
    }

    @Test func `the idle time does not end a call whose caller is slower than the server`() async throws {
        let server = try await ScriptedServer.start { _ in .chunked(["one", "two", "three"]) }
        try await serving(server, { $0.timeouts.idle = .milliseconds(300) }) { _, client in
            let text = try await onThread {
                try client.blocking.stream(Request(.get, "x")) { _, next in
                    var text = ""
                    while let piece = try next() {
                        text += String(decoding: piece, as: UTF8.self)
                        Self.pass(.milliseconds(500))
                    }
                    return text
                }
            }
            #expect(text == "onetwothree")
        }
    }

    @Test func `a task that the caller's closure waits for may read the body`() async throws {
        try await serving(.start { _ in .chunked(["one", "two", "three"]) }) { _, client in
            let text = try await onThread {
                try client.blocking.stream(Request(.get, "x")) { response, _ in
                    let (ended, text) = (DispatchSemaphore(value: 0), Log<String>())
                    Task.detached {
                        if let bytes = try? await response.body.collect() {
                            text.add(String(decoding: bytes, as: UTF8.self))
                        }
                        ended.signal()
                    }
                    ended.wait()
                    return text.all.first
                }
            }
            #expect(text == "onetwothree")
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

    @Test func `a limit of one connection lets a hook wait for a call, and another thread send one`() async throws {
        struct Asking: MessageHook {
            let client: Client

            func willSend(_ request: inout Request) throws(CallError) { try ask() }

            func didReceive(_ response: inout Response) throws(CallError) {}

            private func ask() throws(CallError) { _ = try client.blocking.send(Request(.get, "token")) }
        }
        try await serving(.start { _ in .ok("a") }, { $0.connection.connections = 1 }) { _, client in
            let asking = client.with { $0.interceptors = [Asking(client: client)] }
            for _ in 0..<3 { try await expect("a", of: asking) }
            let text = try await onThread {
                try client.blocking.stream(Request(.get, "x")) { _, next in
                    while try next() != nil {}
                    return try Self.getOnAnotherThread(client)
                }
            }
            #expect(text == "a")
        }
    }

    /// Holds the thread of a caller's closure.
    private static func pass(_ time: DispatchTimeInterval) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + time)
    }

    @Test func `a view with a limit gets the place of an idle connection of a blocking call`() async throws {
        try await serving(.start { _ in .ok("a") }) { server, client in
            try await expect("a", of: client)
            // The idle connection counts.
            let limited = client.with { $0.connection.connections = 1 }
            let text = try await limited.get("x").text()
            #expect(text == "a" && server.acceptedConnections == 2)
        }
    }

    private static func getOnAnotherThread(_ client: Client) throws -> String {
        let (ended, text) = (DispatchSemaphore(value: 0), Log<String>())
        Thread.detachNewThread {
            if let answer = try? client.blocking.send(Request(.get, "y")).text() { text.add(answer) }
            ended.signal()
        }
        ended.wait()
        return text.all.first ?? ""
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

    @Test func `more threads than there are loops all get their answers`() async throws {
        try await serving(.start { _ in .ok("a") }) { server, client in
            for _ in 0..<2 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 { group.addTask { try await expect("a", of: client) } }
                    try await group.waitForAll()
                }
            }
            #expect(server.requests.count == 200)
            let state = await client.statistics()
            #expect(state.leased == 0)
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

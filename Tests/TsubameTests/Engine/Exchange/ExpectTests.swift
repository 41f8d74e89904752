// ExpectTests: Expect: 100-continue holds the body back until the server asks for it.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ExpectTests {
    private static let expecting: RequestHeaders = [.expect: "100-continue"]

    /// Bodies that go out with the head, and bodies that follow the head.
    private static let bodies: [RequestBody] = [
        .text("short"), .bytes([UInt8](repeating: 0x61, count: 300_000)),
        .stream { Pieces(["one ", "two"]) }, .stream(length: 7) { Pieces(["one ", "two"]) },
    ]

    struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        var rest: [String]

        init(_ pieces: [String]) { rest = pieces }

        mutating func next() async -> Bytes? { rest.isEmpty ? nil : Bytes(rest.removeFirst()) }
        func makeAsyncIterator() -> Pieces { self }
    }

    @Test(arguments: bodies.indices) func `the body follows when the server asks for it`(_ index: Int) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start(onHead: { _ in
            [
                .wait(for: gate), .bytes("HTTP/1.1 100 Continue\r\n\r\n"), .wholeRequest,
                .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
        })
        try await serving(server) { server, client in
            for round in 0..<2 {
                let call = Task { try await client.post("x", headers: Self.expecting, body: Self.bodies[index]) }
                // No bytes come with the head.
                let head = try await server.head(round)
                #expect(head["expect"] == "100-continue")
                if round == 0 { #expect(server.acceptedBodyBytes == 0) }
                gate.open()
                let response = try await call.value
                #expect(response.status == .ok && response.connection?.isReused == (round > 0))
                let request = try await server.request(round)
                if let bytes = Self.bodies[index].bytes {
                    #expect(request.bodyByteCount == bytes.count)
                } else {
                    #expect(request.text == "one two")
                }
            }
        }
    }

    @Test(arguments: bodies.indices) func `a server that refuses the head is not sent the body`(_ index: Int)
        async throws
    {
        let server = try await ScriptedServer.start(onHead: { _ in .status(.contentTooLarge, "too large") })
        try await serving(server) { server, client in
            let response = try await client.post("x", headers: Self.expecting, body: Self.bodies[index])
            #expect(response.status == .contentTooLarge && response.bytes == Bytes("too large"))
            // The server would read further bytes on this connection as the body.
            try await server.waitUntil(openConnections: 0)
            #expect(server.acceptedBodyBytes == 0)
        }
    }

    @Test func `a final answer that takes its time is not followed by the body either`() async throws {
        let gate = Gate.opening(after: 1300)
        let server = try await ScriptedServer.start(onHead: { _ in
            [
                .bytes("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nno"), .wait(for: gate), .bytes("pe"),
            ]
        })
        try await serving(server) { server, client in
            let response = try await client.post("x", headers: Self.expecting, body: Self.bodies[1])
            #expect(response.status == .unauthorized && response.bytes == Bytes("nope"))
            try await server.waitUntil(openConnections: 0)
            #expect(server.acceptedBodyBytes == 0)
        }
    }

    @Test func `a server that never answers that gets the body all the same`() async throws {
        try await serving(.start()) { server, client in
            let response = try await client.post("x", headers: Self.expecting, body: .text("short"))
            #expect(response.status == .ok)
            #expect(try await server.request(0).text == "short")
        }
    }

    @Test func `a request without a body does not wait for anything`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in .ok("ok").after(gate) }
        try await serving(server) { server, client in
            for body in [RequestBody.empty, .text("")] {
                gate.open()
                let status = try await client.post("x", headers: Self.expecting, body: body).status
                #expect(status == .ok)
            }
        }
    }

    @Test func `a call that is cancelled while its body waits leaves nothing behind`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in .stall })
        try await serving(server) { server, client in
            let call = Task { try await client.post("x", headers: Self.expecting, body: .text("short")) }
            _ = try await server.head(0)
            call.cancel()
            let error = try await failure { try await call.value }
            #expect(error.kind == .cancelled)
            try await server.waitUntil(openConnections: 0)
            #expect(server.acceptedBodyBytes == 0)
        }
    }

    @Test func `a body that was asked for stays here if an observer cancels its call`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in
            [.bytes("HTTP/1.1 100 Continue\r\n\r\n"), .wholeRequest, .close]
        })
        try await serving(server) { server, client in
            let task = Mutex<Task<Response, any Error>?>(nil)
            let started = Gate()
            let observation = client.observe { event in
                if case .sending = event.kind { task.withLock { $0 }?.cancel() }
            }
            defer { observation.cancel() }
            task.withLock {
                $0 = Task {
                    try await started.wait()
                    return try await client.post("x", headers: Self.expecting, body: .text("short"))
                }
            }
            started.open()
            let error = try await failure { _ = try await task.withLock { $0 }?.value }
            #expect(error.kind == .cancelled)
            try await server.waitUntil(openConnections: 0)
            #expect(server.acceptedBodyBytes == 0)
        }
    }

    // MARK: 417

    @Test(arguments: bodies.indices) func `a request whose expectation is refused goes out again without it`(
        _ index: Int
    ) async throws {
        let server = try await ScriptedServer.start(onHead: { request in
            request["expect"] == nil
                ? [.wholeRequest, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
                : .status(.expectationFailed, "unknown")
        })
        try await serving(server) { server, client in
            let body = Self.bodies[index]
            let response = try await client.post("x", headers: Self.expecting, body: body)
            #expect(response.status == .ok && !response.request.headers.contains(.expect))
            // The first request is the one that was refused.
            #expect(server.requests.count == 2)
            let request = try await server.request(1)
            if let bytes = body.bytes {
                #expect(request.bodyByteCount == bytes.count)
            } else {
                #expect(request.text == "one two")
            }
        }
    }

    @Test(arguments: ["Content-Length: 100\r\n\r\nten bytes.", "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n"])
    func `a refusal whose body breaks off is answered all the same`(_ rest: String) async throws {
        let server = try await ScriptedServer.start(onHead: { request in
            request["expect"] == nil
                ? [.wholeRequest, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
                : [.bytes("HTTP/1.1 417 No\r\n\(rest)"), .close]
        })
        try await serving(server) { server, client in
            let response = try await client.post("x", headers: Self.expecting, body: .text("short"))
            #expect(response.status == .ok && response.bytes == Bytes("ok"))
            #expect(server.requests.count == 2 && server.acceptedBodyBytes == 5)
            #expect(await client.statistics().running == 0)
        }
    }

    @Test func `so is a refusal whose body does not go on`() async throws {
        let server = try await ScriptedServer.start(onHead: { request in
            request["expect"] == nil
                ? [.wholeRequest, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
                : [.bytes("HTTP/1.1 417 No\r\nContent-Length: 100\r\n\r\nten bytes."), .stall]
        })
        try await serving(server) {
            $0.timeouts.head = .milliseconds(1_500)
        } _: { server, client in
            let response = try await client.post("x", headers: Self.expecting, body: .text("short"))
            #expect(response.status == .ok && response.bytes == Bytes("ok"))
            #expect(server.requests.count == 2)
        }
    }

    @Test func `FAULT 6: a 417 that cannot be answered any more ends the exchange once`() async throws {
        for body in ["no", String(repeating: "n", count: 30_000)] {
            let server = try await ScriptedServer.start(onHead: { _ in .status(.expectationFailed, body) })
            try await serving(server, { $0.limits.exchanges = 1 }) { server, client in
                let error = try await failure {
                    try await client.post("x", headers: Self.expecting, body: .text("short"))
                }
                #expect(error.kind == .limitExceeded, "\(error)")
                #expect(server.requests.count == 1)
                // Each exchange is counted when it is handed over, and removed when it ends.
                #expect(await client.statistics().running == 0)
            }
        }
    }

    @Test func `a 417 without an expectation, or after it was left out, is given back`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in .status(.expectationFailed, "no") })
        try await serving(server) { server, client in
            let plain = try await client.post("x", body: .text("short"))
            #expect(plain.status == .expectationFailed && server.requests.count == 1)
            let response = try await client.post("x", headers: Self.expecting, body: .text("short"))
            #expect(response.status == .expectationFailed && response.bytes == Bytes("no"))
            #expect(server.requests.count == 3)
        }
    }
}

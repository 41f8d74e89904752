// ReplyStepTests: each step of a reply, seen from the other end of the socket.

import HTTPTypes
import Testing
import TsubameTesting

@Suite struct ReplyStepTests {
    private let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    private func exchange(
        _ reply: Reply, sending request: String? = nil, isPaused: Bool = false,
        _ body: (ScriptedServer, RawClient) async throws -> Void
    ) async throws {
        try await ScriptedServer.start { _ in reply }.use { server in
            let client = try await RawClient.connect(to: server, isPaused: isPaused)
            try await client.send(request ?? self.request)
            try await body(server, client)
            await client.close()
        }
    }

    @Test func `bytes go out as they are`() async throws {
        try await exchange([.bytes("HTP/1.1 2\n\0"), .bytes([0xFF, 0x0A]), .close]) { _, client in
            _ = try await client.receivedAll()
            #expect(client.bytes == Array("HTP/1.1 2\n\0".utf8) + [0xFF, 0x0A])
            #expect(try await client.end() == .closed)
        }
    }

    @Test(arguments: [1, 2, 7, 1_000, 0, -3])
    func `bytes in pieces are the same bytes`(length: Int) async throws {
        let text = String(repeating: "0123456789", count: 100)
        try await exchange([.bytes(text, every: length), .close]) { _, client async throws in
            #expect(try await client.receivedAll() == text)
        }
    }

    @Test func `pieces are written one after the other`() async throws {
        try await exchange([.pieces("a", "", "b", "c"), .close]) { _, client async throws in
            #expect(try await client.receivedAll() == "abc")
        }
    }

    @Test func `pieces that are sent together are the same bytes`() async throws {
        let pieces = ["a", "", "b", "c"].map { Array($0.utf8) }
        try await exchange([.together(pieces), .together([]), .bytes("d"), .close]) { _, client async throws in
            #expect(try await client.receivedAll() == "abcd")
        }
    }

    @Test func `a gate holds the bytes behind it`() async throws {
        let gate = Gate()
        try await exchange([.bytes("before"), .wait(for: gate), .bytes("behind")]) { server, client in
            #expect(try await client.received(6) == "before")
            try await gate.waitForArrivals(1)
            #expect(gate.waiting == 1)
            // After a round trip on another connection, any bytes that were sent would have arrived.
            let other = try await RawClient.connect(to: server)
            try await server.waitUntil(acceptedConnections: 2)
            await other.close()
            #expect(client.text == "before")
            gate.open()
            #expect(try await client.received(12) == "beforebehind")
        }
    }

    @Test func `bytes can follow a whole response on an idle connection`() async throws {
        let gate = Gate()
        let reply = Reply.ok("x").then(.wait(for: gate), .bytes("HTTP/1.1 408 Late\r\n\r\n"))
        try await exchange(reply) { _, client async throws in
            #expect(try await client.received(endingIn: "\r\n\r\nx").hasPrefix("HTTP/1.1 200 OK"))
            gate.open()
            #expect(try await client.received(endingIn: "Late\r\n\r\n").hasSuffix("xHTTP/1.1 408 Late\r\n\r\n"))
        }
    }

    @Test func `close ends the connection in order`() async throws {
        try await exchange(.close) { server, client in
            #expect(try await client.end() == .closed)
            #expect(client.text.isEmpty)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `close waits until the bytes before it have gone`() async throws {
        let size = 3 << 20
        try await exchange([.bytes([UInt8](repeating: 1, count: size)), .close], isPaused: true) { server, client in
            _ = try await server.request(0)
            #expect(server.openConnections == 1)
            try await client.resumeReading()
            _ = try await client.receivedAll()
            #expect(client.bytes.count == size)
            #expect(try await client.end() == .closed)
        }
    }

    @Test func `halfClose ends the sending and goes on reading`() async throws {
        try await exchange([.bytes("bye"), .halfClose]) { server, client in
            #expect(try await client.receivedAll() == "bye")
            #expect(client.isOpen)
            try await client.send("POST /more HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi")
            #expect(try await server.request(1).text == "hi")
            #expect(server.openConnections == 1)
        }
    }

    @Test func `reset ends the connection by RST`() async throws {
        try await exchange(.reset) { server, client in
            #expect(try await client.end() == .reset)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `stall answers nothing and goes on recording`() async throws {
        try await exchange(Reply.stall.then(.bytes("never"))) { server, client in
            try await client.send(request)
            _ = try await server.request(1)
            #expect(client.text.isEmpty)
            await client.close()
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `an endless body stops when the client does not read, and goes on when it does`() async throws {
        try await exchange(.stream(nil), isPaused: true) { server, client in
            try await server.waitUntilBlocked(for: .milliseconds(50))
            let blocked = server.sentBodyBytes
            #expect(blocked < 2 << 20)
            try await client.resumeReading()
            try await server.waitUntil(sentBodyBytes: blocked + 8 << 20)
            await client.close()
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a body of a known length has that length`() async throws {
        let size = 5_000_001
        try await exchange(Reply.stream(size).then(.close)) { server, client in
            _ = try await client.receivedAll()
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
            #expect(client.bytes.count == size + head.utf8.count)
            #expect(server.sentBodyBytes == size)
        }
    }

    @Test func `a generated body is what the closure returns until nil`() async throws {
        let step = Reply.Step.generated { $0 < 3 ? Array("piece \($0)\n".utf8) : nil }
        try await exchange([step, .close]) { server, client async throws in
            #expect(try await client.receivedAll() == "piece 0\npiece 1\npiece 2\n")
            #expect(server.sentBodyBytes == 24)
        }
    }

    @Test func `stopReading holds an upload back`() async throws {
        let gate = Gate()
        let reply: Reply = [.stopReading, .wait(for: gate), .resumeReading, .wholeRequest, .bytes("done")]
        try await ScriptedServer.start(replies: [reply.early]).use { server in
            let size = 8 << 20
            let client = try await RawClient.connect(to: server)
            try await client.send("PUT / HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n")
            try await gate.waitForArrivals(1)
            client.sendLater([UInt8](repeating: 0, count: size))
            // After these round trips on another connection of the same loop, the server had time to read.
            for index in 1...20 {
                let other = try await RawClient.connect(to: server)
                try await server.waitUntil(acceptedConnections: index + 1)
                await other.close()
            }
            #expect(server.acceptedBodyBytes == 0)
            gate.open()
            #expect(try await client.received(4) == "done")
            #expect(server.acceptedBodyBytes == size)
            await client.close()
        }
    }

    @Test(arguments: [Reply.close, [.bytes("220 hello\r\n"), .close]])
    func `a reply to the connection itself needs no request`(reply: Reply) async throws {
        try await ScriptedServer.start(onConnect: { $0 == 0 ? reply : nil }).use { server in
            let client = try await RawClient.connect(to: server)
            #expect(try await client.end() == .closed)
            let next = try await RawClient.connect(to: server)
            try await next.send(request)
            #expect(try await next.received(endingIn: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK"))
            await next.close()
        }
    }

    @Test func `a connection can be reset as soon as it is accepted`() async throws {
        try await ScriptedServer.start(onConnect: { _ in .reset }).use { server in
            // The RST may arrive before the client knows that it is connected.
            let end = try? await RawClient.connect(to: server).end()
            #expect(end == .reset || end == nil)
            try await server.waitUntil(acceptedConnections: 1)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `nothing is read when the connection begins with stopReading`() async throws {
        let gate = Gate()
        let reply: Reply = [.stopReading, .wait(for: gate), .resumeReading]
        try await ScriptedServer.start(onConnect: { _ in reply }).use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send(request)
            try await gate.waitForArrivals(1)
            #expect(server.requests.isEmpty)
            gate.open()
            #expect(try await client.received(endingIn: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK"))
            await client.close()
        }
    }

    @Test func `responses are what they say`() async throws {
        func bytes(_ reply: Reply, _ method: String = "GET") async throws -> String {
            try await ScriptedServer.start { _ in reply.then(.close) }.use { server in
                let client = try await RawClient.connect(to: server)
                try await client.send("\(method) / HTTP/1.1\r\n\r\n")
                return try await client.receivedAll()
            }
        }
        #expect(try await bytes(.ok()) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try await bytes(.status(204)) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(
            try await bytes(.ok("hello"), "HEAD")
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n")
        #expect(try await bytes(.stream(9), "HEAD") == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        #expect(
            try await bytes(.json("[]", status: .created))
                == "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]")
        #expect(
            try await bytes(.redirect(to: "/x y", status: 307))
                == "HTTP/1.1 307 Temporary Redirect\r\nLocation: /x y\r\nContent-Length: 0\r\n\r\n")
        #expect(
            try await bytes(.chunked(["hello", "", "!"], trailers: [.eTag: "x"]))
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\nETag: x\r\n\r\n")
    }
}

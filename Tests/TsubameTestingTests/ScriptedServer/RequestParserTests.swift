// RequestParserTests: the server's own parser of requests, with the bytes in one piece and cut.

import NIOCore
import Testing

@testable import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct RequestParserTests {
    /// All events of the parser for these pieces, as texts; content is joined.
    private func events(_ pieces: [[UInt8]]) -> [String] {
        var parser = RequestParser()
        var events: [String] = []
        var content = ""
        for piece in pieces {
            parser.push(ByteBuffer(bytes: piece))
            while let event = parser.next() {
                switch event {
                case .head(let head):
                    events.append("\(head.method) \(head.target) \(head.version) \(head.fields.count)")
                case .piece(let bytes, let isContent): if isContent { content += String(buffer: bytes) }
                case .end(let trailers):
                    events.append("end \(content) \(trailers.map { "\($0.name)=\($0.value)" })")
                    content = ""
                case .brokenHead(let head): events.append("broken \(head.problem ?? "")")
                case .failed(let reason): events.append("failed \(reason)")
                }
            }
        }
        return events
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nA: b\r\n\r\n", ["GET / HTTP/1.1 1", "end  []"]),
        ("\r\n\r\nGET / HTTP/1.1\n\n", ["GET / HTTP/1.1 0", "end  []"]),
        ("NONSENSE\r\n\r\n", ["NONSENSE   0", "end  []"]),
        ("GET /a b c\r\nno colon\r\n\r\n", ["GET /a b c 1", "end  []"]),
        (
            "PUT /1 HTTP/1.1\r\ncontent-length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\n\r\n",
            ["PUT /1 HTTP/1.1 1", "end abc []", "GET /2 HTTP/1.1 0", "end  []"]
        ),
        (
            "PUT / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
            ["PUT / HTTP/1.1 1", "end abc0123456789 [\"T=u\"]"]
        ),
        (
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc",
            ["PUT / HTTP/1.1 1", "failed the chunk size \"xyz\" is no number"]
        ),
        (
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
            ["PUT / HTTP/1.1 1", "failed a chunk is longer than its size"]
        ),
        ("PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", ["PUT / HTTP/1.1 1", "end  []"]),
    ])
    func `says the same however the bytes are cut`(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        #expect(events([bytes]) == expected)
        #expect(events(bytes.map { [$0] }) == expected)
        for cut in 1..<bytes.count {
            #expect(events([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
        }
    }

    @Test func `keeps the framing of chunks beside the content`() async throws {
        let framed = "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n"
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + framed)
            let request = try await server.request(0)
            #expect(request.text == "hello!")
            #expect(String(decoding: request.rawBody, as: UTF8.self) == framed)
            #expect(request.trailers == [ReceivedRequest.Field(name: "T", value: "u")])
            await client.close()
        }
    }

    @Test func `trailers that do not end are given up`() {
        var parser = RequestParser()
        parser.push(ByteBuffer(string: "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"))
        let lines = ByteBuffer(
            string: String(repeating: "x: \(String(repeating: "y", count: 1_000))\r\n", count: 1_000))
        var problem: String?
        for _ in 0..<20 where problem == nil {
            parser.push(lines)
            while let event = parser.next() {
                if case .failed(let reason) = event { problem = reason }
            }
        }
        #expect(problem == "trailers of more than 8388608 bytes")
    }

    @Test func `a problem is told with the request`() async throws {
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")
            let request = try await server.request(0)
            #expect(request.problem == "the chunk size \"-1\" is no number")
            #expect(!request.isComplete)
            await client.close()
        }
    }

    @Test(arguments: [
        ("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "the chunk size \"xyz\" is no number"),
        ("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "a chunk is longer than its size"),
    ])
    func `a request that cannot be read is not answered, and its connection is closed`(
        text: String, problem: String
    ) async throws {
        try await ScriptedServer.start { request in .ok(request.path) }.use { server in
            let client = try await RawClient.connect(to: server)
            // The request before it gets its response.
            try await client.send("GET /before HTTP/1.1\r\n\r\n" + text)
            let received = try await client.receivedAll()
            #expect(received.hasSuffix("/before"))
            let request = try await server.request(1)
            #expect(request.problem == problem)
            #expect(request.hasEnded && !request.isComplete)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test
    func `an early reply is ended before its broken request's connection is closed, unless it waits for the rest`()
        async throws
    {
        let gate = Gate()
        let replies: [Reply] = [
            Reply.ok("early").after(gate).early, [.bytes("begun"), .wholeRequest, .bytes("never")],
        ]
        try await ScriptedServer.start(replies: [replies[0], replies[1].early]).use { server in
            for (index, expected) in ["early", "begun"].enumerated() {
                let client = try await RawClient.connect(to: server)
                try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
                _ = try await server.request(index)
                gate.open()
                let received = try await client.receivedAll()
                #expect(received.hasSuffix(expected))
            }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a head that does not end is a request with a problem, and its connection is closed`() async throws {
        try await ScriptedServer.start().use { server in
            let client = try await RawClient.connect(to: server)
            client.sendLater(Array("GET /endless HTTP/1.1\r\nX: ".utf8) + Array(repeating: 0x61, count: 8 << 20))
            let request = try await server.request(0)
            #expect(request.problem == "a head of more than \(8 << 20) bytes")
            #expect(request.target == "/endless" && !request.isComplete)
            try await server.waitUntil(openConnections: 0)
            await client.close()
        }
    }

    @Test func `a head without an end is given up`() {
        var parser = RequestParser()
        parser.push(ByteBuffer(repeating: 0x61, count: (8 << 20) + 1))
        guard case .brokenHead(let head) = parser.next(), head.problem != nil else {
            Issue.record("more than 8 MiB of head was accepted")
            return
        }
        #expect(parser.next() == nil)
    }
}

extension RequestParser.Event? {
    fileprivate static func == (left: Self, right: _OptionalNilComparisonType) -> Bool {
        if case .none = left { true } else { false }
    }
}

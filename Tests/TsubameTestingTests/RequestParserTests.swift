// The server's own reading of requests, with the bytes in one piece and cut.

import NIOCore
import Testing

@testable import TsubameTesting

@Suite struct RequestParserTests {
    /// Everything that the parser says of these pieces, in words; content is joined.
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

    @Test func `a head without an end is given up`() {
        var parser = RequestParser()
        parser.push(ByteBuffer(repeating: 0x61, count: (8 << 20) + 1))
        guard case .failed = parser.next() else {
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

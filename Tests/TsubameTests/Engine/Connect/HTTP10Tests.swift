// HTTP10Tests: requests in HTTP/1.0.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HTTP10Tests {
    @Test(arguments: [false, true])
    func `each request names HTTP 1_0 and has a connection of its own`(isSecure: Bool) async throws {
        let server = try await ScriptedServer.start(tls: isSecure ? .localhost : nil) { .ok($0.text) }
        try await serving(server, base: isSecure ? server.localhostURL : server.url) {
            $0.connection.httpVersion = .http10
            $0.connection.tls.roots = .authority
        } _: { server, client in
            for _ in 0..<2 {
                let response = try await client.post("a", body: .text("hello"))
                #expect(response.bytes == Bytes("hello"))
                #expect(response.connection?.isReused == false)
            }
            #expect(
                server.requests.map { $0.headText.prefix { $0 != "\r\n" } } == ["POST /a HTTP/1.0", "POST /a HTTP/1.0"])
            #expect(server.requests[0]["host"] != nil && server.requests[0]["content-length"] == "5")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `a body of unknown length, and trailers, are refused before a byte is sent`() async throws {
        try await serving(.start(), { $0.connection.httpVersion = .http10 }) { server, client in
            let stream = RequestBody.stream { CountedPieces(count: 2, pulled: { _ in }) }
            let error = try await failure { try await client.post("a", body: stream) }
            #expect(error.kind == .invalidRequest && error.reason.contains("HTTP/1.0 has no chunks"), "\(error)")
            #expect(server.requests.isEmpty)
            // The connection is as good as before.
            let status = try await client.get("b").status
            #expect(status == .ok)
        }
    }

    @Test func `no server of HTTP 1_0 is asked whether it wants the body`() async throws {
        try await serving(.start { .ok($0.text) }, { $0.connection.httpVersion = .http10 }) { server, client in
            let response = try await client.post("a", headers: ["Expect": "100-continue"], body: .text("hello"))
            #expect(response.bytes == Bytes("hello"))
            #expect(server.requests[0]["expect"] == nil)
        }
    }

    @Test func `a head in HTTP 1_0 is what the printed one says`() throws {
        let request = Request(.get, url: "http://a.example/x")
        let bytes = try SentHead.bytes(of: request, .http10)
        #expect(bytes == Bytes("GET /x HTTP/1.0\r\nHost: a.example\r\n\r\n"))
        var asking = Request(.options, url: "http://a.example/x")
        asking.asksServer = true
        let asked = try SentHead.bytes(of: asking)
        #expect(asked.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.hasPrefix("OPTIONS * HTTP/1.1\r\n"))
    }
}

// ScriptedServerHTTP2Tests: the scripted server over HTTP/2, seen by this library's client.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// Runs `body` with a server that speaks these versions, and a client that speaks HTTP/2 with prior knowledge.
func withHTTP2<R>(
    versions: [HTTPVersion] = [.http2], _ script: @escaping @Sendable (ReceivedRequest) -> Reply,
    onHead: @escaping @Sendable (ReceivedRequest) -> Reply? = { _ in nil },
    _ body: (ScriptedServer, Client) async throws -> R
) async throws -> R {
    try await ScriptedServer.start(versions: versions, script, onHead: onHead).use { server in
        try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { client in
            try await body(server, client)
        }
    }
}

@Suite struct ScriptedServerHTTP2Tests {
    @Test func `a request is recorded with its parts`() async throws {
        try await withHTTP2({ _ in .ok("hello") }) { server, client in
            let response = try await client.post("a?b=c", body: .text("four"))
            #expect(try await response.text() == "hello")
            #expect(response.version == .http2)
            let request = try await server.request(0)
            #expect(request.version == "HTTP/2")
            #expect(request.method == "POST")
            #expect(request.target == "/a?b=c")
            #expect(request["content-length"] == "4")
            #expect(request[":authority"] == "127.0.0.1:\(server.port)")
            #expect(request.text == "four")
            #expect(request.head.isEmpty)
            #expect(request.isComplete)
        }
    }

    @Test func `streams of one connection have one connection number`() async throws {
        let gate = Gate()
        try await withHTTP2({ request in request.index == 0 ? Reply.ok("first").after(gate) : .ok("second") }) {
            server, client in
            async let first = client.get("1")
            _ = try await server.request(0)
            #expect(try await client.get("2").text() == "second")
            gate.open()
            #expect(try await first.text() == "first")
            #expect(server.requests.map(\.connection) == [0, 0])
            #expect(server.requests.map(\.indexOnConnection) == [0, 1])
        }
    }

    @Test func `an informational response may come from a shorthand`() async throws {
        try await withHTTP2({ _ in Reply.status(.earlyHints).followed(by: .ok("x")) }) { server, client async throws in
            #expect(try await client.get("").text() == "x")
            #expect(server.openConnections == 1)
        }
    }

    @Test func `the error of one stream does not end the others`() async throws {
        let gate = Gate()
        try await withHTTP2({ request in
            // Content before the head is an error of the stream, which NIO's codec finds.
            request.target == "/wrong" ? [.content("x"), .head(.ok)] : Reply.ok("hello").after(gate)
        }) { server, client async throws in
            async let other = client.get("right")
            _ = try await server.request(0)
            _ = try? await client.with { $0.timeouts.total = .milliseconds(300) }.get("wrong")
            gate.open()
            #expect(try await other.text() == "hello")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `a stopped server leaves no reply that waits, not even after a response`() async throws {
        let gate = Gate()
        try await withHTTP2({ _ in Reply.ok("hello").interrupted(.afterResponse, by: .wait(for: gate), .goAway()) }) {
            server, client async throws in
            #expect(try await client.get("").text() == "hello")
            try await gate.waitForArrivals(1)
            await client.close()
            await server.stop()
            #expect(gate.waiting == 0)
        }
    }

    @Test func `TLS offers the versions by ALPN`() async throws {
        for (versions, spoken) in [([HTTPVersion.http2, .http11], HTTPVersion.http2), ([.http11], .http11)] {
            try await ScriptedServer.start(tls: .localhost, versions: versions).use { server in
                try await withClient(
                    server.url, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }
                ) { client async throws in
                    #expect(try await client.get("").version == spoken)
                }
                #expect(server.requests.map(\.tlsVersion) == ["TLS 1.3"])
            }
        }
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `without TLS the first bytes tell the version`(version: HTTPVersion) async throws {
        try await ScriptedServer.start(versions: [.http11, .http2]).use { server in
            try await withClient(
                server.url, { $0.connection.httpVersion = version == .http2 ? .http2 : .http11 }
            ) { client async throws in
                #expect(try await client.get("").version == version)
            }
        }
    }

    @Test func `trailers, informational heads and an empty response arrive`() async throws {
        let replies: [Reply] = [
            .chunked(["one ", "two"], headers: [.eTag: "\"x\""], trailers: [HTTPField.Name("x-sum")!: "7"]),
            [.head(.earlyHints, [HTTPField.Name("link")!: "</a>"]), .head(.ok), .content("after hints")],
            .status(.noContent), .redirect(to: "/elsewhere"), .ok("end"),
        ]
        try await ScriptedServer.start(replies: replies, versions: [.http2]).use { server in
            try await withClient(server.url, { $0.connection.httpVersion = .http2 }) { client in
                let chunked = try await client.get("1")
                #expect(try await chunked.text() == "one two")
                #expect(chunked.trailers?[HTTPField.Name("x-sum")!] == "7")
                #expect(chunked.headers[.transferEncoding] == nil)
                #expect(try await client.get("2").text() == "after hints")
                #expect(try await client.get("3").status == .noContent)
                #expect(try await client.get("4").text() == "end")
                #expect(server.requests.last?.target == "/elsewhere")
            }
        }
    }

    @Test func `a request with trailers and a body in pieces is recorded`() async throws {
        try await withHTTP2({ .ok("\($0.bodyByteCount)") }) { server, client async throws in
            let pieces = AsyncStream<[UInt8]> { stream in
                for _ in 0..<10 { stream.yield(Array(repeating: 0x61, count: 30_000)) }
                stream.finish()
            }
            #expect(try await client.post("", body: .stream(once: pieces)).text() == "300000")
            #expect(server.acceptedBodyBytes == 300_000)
        }
    }

    @Test func `a wrong length is sent as the script says`() async throws {
        try await withHTTP2({ _ in .ok("hello", headers: [.contentLength: "9"]) }) { _, client in
            await #expect(throws: CallError.self) { _ = try await client.get("") }
        }
    }

    @Test func `a body waits for a client that does not read`() async throws {
        try await withHTTP2({ _ in .stream(20 << 20) }) { server, client in
            let count = try await client.stream("") { response in
                try await server.waitUntilBlocked()
                #expect(server.sentBodyBytes < 20 << 20)
                var count = 0
                for try await piece in response.body { count += piece.count }
                return count
            }
            #expect(count == 20 << 20)
            #expect(server.sentBodyBytes == 20 << 20)
        }
    }

    @Test func `a cancelled call is recorded as a reset stream`() async throws {
        try await withHTTP2({ $0.index == 0 ? .stall : .ok() }) { server, client in
            let call = Task { try await client.post("", body: .stream(once: AsyncStream<[UInt8]> { _ in })) }
            _ = try await server.head(0)
            call.cancel()
            _ = await call.result
            let request = try await server.request(0)
            #expect(!request.isComplete)
            #expect(request.problem?.hasPrefix("the client reset the stream") == true)
            #expect(try await client.get("").status == .ok)
        }
    }
}

// RequestTrailerTests: trailer fields after the body of a request.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RequestTrailerTests {
    @Test(arguments: [
        RequestBody.text("hello"), .bytes([UInt8](repeating: 0x61, count: 200_000)), .empty,
        .stream { ExpectTests.Pieces(["hel", "lo"]) }, .stream(length: 5) { ExpectTests.Pieces(["hel", "lo"]) },
    ])
    func `they follow every kind of body, which goes chunked`(_ body: RequestBody) async throws {
        try await serving(.start()) { server, client in
            for round in 0..<2 {
                let traced = body.with { [.contentDigest: "sha-256=:abc:", .eTag: "\"1\""] }
                let status = try await client.post("x", body: traced).status
                #expect(status == .ok)
                let request = try await server.request(round)
                #expect(request.isChunked && request["content-length"] == nil && request.problem == nil)
                #expect(
                    request.trailers.map { "\($0.name): \($0.value)" } == [
                        "Content-Digest: sha-256=:abc:", "ETag: \"1\"",
                    ])
                #expect(request.bodyByteCount == body.bytes?.count ?? (body.isEmpty ? 0 : 5))
            }
        }
    }

    @Test func `they are asked for once the content has been read`() async throws {
        let log = Log<String>()
        let body = RequestBody.stream {
            AsyncStream<Bytes> { continuation in
                log.add("read")
                continuation.yield(Bytes("x"))
                continuation.finish()
            }
        }.with {
            log.add("asked"); return [.contentDigest: "x"]
        }
        try await serving(.start()) { server, client in
            _ = try await client.post("x", body: body)
            #expect(log.all == ["read", "asked"])
        }
    }

    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Cookie", "Content-Type", "Trailer", "TE",
    ])
    func `BAD-INPUT 19: what frames, routes or authenticates must not be among them`(_ name: String) async throws {
        try await serving(.start()) { server, client in
            let field = try #require(HTTPField.Name(name))
            let error = try await failure { try await client.post("x", body: .text("x").with { [field: "1"] }) }
            #expect(error.kind == .requestBody && error.reason.contains(name), "\(error)")
            // The server received no complete request.
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.allSatisfy { !$0.isComplete })
        }
    }

    @Test func `a body whose length is wrong is still an error`() async throws {
        try await serving(.start()) { server, client in
            let body = RequestBody.stream(length: 9) { ExpectTests.Pieces(["hel", "lo"]) }.with {
                [.contentDigest: "x"]
            }
            let error = try await failure { try await client.post("x", body: body) }
            #expect(error.kind == .requestBody)
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.allSatisfy { !$0.isComplete })
        }
    }
}

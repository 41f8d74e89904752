// ChallengedBodyTests: bodies of challenged requests: bodies that can be sent again, and bodies that are lost.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ChallengedBodyTests {
    private static let digest = Authentication.digest(user: "user", password: "s3cret")
    private static let pieces = ["one ", "two ", "three"]

    /// By default too short to be held back until the server's challenge.
    private static func once(length: Int64? = 13) -> RequestBody {
        .stream(
            once: AsyncStream { stream in
                for piece in pieces { stream.yield(Bytes(piece)) }
                stream.finish()
            }, length: length)
    }

    /// Too short to be held back until the server's challenge.
    private static func again() -> RequestBody { .stream(length: 13) { ExpectTests.Pieces(pieces) } }

    /// The server sends its challenge after the head, before the body has arrived.
    private func guarded(
        _ keeper: DigestGuard, _ body: (ScriptedServer, Client, EventLog) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start {
            keeper.reply(to: $0, $0.text)
        } onHead: { request in
            guard request["expect"] != nil else { return nil }
            if request["authorization"] == nil { return keeper.challenge() }
            return [
                .bytes("HTTP/1.1 100 Continue\r\n\r\n"), .wholeRequest,
                .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            try await body(server, client, events)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a stream that can be opened again is sent again`() async throws {
        try await guarded(DigestGuard()) { (server, client, _) async throws in
            let response = try await client.post("a", body: Self.again())
            #expect(response.bytes == Bytes("one two three"))
            #expect(server.requests.map(\.text) == ["one two three", "one two three"])
        }
    }

    @Test func `a body that is gone is not, but the next one goes at once`() async throws {
        try await guarded(DigestGuard()) { (server, client, events) async throws in
            let response = try await client.post("a", body: Self.once())
            #expect(response.status == .unauthorized)
            #expect(events.decisions == ["the 401 is given back: the body can be sent only once"])
            let next = try await client.post("a", body: Self.once())
            #expect(next.bytes == Bytes("one two three"))
            #expect(server.schemes == ["-", "Digest"])
        }
    }

    @Test func `with Expect the server asks before the body has gone, and it is sent once`() async throws {
        try await guarded(DigestGuard()) { (server, client, events) async throws in
            let headers: RequestHeaders = [.expect: "100-continue"]
            let response = try await client.post("a", headers: headers, body: Self.once())
            #expect(response.status == .ok)
            #expect(server.schemes == ["-", "Digest"])
            #expect(server.requests.map(\.text) == ["", "one two three"])
            #expect(events.resendings == ["401: Digest (MD5)"])
        }
    }

    @Test func `FAULT 28: a long body waits for the challenge, and is sent once`() async throws {
        let stream = RequestBody.stream { ExpectTests.Pieces(Self.pieces) }
        let bytes = RequestBody.bytes([UInt8](repeating: 0x61, count: 65_537))
        for (body, count) in [(bytes, 65_537), (stream, 13), (Self.once(length: nil), 13)] {
            try await guarded(DigestGuard()) { (server, client, events) async throws in
                let response = try await client.post("a", body: body)
                #expect(response.status == .ok)
                #expect(server.schemes == ["-", "Digest"])
                #expect(server.requests.map { $0["expect"] } == ["100-continue", nil])
                #expect(server.requests.map(\.bodyByteCount) == [0, count])
                #expect(events.resendings == ["401: Digest (MD5)"])
            }
        }
    }

    @Test func `FAULT 28: short bodies do not wait, and no body does once a challenge is known`() async throws {
        try await guarded(DigestGuard()) { (server, client, _) async throws in
            let body = RequestBody.bytes([UInt8](repeating: 0x61, count: 65_536))
            #expect(try await client.post("a", body: body).statusCode == 200)
            let longer = RequestBody.bytes([UInt8](repeating: 0x61, count: 65_537))
            #expect(try await client.post("a", body: longer).statusCode == 200)
            #expect(server.schemes == ["-", "Digest", "Digest"])
            #expect(server.requests.allSatisfy { $0["expect"] == nil })
        }
    }

    @Test(arguments: [65_536, 65_537]) func `FAULT 28: a file waits if it is long`(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "body")
            try Data(repeating: 0x61, count: count).write(to: file)
            try await guarded(DigestGuard()) { (server, client, _) async throws in
                let response = try await client.post("a", body: .file(file.path, contentType: "text/plain"))
                #expect(response.statusCode == 200)
                #expect(server.requests.map { $0["expect"] } == [count > 65_536 ? "100-continue" : nil, nil])
            }
        }
    }

    @Test func `FAULT 28: Basic, which needs no challenge, does not wait`() async throws {
        let server = try await ScriptedServer.start { request in .ok(request["expect"] ?? "at once") }
        try await serving(server, { $0.authentication = .basic(user: "user", password: "s3cret") }) {
            (server, client) async throws in
            let body = RequestBody.bytes([UInt8](repeating: 0x61, count: 100_000))
            #expect(try await client.post("a", body: body).text() == "at once")
        }
    }

    @Test func `a stream is not covered by an answer, and the 401 says so`() async throws {
        let keeper = DigestGuard { $0.protections = "auth-int" }
        try await guarded(keeper) { (server, client, events) async throws in
            let response = try await client.post("a", body: Self.again())
            #expect(response.status == .unauthorized)
            #expect(
                events.decisions
                    == ["the 401 is given back: the server wants a digest of the body, whose bytes are not known"])
            #expect(try await client.post("a", body: .text("known")).statusCode == 200)
        }
    }

    @Test func `a token's 401 to a body that is gone makes the next call have another`() async throws {
        let asked = Log<Int>()
        let server = try await ScriptedServer.start { request in
            request["authorization"] == "Bearer 1" ? .ok(request.text) : .status(.unauthorized)
        }
        try await serving(
            server,
            {
                $0.authentication = .token(AccessToken("0")) { _ in
                    asked.add(1)
                    return AccessToken("1")
                }
            }
        ) { (server, client) async throws in
            #expect(try await client.post("a", body: Self.once()).statusCode == 401)
            #expect(asked.all.isEmpty)
            #expect(try await client.post("a", body: Self.once()).text() == "one two three")
            #expect(asked.all.count == 1)
            #expect(server.requests.count == 2)
        }
    }
}

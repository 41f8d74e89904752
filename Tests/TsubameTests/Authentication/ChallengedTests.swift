// ChallengedTests: credentials that wait for the server to name a scheme.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ChallengedTests {
    private static let challenged = Authentication.challenged(user: "user", password: "s3cret")
    private static let basic = "Basic dXNlcjpzM2NyZXQ="

    private func serving(
        _ script: @escaping @Sendable (ReceivedRequest) -> Reply, _ authentication: Authentication = challenged,
        _ body: (ScriptedServer, Client, EventLog) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(script)
        try await TsubameTests.serving(server, { $0.authentication = authentication }) { server, client in
            let events = EventLog()
            let observation = events.observe(client)
            try await body(server, client, events)
            withExtendedLifetime(observation) {}
        }
    }

    /// A server that wants Basic.
    private static func basicOnly(_ request: ReceivedRequest) -> Reply {
        request["authorization"] == basic
            ? .ok(request.text)
            : .status(.unauthorized, "whom?", headers: [.wwwAuthenticate: "Negotiate, Basic realm=\"a\""])
    }

    @Test func `Basic is sent once the server asks for it, and from then on at once`() async throws {
        try await serving(Self.basicOnly) { server, client, events in
            for _ in 0..<3 {
                let response = try await client.post("a", body: .text("x"))
                #expect(response.status == .ok && response.bytes == Bytes("x"))
            }
            #expect(server.requests.map { $0["authorization"] } == [nil, Self.basic, Self.basic, Self.basic])
            #expect(events.resendings == ["401: Basic"])
        }
    }

    @Test func `Digest counts before Basic, and the password is never sent`() async throws {
        let keeper = DigestGuard()
        try await serving({ request in
            if request["authorization"]?.hasPrefix("Digest") == true { return keeper.reply(to: request, "") }
            return .status(
                .unauthorized, "",
                headers: HTTPFields([
                    HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"a\""),
                    HTTPField(
                        name: .wwwAuthenticate, value: String(keeper.fields("A").dropFirst("A: ".count).dropLast())),
                ]))
        }) { server, client, events in
            let status = try await client.get("a").status
            #expect(status == .ok)
            #expect(server.schemes == ["-", "Digest"])
        }
    }

    @Test func `a password that is refused is not sent again`() async throws {
        try await serving({ _ in .status(.unauthorized, "", headers: [.wwwAuthenticate: "Basic realm=\"a\""]) }) {
            server, client, events in
            for requests in [2, 3] {
                let status = try await client.get("a").statusCode
                #expect(status == 401 && server.requests.count == requests)
            }
            #expect(events.decisions.last == "the 401 is given back: the server refuses user and password")
        }
    }

    @Test func `without a challenge, or with one of another scheme, nothing is sent`() async throws {
        try await serving({ request in
            request.index == 0
                ? .ok("x") : .status(.unauthorized, "", headers: [.wwwAuthenticate: "Negotiate"])
        }) { server, client, events in
            _ = try await client.get("a")
            let status = try await client.get("a").statusCode
            #expect(status == 401 && server.schemes == ["-", "-"])
            #expect(events.decisions.last == "the 401 is given back: the server offers neither Digest nor Basic")
        }
    }

    @Test func `another origin gets nothing, though it asks`() async throws {
        try await ScriptedServer.start(Self.basicOnly).use { other in
            try await serving({ _ in .redirect(to: other.url) }) { _, client, _ in
                let status = try await client.get("a").statusCode
                #expect(status == 401 && other.schemes == ["-"])
            }
        }
    }

    @Test func `a name or password that no field can carry fails before anything is sent`() async throws {
        try await serving(Self.basicOnly, .challenged(user: "user", password: "a\nb")) { server, client, _ in
            let error = try await failure { try await client.get("a") }
            #expect(error.kind == .invalidRequest && server.requests.isEmpty, "\(error)")
        }
    }
}

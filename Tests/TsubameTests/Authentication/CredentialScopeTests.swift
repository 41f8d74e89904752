// CredentialScopeTests: credentials and challenges of several origins, over real sockets.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CredentialScopeTests {
    private static let digest = Authentication.digest(user: "user", password: "s3cret")

    /// Several hosts, each with its own realm, on one server. `a.example/go` redirects to `b.example`.
    private func hosts(
        _ authentication: Authentication, base: String? = "http://a.example", allowed: Set<Origin> = [],
        _ body: (ScriptedServer, Client) async throws -> Void
    ) async throws {
        let keepers = ["a.example": DigestGuard { $0.realm = "a" }, "b.example": DigestGuard { $0.realm = "b" }]
        let server = try await ScriptedServer.start { request in
            if request.path == "/go" { return .redirect(to: "http://b.example/there") }
            return keepers[request["host"] ?? ""]?.reply(to: request) ?? .status(.notFound)
        }
        try await serving(server, base: base) {
            $0.authentication = authentication
            $0.allowedOrigins = allowed
            $0.connection.resolve = TsubameTests.hosts(["a.example:80", "b.example:80"], at: server)
        } _: { (server, client) async throws in
            try await body(server, client)
        }
    }

    /// The host and the credentials' scheme of each request.
    private func sent(_ server: ScriptedServer) -> [String] {
        zip(server.requests.map { $0["host"]?.prefix(1) ?? "" }, server.schemes).map { "\($0) \($1)" }
    }

    @Test("BAD-INPUT 21, 34: a challenge of another origin is not answered, and no nonce goes there") func foreign()
        async throws
    {
        try await hosts(Self.digest) { (server, client) async throws in
            #expect(try await client.get("x").statusCode == 200)
            #expect(try await client.get("go").statusCode == 401)
            #expect(try await client.get(url: "http://b.example/there").statusCode == 401)
            #expect(sent(server) == ["a -", "a Digest", "a Digest", "b -", "b -"])
        }
    }

    @Test("BAD-INPUT 34: what is known of one origin is not used for another that may have the credentials") func each()
        async throws
    {
        let other = try #require(Origin("http://b.example"))
        try await hosts(Self.digest, allowed: [other]) { (server, client) async throws in
            #expect(try await client.get("x").statusCode == 200)
            #expect(try await client.get("go").statusCode == 200)
            #expect(try await client.get(url: "http://b.example/again").statusCode == 200)
            #expect(sent(server) == ["a -", "a Digest", "a Digest", "b -", "b Digest", "b Digest"])
            for request in server.requests {
                let isForA = request["authorization"]?.contains("realm=\"a\"") ?? true
                #expect(request["authorization"] == nil || isForA == (request["host"] == "a.example"))
            }
        }
    }

    @Test("BAD-INPUT 34: the userinfo of a URL answers its own host's challenge, and goes to no other") func userinfo()
        async throws
    {
        try await hosts(.none, base: nil) { (server, client) async throws in
            let url = "http://user:s3cret@a.example/"
            #expect(try await client.get(url: url + "x").statusCode == 200)
            // Basic is no longer sent to an origin that is known to want Digest.
            #expect(try await client.get(url: url + "y").statusCode == 200)
            #expect(try await client.get(url: url + "go").statusCode == 401)
            #expect(sent(server) == ["a Basic", "a Digest", "a Digest", "a Digest", "b -"])
            #expect(try await client.get(url: "http://a.example/x").statusCode == 401)
            #expect(try await client.get(url: "http://other:s3cret@a.example/x").statusCode == 401)
            #expect(sent(server).suffix(3) == ["a -", "a Basic", "a Digest"])
            #expect(!server.requests.contains { $0.headText.contains("s3cret") })
        }
    }

    @Test("BAD-INPUT 21, 34: a token goes to its own origin only, and only that one's 401 asks for another")
    func token()
        async throws
    {
        let asked = Log<Int>()
        let tokens = Authentication.token { _ in
            asked.add(1)
            return AccessToken("s3cret")
        }
        try await hosts(tokens) { (server, client) async throws in
            #expect(try await client.get("go").statusCode == 401)
            #expect(try await client.get(url: "http://b.example/there").statusCode == 401)
            #expect(sent(server) == ["a Bearer", "b -", "b -"])
            #expect(asked.all.count == 1)
        }
    }

    @Test("BAD-INPUT 20: no text shows a password, a token or an answer") func texts() async throws {
        try await hosts(Self.digest) { (server, client) async throws in
            let log = Log<CallEvent>()
            let observation = client.observe { log.add($0) }
            let response = try await client.get("x")
            let error = await callError { _ = try await client.get("go").accepted() }
            var text = "\(response)\(response.request)\(response.history)\(client)\(client.configuration)"
            text += error.map { "\($0)\(String(reflecting: $0))" } ?? ""
            text += log.all.map { "\($0.kind)\(String(reflecting: $0.kind))" }.joined()
            dump(client, to: &text)
            #expect(!text.contains("s3cret") && !text.contains("response=") && !text.contains("cnonce"))
            withExtendedLifetime(observation) {}
        }
    }
}

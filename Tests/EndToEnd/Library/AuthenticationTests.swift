// AuthenticationTests: authentication against the embedded httpbin.
#if Server
import HTTPBin
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct AuthenticationTests {
    private struct Answer: Decodable, Equatable {
        let authenticated: Bool
        var user: String?
        var token: String?
    }

    /// Runs `body` with the server's URL and log.
    private func serving(
        _ authentication: Authentication, _ body: (Client, RequestLog) async throws -> Void
    ) async throws {
        try await withHTTPBin { url, log in
            try await withClient(url, { $0.authentication = authentication }) { try await body($0, log) }
        }
    }

    @Test(arguments: [("user", "pass"), ("Jäsøn", "Secret, or \"not\"?"), ("燕", "ß:e")])
    func `Basic, told and hidden, in UTF-8`(user: String, password: String) async throws {
        try await serving(.basic(user: user, password: password)) { (client, log) async throws in
            for path in ["basic-auth/\(user)/\(password)", "hidden-basic-auth/\(user)/\(password)"] as [RequestPath] {
                #expect(try await client.get(path).json(Answer.self) == Answer(authenticated: true, user: user))
            }
            #expect(log.all.count == 2)
        }
    }

    @Test func `Bearer, and a token that is fetched from the server itself`() async throws {
        try await serving(.bearer("abc")) { (client, _) async throws in
            #expect(try await client.get("bearer").json(Answer.self) == Answer(authenticated: true, token: "abc"))
        }
        let source = Authentication.token { client in
            AccessToken(try await client.get("base64/c3dhbGxvdw==").text(), expiresIn: .seconds(60))
        }
        try await serving(source) { (client, log) async throws in
            for _ in 0..<2 {
                let answer = try await client.get("bearer").json(Answer.self)
                #expect(answer == Answer(authenticated: true, token: "swallow"))
            }
            #expect(log.all.count == 3)
        }
    }

    @Test(arguments: ["MD5", "SHA-256", "SHA-512"], ["auth", "auth-int", "both"])
    func `Digest with every algorithm and protection`(algorithm: String, protection: String) async throws {
        let (user, password) = ("Jäsøn \"Doe\"", "Secret, or not?")
        try await serving(.digest(user: user, password: password)) { (client, log) async throws in
            let path: RequestPath = "digest-auth/\(protection)/\(user)/\(password)/\(algorithm)"
            for body in [RequestBody.empty, .text("hello")] {
                let response = try await client.send(Request(.get, path, query: ["q": "a b"], body: body))
                #expect(try await response.json(Answer.self) == Answer(authenticated: true, user: user))
            }
            #expect(log.all.count == 3)
        }
    }

    @Test func `Digest whose nonces grow old, with the cookies that the server needs`() async throws {
        try await withHTTPBin { url, log in
            try await withClient(
                url,
                {
                    $0.authentication = .digest(user: "user", password: "pass")
                    $0.cookies = .memory
                }
            ) { (client) async throws in
                for _ in 0..<6 {
                    let response = try await client.get("digest-auth/auth/user/pass/MD5/2")
                    #expect(response.statusCode == 200)
                }
                // The server calls the nonce of every other call stale.
                #expect(log.all.count > 7 && log.all.count <= 10)
            }
        }
    }

    @Test func `a wrong password is a 401, after one answer`() async throws {
        try await serving(.digest(user: "user", password: "wrong")) { (client, log) async throws in
            #expect(try await client.get("digest-auth/auth/user/pass").statusCode == 401)
            #expect(log.all.count == 2)
        }
    }

    @Test func `the userinfo of a URL answers Digest as well`() async throws {
        try await withHTTPBin { url, log in
            try await withClient { (client) async throws in
                let url = url.replacing("http://", with: "http://user:p%40ss@") + "/digest-auth/auth/user/p%40ss"
                #expect(try await client.get(url: url).statusCode == 200)
                #expect(try await client.get(url: url).statusCode == 200)
                #expect(log.all.count == 3)
            }
        }
    }
}
#endif

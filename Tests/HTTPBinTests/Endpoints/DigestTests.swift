// DigestTests: Digest authentication, with the client's side computed here.
#if Server
import Crypto
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DigestTests {
    /// The parameters of a challenge by their names.
    private static func parameters(_ challenge: String) -> [String: String] {
        var result: [String: String] = [:]
        var rest = challenge[...].drop { $0 != " " }
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == " " || $0 == "," }
            rest = rest[equals...].dropFirst()
            let isQuoted = rest.first == "\""
            let value = isQuoted ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != "," }
            rest = rest.dropFirst(value.count + (isQuoted ? 2 : 0))
            result[String(name)] = String(value)
        }
        return result
    }

    private static func hash(_ algorithm: String, _ parts: String...) -> String {
        let bytes = Array(parts.joined(separator: ":").utf8)
        let digest: [UInt8] =
            switch algorithm {
            case "SHA-256": Array(SHA256.hash(data: bytes))
            case "SHA-512": Array(SHA512.hash(data: bytes))
            default: Array(Insecure.MD5.hash(data: bytes))
            }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func credentials(
        _ challenge: String, path: String, user: String = "燕 \"s", password: String = "p:w", qop: String? = "auth",
        body: String = ""
    ) -> String {
        let given = parameters(challenge)
        let (algorithm, nonce, realm) = (given["algorithm"] ?? "", given["nonce"] ?? "", given["realm"] ?? "")
        let secret = hash(algorithm, user, realm, password)
        let request =
            qop == "auth-int" ? hash(algorithm, "GET", path, hash(algorithm, body)) : hash(algorithm, "GET", path)
        let response =
            if let qop {
                hash(algorithm, secret, nonce, "00000001", "c,=", qop, request)
            } else {
                hash(algorithm, secret, nonce, request)
            }
        let name = user.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
        let proof = qop.map { ", qop=\($0), nc=00000001, cnonce=\"c,=\"" } ?? ""
        return "Authorization: Digest username=\"\(name)\", realm=\"\(realm)\", nonce=\"\(nonce)\", uri=\"\(path)\", "
            + "algorithm=\(algorithm), response=\"\(response)\"\(proof)"
    }

    private let user = "%E7%87%95%20%22s"

    @Test(arguments: ["MD5", "SHA-256", "SHA-512"], ["auth", "auth-int", nil])
    func theRightProofLetsIn(algorithm: String, qop: String?) async throws {
        try await withServer { server async throws in
            let path = "/digest-auth/both/\(user)/p:w/\(algorithm)?a=b"
            let refusal = try await server.get(path)
            #expect(refusal.status == 401)
            let challenge = try #require(refusal["WWW-Authenticate"])
            #expect(challenge.hasPrefix("Digest "))
            let parameters = Self.parameters(challenge)
            #expect(parameters["algorithm"] == algorithm)
            #expect(parameters["qop"] == "auth, auth-int")
            #expect(parameters["stale"] == "False")
            #expect(parameters["nonce"]?.isEmpty == false && parameters["opaque"]?.isEmpty == false)

            let answer = try await server.request(
                "GET", path, [Self.credentials(challenge, path: path, qop: qop, body: "body")],
                body: Array("body".utf8))
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""authenticated": true"#))
        }
    }

    @Test(arguments: [("燕 \"s", "wrong"), ("other", "p:w")])
    func aWrongNameOrPasswordIsRefused(user: String, password: String) async throws {
        try await withServer { server async throws in
            let path = "/digest-auth/auth/\(self.user)/p:w"
            let challenge = try #require(try await server.get(path)["WWW-Authenticate"])
            let field = Self.credentials(challenge, path: path, user: user, password: password)
            let answer = try await server.get(path, field)
            #expect(answer.status == 401)
            // After a nonce that was refused once, the next nonce is refused as stale.
            let nonce = try #require(answer.all("Set-Cookie").first { $0.hasPrefix("last_nonce=") })
            let again = try await server.get(path, field, "Cookie: \(nonce.prefix { $0 != ";" })")
            #expect(try #require(again["WWW-Authenticate"]).hasSuffix("stale=True"))
        }
    }

    @Test func aProofForAnotherPathOrBodyIsNone() async throws {
        try await withServer { server async throws in
            let path = "/digest-auth/auth-int/\(user)/p:w"
            let challenge = try #require(try await server.get(path)["WWW-Authenticate"])
            let elsewhere = Self.credentials(challenge, path: path + "?x")
            #expect(try await server.get(path, elsewhere).status == 401)
            let other = Self.credentials(challenge, path: path, qop: "auth-int", body: "other")
            #expect(try await server.request("GET", path, [other], body: Array("body".utf8)).status == 401)
        }
    }

    @Test func aNonceIsStaleAfterSoManyExchanges() async throws {
        try await withServer { server async throws in
            let path = "/digest-auth/auth/\(user)/p:w/MD5/2"
            let first = try await server.get(path)
            let challenge = try #require(first["WWW-Authenticate"])
            let field = Self.credentials(challenge, path: path)
            var cookies = first.all("Set-Cookie")
            var seen: [String] = []
            for _ in 0..<3 {
                let sent = cookies.map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
                let answer = try await server.get(path, field, "Cookie: \(sent)")
                cookies = answer.all("Set-Cookie")
                seen.append("\(answer.status) \(answer["WWW-Authenticate"]?.hasSuffix("stale=True") == true)")
            }
            #expect(seen == ["200 false", "200 false", "401 true"])
        }
    }

    @Test func aClientWithoutCookiesIsNotLetInIfTheyAreRequired() async throws {
        try await withServer { server async throws in
            let path = "/digest-auth/auth/\(user)/p:w?require-cookie=1"
            let challenge = try #require(try await server.get(path)["WWW-Authenticate"])
            let field = Self.credentials(challenge, path: path)
            #expect(try await server.get(path, field).status == 401)
            #expect(try await server.get(path, field, "Cookie: a=b").status == 403)
            #expect(try await server.get(path, field, "Cookie: fake=fake_value").status == 200)
        }
    }

    @Test func whatIsMissingIsNamed() async throws {
        try await withServer { server async throws in
            let answer = try await server.get(
                "/digest-auth/auth/a/b", "Authorization: Digest username=a, nonce=n, qop=auth, nc=1")
            #expect(answer.status == 400)
            #expect(answer.text.contains("cnonce"))
        }
    }
}

#endif

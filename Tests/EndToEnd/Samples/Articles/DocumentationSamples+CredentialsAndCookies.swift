// DocumentationSamples: the samples of CredentialsAndCookies.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

private struct Grant: Codable {
    let access_token: String
    let expires_in: Int
}

extension DocumentationSamples {
    @Test func credentials() async throws {
        let server = try await ScriptedServer.start { request in
            guard request["authorization"]?.hasPrefix("Digest ") == true else {
                return .status(
                    .unauthorized,
                    headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#])
            }
            return .ok("in")
        }
        let password = "s3cret"
        let viewer = Client(server.url) {
            $0.authentication = .digest(user: "viewer", password: password)
        }
        #expect(try await viewer.get("x").text() == "in")
        try await close(viewer)
        await server.stop()
    }

    @Test func tokens() async throws {
        let server = try await ScriptedServer.start { request in
            if request.path == "/oauth/token" { return .ok(#"{"access_token": "t-1", "expires_in": 3600}"#) }
            return .ok(request["authorization"] ?? "nobody")
        }
        let tokens = TokenAuthenticator { client in
            let grant = try await client.post("oauth/token", form: ["grant_type": "client"]).json(Grant.self)
            return AccessToken(grant.access_token, expiresIn: .seconds(grant.expires_in))
        }
        let api = Client(server.url) { $0.authentication = .token(tokens) }
        let timeline = try await api.get("timeline").text()
        #expect(timeline == "Bearer t-1")
        #expect(server.requests.count == 2)
        try await close(api)
        await server.stop()
    }

    @Test func cookies() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/login": .ok("", headers: [.setCookie: "session=17"])
            case "/old": .redirect(to: "/login")
            default: .ok(request["cookie"] ?? "none")
            }
        }
        let password = "s3cret"
        let jar = CookieJar()
        let site = Client(server.url) { $0.cookies = .jar(jar) }
        try await site.post("login", form: ["name": "swallow", "password": password]).accepted()
        for cookie in jar.cookies { print(cookie.name, cookie.domain, cookie.path) }
        try jar.delete { $0.name == "tracking" }
        #expect(try await site.get("home").text() == "session=17")

        let careful = site.with {
            $0.redirects = .rule { redirect in
                let leadsToLogin = redirect.request.uri?.path.hasPrefix("/login") == true
                return leadsToLogin ? .giveBack("the session is over") : .standard
            }
        }
        #expect(try await careful.get("old").status == .found)
        try await close(site)
        await server.stop()
    }

    @Test func keptCookies() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "cookies.txt").path
        let kept = try CookieJar(file: file)
        try kept.set("theme=dark; Max-Age=86400", from: "https://www.example.com/")
        print(kept.exportText())
        #expect(try CookieJar(file: file).cookies.map(\.name) == ["theme"])
    }
}

// RedirectPolicyTests: the caller's own decision about redirects, and the fields that the new target receives.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RedirectPolicyTests {
    private func start(_ location: String) async throws -> ScriptedServer {
        try await ScriptedServer.start { $0.path == "/start" ? .redirect(to: location) : .ok($0.path) }
    }

    @Test func `the text of a policy names what it does beside the limit`() {
        #expect("\(RedirectPolicy.follow(max: 3))" == "up to 3" && "\(RedirectPolicy.off)" == "off")
        #expect("\(RedirectPolicy.rule { _ in .standard })" == "up to 20, by a rule")
    }

    @Test func `a rule sees the response and the request that would follow, and lets it go on`() async throws {
        let seen = Log<RedirectPolicy.Redirect>()
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/start": .redirect(to: "/middle")
            case "/middle": .redirect(to: "/end", status: .temporaryRedirect)
            default: .ok(request.path)
            }
        }
        try await serving(server) {
            $0.redirects = .rule { redirect in
                seen.add(redirect)
                return .standard
            }
        } _: { server, client in
            let text = try await client.post("start", body: .text("x")).text()
            #expect(text == "/end")
            #expect(seen.all.map(\.response.statusCode) == [302, 307])
            #expect(seen.all.map(\.request.method) == [.get, .get])
            #expect(seen.all.map { $0.request.uri?.path } == ["/middle", "/end"])
            #expect(seen.all.map(\.count) == [0, 1])
            #expect(seen.all.map(\.response.history.count) == [0, 1])
        }
    }

    @Test func `a redirect that a rule refuses is the answer, and the events say why`() async throws {
        try await serving(try await start("/end")) {
            $0.redirects = .rule { _ in .giveBack("the session is over") }
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.get("start")
            #expect(response.status == .found && response.history.isEmpty)
            #expect(server.requests.count == 1)
            #expect(events.decisions.contains { $0.hasSuffix("/end is not followed: the session is over") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a rule's own request is sent instead`() async throws {
        try await serving(try await start("/end")) {
            $0.redirects = .rule { redirect in
                var request = redirect.request
                request.headers[.accept] = "text/x-rule"
                return .follow(request)
            }
        } _: { server, client in
            _ = try await client.get("start")
            let accepts = server.requests.map { $0["accept"] }
            #expect(accepts == ["*/*", "text/x-rule"])
        }
    }

    @Test func `BAD-INPUT 21: at another origin a rule's request goes without what belongs to the client`() async throws
    {
        let server = try await start("/end")
        try await serving(server, base: "http://a.example") {
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
            $0.headers[.userAgent] = "home"
            $0.authentication = .bearer("SECRET")
            $0.redirects = .rule { _ in .follow(Request(.get, url: "http://b.example/other")) }
        } _: { server, client in
            _ = try await client.get("start")
            let last = try #require(server.requests.last)
            #expect(last.path == "/other" && last["host"] == "b.example")
            #expect(last["authorization"] == nil && last["user-agent"] != "home")
        }
    }

    @Test func `BAD-INPUT 21: fields that a rule copies stay at home, and its own do not`() async throws {
        let stub = StubTransport {
            $0.on("https://a.example/start").respond(status: .found, headers: [.location: "/end"])
            $0.on("https://b.example/other").respond(status: .found, headers: [.location: "https://c.example/last"])
            $0.on("https://c.example/last")
        }
        let client = Client("https://a.example", transport: stub) {
            $0.headers["X-Api-Key"] = "k"
            $0.authentication = .bearer("SECRET")
            $0.redirects = .rule { redirect in
                guard redirect.count == 0 else { return .standard }
                var headers = redirect.request.headers
                headers["X-Own"] = "1"
                return .follow(Request(.get, url: "https://b.example/other", headers: headers))
            }
        }
        _ = try await client.get("start", headers: [.cookie: "a=1"])
        #expect(stub.requests.map { $0.headers["X-Own"] } == [nil, "1", "1"])
        for request in stub.requests.dropFirst() {
            for name in ["X-Api-Key", "Authorization", "Cookie"] { #expect(request.headers[name] == nil, "\(request)") }
        }
    }

    @Test func `a rule cannot go on for ever, and its request needs a URL`() async throws {
        let server = try await ScriptedServer.start { _ in .redirect(to: "/again") }
        try await serving(server) {
            $0.redirects = .standard {
                $0.maximum = 3
                $0.rule = { .follow($0.request) }
            }
        } _: { server, client in
            let error = await callError { _ = try await client.get("start") }
            #expect(error?.kind == .redirect && server.requests.count == 4)
            let pathOnly = client.with { $0.redirects = .rule { _ in .follow(Request(.get, "path")) } }
            let other = await callError { _ = try await pathOnly.get("start") }
            #expect(
                other?.kind == .redirect && other?.reason.contains("without a URL") == true,
                "\(String(describing: other))")
        }
    }

    @Test func `without being asked, nobody is told where a redirect came from`() async throws {
        try await serving(try await start("/end")) { server, client in
            _ = try await client.get("start")
            let referers = server.requests.map { $0["referer"] }
            #expect(referers == [nil, nil])
        }
    }

    @Test(arguments: [
        ("http://me:pw@a.example/start?q=1#part", "/end", "http://a.example/start?q=1"),
        ("http://a.example/start", "http://b.example/end", "http://a.example/"),
    ])
    func `RFC 9110 10.1.3: Referer has neither userinfo nor fragment, and for another origin no path`(
        url: String, location: String, referer: String
    ) async throws {
        let server = try await ScriptedServer.start {
            $0.path.hasPrefix("/start") ? .redirect(to: location) : .ok($0.path)
        }
        try await serving(server, base: "http://a.example") {
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
            $0.redirects = .standard { $0.sendsReferer = true }
        } _: { server, client in
            _ = try await client.get(url: url, headers: [.referer: "http://elsewhere.example/"])
            let last = try #require(server.requests.last)
            #expect(last["referer"] == referer)
        }
    }
}

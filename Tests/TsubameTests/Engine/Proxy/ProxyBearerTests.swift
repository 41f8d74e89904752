// ProxyBearerTests: bearer tokens for proxies (RFC 6750), over real sockets: for tunnels and for forwarded requests.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ProxyBearerTests {
    private static let routes = ProxyRoute.all.filter { !$0.kind.isSOCKS }

    /// A proxy that admits clients with the token, and sends all others a Digest challenge.
    private static let script: ScriptedProxy.Script = { moment, _ in
        guard case .request(let request) = moment else { return nil }
        guard request["proxy-authorization"] != "Bearer s3cret" else { return nil }
        return [
            .text(
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Bearer realm=\"p\"\r\n"
                    + "Proxy-Authenticate: Digest realm=\"p\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n")
        ]
    }

    private func run(
        _ route: ProxyRoute, token: String,
        _ body: (ScriptedServer, ScriptedProxy, Client, EventLog) async throws -> Void
    ) async throws {
        try await route.run(script: Self.script) { server, proxy, plain in
            let client = plain.with { $0.connection.proxy = .url(proxy.url(route.kind), bearer: token) }
            let events = EventLog()
            let observation = events.observe(client)
            try await body(server, proxy, client, events)
            // In every case the origin never receives the proxy's fields, and no text shows them.
            for request in server.requests { #expect(!request.headText.lowercased().contains("proxy-auth")) }
            #expect(!"\(events.events) \(client) \(client.configuration.connection.proxy)".contains("s3cret"))
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: routes, Way.allCases)
    func `BAD-INPUT 35: a token goes to the proxy at once, and to nobody else`(
        _ route: ProxyRoute, _ way: Way
    ) async throws {
        try await run(route, token: "s3cret") { server, proxy, client, _ in
            for _ in 0..<2 {
                let response = try await way.send(Request(.get, "x"), by: client)
                #expect(response.statusCode == 200)
            }
            #expect(proxy.requests.map { $0["proxy-authorization"] }.allSatisfy { $0 == "Bearer s3cret" })
            #expect(proxy.requests.count == (route.isTunnel ? 1 : 2))
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: routes)
    func `a token that is refused is shown once, and answers no other scheme's challenge`(
        _ route: ProxyRoute
    ) async throws {
        try await run(route, token: "s3cret-too") { server, proxy, client, events in
            if route.isTunnel {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy && error.reason.contains("(407)"), "\(error)")
            } else {
                let response = try await client.get("x")
                #expect(response.statusCode == 407)
            }
            #expect(proxy.requests.count == 1)
            #expect(events.decisions.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: routes)
    func `connections are shared by those who show the proxy the same token, and by nobody else`(
        _ route: ProxyRoute
    ) async throws {
        try await route.run { _, proxy, client in
            let url = proxy.url(route.kind)
            let first = client.with { $0.connection.proxy = .url(url, bearer: "s3cret") }
            let other = client.with { $0.connection.proxy = .url(url, bearer: "another") }
            let same = client.with { $0.connection.proxy = .url(url, bearer: "s3cret") }
            for (view, isReused) in [(client, false), (first, false), (other, false), (same, true), (client, true)] {
                let response = try await view.get("x")
                #expect(response.connection?.isReused == isReused)
            }
            #expect(proxy.acceptedConnections == 3)
        }
    }

    @Test(arguments: [
        ("http://user:s3cret@127.0.0.1:1", "token"), ("http://user@127.0.0.1:1", "token"),
        ("socks5://127.0.0.1:1", "s3cret"), ("socks4a://127.0.0.1:1", "s3cret"),
        ("http://127.0.0.1:1", "s3cret\r\nX-Evil: x"), ("http://127.0.0.1:1", "s3cret\u{0}"),
    ])
    func `what cannot be shown to the proxy is an invalid request, before anything is sent`(
        _ url: String, _ token: String
    ) async throws {
        let thrown = #expect(throws: CallError.self) { try Proxy(url, bearer: token) }
        #expect(thrown?.kind == .invalidRequest)
        try await serving(.start(), { $0.connection.proxy = .url(url, bearer: token) }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest)
            #expect(!"\(error)".contains("s3cret") && !"\(error)".utf8.contains(0x0D), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a closure may choose a proxy with a token`() async throws {
        try await ProxyRoute(kind: .http, isSecure: true).run(script: Self.script) { _, proxy, client in
            let chosen = try Proxy(proxy.url(.http), bearer: "s3cret")
            let view = client.with { $0.connection.proxy = .choose { _ in chosen } }
            #expect(try await view.get("x").statusCode == 200)
            #expect(!"\(chosen)".contains("s3cret") && !String(reflecting: chosen).contains("s3cret"))
        }
    }
}

// ProxyDigestTests: Digest for proxies, over real sockets: for tunnels and for forwarded requests.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ProxyDigestTests {
    private static let forwarded = ProxyRoute(kind: .http, isSecure: false)
    private static let tunnel = ProxyRoute(kind: .http, isSecure: true)
    private static let routes = [
        forwarded, tunnel, ProxyRoute(kind: .https, isSecure: false), ProxyRoute(kind: .https, isSecure: true),
    ]

    /// How a proxy refuses.
    enum Refusal: String, CaseIterable, Sendable {
        case keeping, closing, closingUnannounced, chunked, untilClose, long, headOnly

        func steps(_ fields: String) -> [ProxyStep] {
            let head = "HTTP/1.1 407 Proxy Authentication Required\r\n\(fields)"
            return switch self {
            case .keeping: [.text("\(head)Content-Length: 5\r\n\r\nwhom?")]
            case .headOnly: [.text("\(head)Content-Length: 0\r\n\r\n")]
            case .closing: [.text("\(head)Content-Length: 5\r\nConnection: close\r\n\r\nwhom?"), .close]
            case .closingUnannounced: [.text("\(head)Content-Length: 5\r\n\r\nwhom?"), .close]
            case .chunked: [.text("\(head)Transfer-Encoding: chunked\r\n\r\n5\r\nwhom?\r\n0\r\n\r\n")]
            case .untilClose: [.text("\(head)\r\nwhom?"), .close]
            case .long:
                [.text("\(head)Content-Length: 300000\r\n\r\n"), .bytes([UInt8](repeating: 0x61, count: 300_000))]
            }
        }
    }

    /// A proxy that admits clients that know the password.
    private static func script(_ keeper: DigestGuard, _ refusal: Refusal = .keeping) -> ScriptedProxy.Script {
        { moment, _ in
            guard case .request(let request) = moment else { return nil }
            let words = request.head.split(separator: " ")
            let message = DigestGuard.Message(method: String(words[0]), target: String(words[1]))
            guard let field = request["proxy-authorization"], field.hasPrefix("Digest") else {
                return refusal.steps(keeper.fields("Proxy-Authenticate"))
            }
            guard let problem = keeper.refusal(of: field, message) else { return nil }
            return refusal.steps(keeper.fields("Proxy-Authenticate", problem == "stale"))
        }
    }

    /// The schemes of the credentials of the requests that the proxy saw.
    private func schemes(_ proxy: ScriptedProxy) -> [String] {
        proxy.requests.map { $0["proxy-authorization"]?.prefix { $0 != " " }.description ?? "-" }
    }

    /// Runs `body` with a proxy that `keeper` protects, and a client that knows the password.
    private func guarded(
        _ route: ProxyRoute, _ keeper: DigestGuard, _ refusal: Refusal = .keeping,
        script: ScriptedProxy.Script? = nil,
        _ body: (ScriptedServer, ScriptedProxy, Client, EventLog) async throws -> Void
    ) async throws {
        try await route.run(
            userinfo: "user:s3cret", script: script ?? Self.script(keeper, refusal),
            reply: { .ok("\($0.target) \($0.text)") }
        ) { server, proxy, client in
            let events = EventLog()
            let observation = events.observe(client)
            try await body(server, proxy, client, events)
            // In every case the origin never receives the proxy's fields.
            for request in server.requests { #expect(!request.headText.lowercased().contains("proxy-auth")) }
            #expect(!"\(events.events)".contains("s3cret"))
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: routes, Refusal.allCases)
    func `BAD-INPUT 35: a proxy's challenge is answered, and from then on none is needed`(
        _ route: ProxyRoute, _ refusal: Refusal
    ) async throws {
        let keeper = DigestGuard { $0.algorithms = ["MD5", "SHA-256"] }
        try await guarded(route, keeper, refusal) { server, proxy, client, events in
            // The views do not share connections, but they share the proxy's challenge.
            let views = (0..<3).map { number in client.with { $0.connection.exchangesPerConnection = 100 + number } }
            for (round, view) in views.enumerated() {
                for _ in 0..<2 {
                    let response = try await view.get("x", query: ["n": round])
                    #expect(response.bytes == Bytes("/x?n=\(round) "))
                }
            }
            let answered = route.isTunnel ? 3 : 6
            #expect(schemes(proxy) == ["Basic"] + Array(repeating: "Digest", count: answered))
            #expect(keeper.problems.isEmpty)
            #expect(events.decisions == ["the proxy's 407 is answered by Digest (SHA-256)"])
            #expect(server.requests.count == 6)
        }
    }

    @Test(arguments: routes) func `with Digest only, the password is never sent`(_ route: ProxyRoute) async throws {
        try await guarded(route, DigestGuard()) { server, proxy, client, events in
            let view = client.with { $0.connection.proxy = $0.connection.proxy.digestOnly }
            for _ in 0..<2 {
                let status = try await view.get("x").status
                #expect(status == .ok)
            }
            #expect(schemes(proxy) == ["-", "Digest"] + (route.isTunnel ? [] : ["Digest"]))
            #expect(server.requests.count == 2)
        }
        // A proxy that offers only Basic does not get it.
        let basic: ProxyStep = .text(
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n")
        try await guarded(
            route, DigestGuard(),
            script: { moment, _ in
                guard case .request = moment else { return nil }
                return [basic]
            }
        ) { server, proxy, client, _ in
            let view = client.with { $0.connection.proxy = $0.connection.proxy.digestOnly }
            let status = try? await view.get("x").statusCode
            #expect(status == (route.isTunnel ? nil : 407) && schemes(proxy) == ["-"] && server.requests.isEmpty)
        }
    }

    @Test(arguments: routes) func `an answer that is refused is not given again`(_ route: ProxyRoute) async throws {
        let keeper = DigestGuard { $0.password = "another" }
        try await guarded(route, keeper) { server, proxy, client, events in
            if route.isTunnel {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy && error.reason.contains("(407)"), "\(error)")
            } else {
                let response = try await client.get("x")
                #expect(response.statusCode == 407 && response.bytes == Bytes("whom?"))
            }
            #expect(schemes(proxy) == ["Basic", "Digest"])
            #expect(events.decisions.last == "the proxy refuses the answer to its challenge")
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: routes, [Refusal.keeping, .closing])
    func `BAD-INPUT 35: a proxy whose nonces are all too old is not asked for ever`(
        _ route: ProxyRoute, _ refusal: Refusal
    ) async throws {
        try await guarded(route, DigestGuard { $0.uses = 0 }, refusal) { server, proxy, client, events in
            if route.isTunnel {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy, "\(error)")
            } else {
                let response = try await client.get("x")
                #expect(response.statusCode == 407)
            }
            #expect(schemes(proxy) == ["Basic", "Digest", "Digest"])
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: routes) func `a nonce that was too old is replaced`(_ route: ProxyRoute) async throws {
        let keeper = DigestGuard { $0.uses = 1 }
        try await guarded(route, keeper) { server, proxy, client, events in
            for number in 0..<3 {
                let view = client.with { $0.connection.exchangesPerConnection = 100 + number }
                let response = try await view.get("x")
                #expect(response.statusCode == 200)
            }
            #expect(schemes(proxy) == ["Basic"] + Array(repeating: "Digest", count: 5))
            #expect(keeper.problems == ["stale", "stale"])
        }
    }

    @Test func `the nonce that the proxy names is the next one`() async throws {
        let keeper = DigestGuard { $0.uses = 1 }
        let script: ScriptedProxy.Script = { moment, connection in
            if let steps = Self.script(keeper)(moment, connection) { return steps }
            guard case .request = moment else { return nil }
            return [
                .text("HTTP/1.1 200 OK\r\nProxy-Authentication-Info: nextnonce=\"\(keeper.newNonce())\"\r\n"),
                .text("Content-Length: 2\r\n\r\nok"),
            ]
        }
        try await guarded(Self.forwarded, keeper, script: script) { server, proxy, client, events in
            for _ in 0..<4 {
                let response = try await client.get("x")
                #expect(response.bytes == Bytes("ok"))
            }
            #expect(schemes(proxy).count == 5 && keeper.problems.isEmpty)
        }
    }

    @Test func `bodies of requests that are forwarded are sent again, if they can be`() async throws {
        let keeper = DigestGuard()
        try await guarded(Self.forwarded, keeper, .headOnly) { server, proxy, client, events in
            let gone = try await client.post("x", body: .stream(once: AsyncStream { $0.finish() }))
            #expect(gone.statusCode == 407)
            #expect(events.decisions == ["the proxy's 407 is given back: the body can be sent only once"])
            let large = [UInt8](repeating: 0x61, count: 200_000)
            for body in [RequestBody.text("hello"), .bytes(large), .stream { ExpectTests.Pieces(["one ", "two"]) }] {
                let view = client.with { $0.connection.exchangesPerConnection = 100 }
                let response = try await view.post("x", body: body)
                #expect(response.statusCode == 200)
            }
            #expect(server.requests.map(\.bodyByteCount) == [5, 200_000, 7])
            // Once the proxy's challenge was known, no body was sent in vain.
            #expect(schemes(proxy) == ["Basic", "Basic", "Digest", "Digest", "Digest"])
            #expect(events.resendings == ["407: Digest"])
        }
    }

    @Test(arguments: [forwarded, tunnel], Way.allCases)
    func `calls at once are all answered`(_ route: ProxyRoute, _ way: Way) async throws {
        try await guarded(route, DigestGuard { $0.protections = nil }) { server, proxy, client, _ in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<12 {
                    group.addTask { try await way.send(Request(.get, "\(index)"), by: client).statusCode }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 12)
        }
    }

    @Test(arguments: [forwarded, tunnel])
    func `BAD-INPUT 34: what a proxy's challenge means must be certain`(_ route: ProxyRoute) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request = moment else { return nil }
            return Refusal.keeping.steps("Proxy-Authenticate: Digest realm=\"r\", nonce=\"1\", nonce=\"2\"\r\n")
        }
        try await guarded(route, DigestGuard(), script: script) { server, proxy, client, events in
            if route.isTunnel {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy)
            } else {
                let response = try await client.get("x")
                #expect(response.statusCode == 407)
            }
            #expect(events.decisions == ["the proxy's 407 is not answered: a digest challenge has nonce twice"])
            #expect(schemes(proxy) == ["Basic"])
        }
    }

    @Test(arguments: routes) func `without credentials nothing is answered`(_ route: ProxyRoute) async throws {
        try await route.run(script: Self.script(DigestGuard())) { _, proxy, client in
            if route.isTunnel {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy)
            } else {
                let response = try await client.get("x")
                #expect(response.statusCode == 407)
            }
            #expect(schemes(proxy) == ["-"])
        }
    }

    @Test func `what a proxy asked is no answer to an origin, and the other way round`() async throws {
        let (own, other) = (DigestGuard { $0.realm = "origin" }, DigestGuard { $0.realm = "proxy" })
        try await Self.forwarded.run(
            userinfo: "user:s3cret", script: Self.script(other), reply: { own.reply(to: $0) },
            configure: { $0.authentication = .digest(user: "user", password: "s3cret") }
        ) { server, proxy, client in
            for _ in 0..<2 {
                let response = try await client.get("x")
                #expect(response.statusCode == 200)
            }
            #expect(own.problems.isEmpty && other.problems.isEmpty)
            for request in proxy.requests {
                #expect(request["proxy-authorization"]?.contains("origin") == false)
                #expect(request["authorization"]?.contains("\"proxy\"") != true)
            }
        }
    }
}

// ProxyFaultTests: proxies that refuse, stall, hang up or send nonsense: the call fails, and nothing stays open.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// The point at which a proxy stalls.
struct ProxySilence: Sendable, CustomTestStringConvertible {
    enum Moment: String, Sendable, CaseIterable {
        case accepted, methods, credentials, request
    }

    let route: ProxyRoute
    let moment: Moment

    var testDescription: String { "\(route.testDescription), at \(moment.rawValue)" }

    static let all = ProxyRoute.tunnels.flatMap { route in
        let isSOCKS5 = route.kind == .socks5 || route.kind == .socks5h
        return Moment.allCases.filter { isSOCKS5 || ![.methods, .credentials].contains($0) }
            .map { ProxySilence(route: route, moment: $0) }
    }

    /// Opens the gate at its moment, and sends no more than half of the due bytes.
    func script(_ reached: Gate) -> ScriptedProxy.Script {
        { moment, _ in
            var half: [UInt8] = []
            switch (moment, self.moment) {
            case (.accepted, .accepted): break
            case (.methods, .methods): half = [5]
            case (.credentials, .credentials): half = [1]
            case (.request(let request), .request): half = Array(request.form.success.dropLast(3))
            default: return nil
            }
            reached.open()
            return half.isEmpty ? [.stall] : [.bytes(half), .stall]
        }
    }
}

/// A refusal of SOCKS.
struct SOCKSRefusal: Sendable, CustomTestStringConvertible {
    let code: UInt8
    let word: String

    var testDescription: String { "\(code): \(word)" }

    /// RFC 1928 section 6.
    static let five = [
        SOCKSRefusal(code: 1, word: "general"), SOCKSRefusal(code: 2, word: "not allow"),
        SOCKSRefusal(code: 3, word: "reach the network"), SOCKSRefusal(code: 4, word: "reach the host"),
        SOCKSRefusal(code: 5, word: "refused"), SOCKSRefusal(code: 6, word: "time to live"),
        SOCKSRefusal(code: 7, word: "command"), SOCKSRefusal(code: 8, word: "kind of address"),
        SOCKSRefusal(code: 9, word: "9"), SOCKSRefusal(code: 255, word: "255"),
    ]
    static let four = [
        SOCKSRefusal(code: 91, word: "refuses the connection"), SOCKSRefusal(code: 92, word: "the user"),
        SOCKSRefusal(code: 93, word: "the user"),
        SOCKSRefusal(code: 0, word: "0"), SOCKSRefusal(code: 255, word: "255"),
    ]
}

@Suite(.timeLimit(.minutes(2))) struct ProxyFaultTests {
    private static let credentials = "user:s3cret"

    /// A script with these steps as the answer to a request.
    private static func answering(_ steps: ProxyStep...) -> ScriptedProxy.Script {
        { moment, _ in if case .request = moment { steps } else { nil } }
    }

    /// Checks that a call through the proxy fails with this kind, and that nothing reaches the origin.
    private static func expectRefusal(
        _ route: ProxyRoute, _ kinds: [CallError.Kind] = [.proxy], script: @escaping ScriptedProxy.Script,
        sourceLocation: SourceLocation = #_sourceLocation, _ check: (CallError, ScriptedProxy) -> Void = { _, _ in }
    ) async throws {
        try await route.run(credentials: credentials, script: script) { server, proxy, client in
            let log = EventLog()
            let observation = log.observe(client)
            let error = try await failure(sourceLocation: sourceLocation) { try await client.get("x") }
            #expect(kinds.contains(error.kind), "\(error.kind): \(error)", sourceLocation: sourceLocation)
            let text = "\(error)"
            #expect(text.contains(proxy.address), "\(text)", sourceLocation: sourceLocation)
            #expect(!text.contains("s3cret") && !text.contains(basic(credentials)), sourceLocation: sourceLocation)
            check(error, proxy)
            try await proxy.waitUntil(openConnections: 0)
            #expect(proxy.acceptedConnections == 1, sourceLocation: sourceLocation)
            #expect(server.requests.isEmpty, sourceLocation: sourceLocation)
            #expect(log.finals == ["failed"], sourceLocation: sourceLocation)
            withExtendedLifetime(observation) {}
        }
    }

    // MARK: CONNECT refused

    @Test(arguments: [300, 302, 400, 401, 403, 404, 407, 429, 500, 502, 503, 599, 999])
    func `BAD-INPUT 35: any status but 2xx to CONNECT fails the call, once, and the error names it`(
        _ status: Int
    ) async throws {
        for kind in [ProxyKind.http, .https] {
            // The client does not wait for the response's body.
            let answer =
                "HTTP/1.1 \(status) So\r\nLocation: https://evil.example/\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
                + "Content-Length: 100\r\n\r\nhalf"
            try await Self.expectRefusal(
                ProxyRoute(kind: kind, isSecure: true), script: Self.answering(.text(answer), .stall)
            ) { error, proxy in
                #expect(error.reason.contains("\(status)"), "\(error)")
                #expect(error.advice?.isEmpty == false)
                #expect(error.phase == .connecting)
                #expect(error.response == nil)
                #expect(proxy.requests.count == 1)
            }
        }
    }

    @Test(arguments: ProxyRoute.tunnels.filter { $0.kind != .socks4 && $0.kind != .socks4a })
    func `credentials that the proxy does not take, or misses, are told with what to do about it`(
        _ route: ProxyRoute
    ) async throws {
        for userinfo in [nil, "user:wrong"] {
            try await route.run(credentials: Self.credentials) { server, proxy, client in
                let view = client.with { $0.connection.proxy = .url(proxy.url(route.kind, userinfo)) }
                let error = try await failure { try await view.get("x") }
                #expect(error.kind == .proxy, "\(error)")
                #expect("\(error)".contains(proxy.address))
                #expect(error.reason.contains(route.kind.isSOCKS ? "password" : "407"), "\(error)")
                #expect(!"\(error)".contains("wrong"))
                #expect(error.advice?.isEmpty == false)
                #expect(server.acceptedConnections == 0)
                #expect(proxy.acceptedConnections == 1)
                // With the right credentials the same client gets through.
                #expect(try await client.get("x").bytes == Bytes("/x"))
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\nX", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}\u{3}",
    ])
    func `BAD-INPUT 35: bytes behind the head of a 2xx to CONNECT are an error`(_ answer: String) async throws {
        for kind in [ProxyKind.http, .https] {
            let script = Self.answering(.text(answer), .stall)
            try await Self.expectRefusal(ProxyRoute(kind: kind, isSecure: true), script: script) { _, proxy in
                #expect(proxy.tunnelled().isEmpty)
            }
        }
    }

    @Test(arguments: ProxyRoute.tunnels.filter { $0.kind.isSOCKS })
    func `nor is anything behind the answer of SOCKS taken for the origin's`(_ route: ProxyRoute) async throws {
        let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request(let request) = moment else { return nil }
            return [.bytes(request.form.success + evil), .stall]
        }
        try await route.run(script: script) { server, proxy, client in
            let error = try await failure { try await client.get("x") }
            #expect([.proxy, .invalidResponse, .tls].contains(error.kind), "\(error)")
            #expect(server.acceptedConnections == 0)
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    // MARK: Nonsense

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTP/1.1 200 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "\u{5}\0", "\r\n\r\n\r\n", "hello", "<html>nginx</html>\n\n",
    ])
    func `a proxy that answers CONNECT with nonsense does not speak its protocol`(_ answer: String) async throws {
        for kind in [ProxyKind.http, .https] {
            try await Self.expectRefusal(
                ProxyRoute(kind: kind, isSecure: true), script: Self.answering(.text(answer), .close))
        }
    }

    @Test(arguments: ["X-Filler: \(String(repeating: "x", count: 1000))\r\n", "x"], [false, true])
    func `BAD-INPUT 16: a head of a proxy's that never ends is given up at its limit`(
        _ piece: String, _ isInformational: Bool
    ) async throws {
        let pieces = Array(String(repeating: piece, count: 4000 / piece.utf8.count).utf8)
        let start = isInformational ? "HTTP/1.1 103 Early Hints\r\n" : "HTTP/1.1 200 OK\r\nX-First: "
        try await Self.expectRefusal(
            ProxyRoute(kind: .http, isSecure: true), [.proxy, .limitExceeded],
            script: Self.answering(.text(start), .endless(pieces)))
    }

    @Test func `BAD-INPUT 13: so is a flood of informational answers`() async throws {
        let pieces = Array(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 8).utf8)
        try await Self.expectRefusal(
            ProxyRoute(kind: .http, isSecure: true), [.proxy, .limitExceeded], script: Self.answering(.endless(pieces)))
    }

    @Test(
        arguments: [
            [5, 0xFF], [5, 1], [5, 0x80], [4, 0], [0, 0], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [5], [],
        ] as [[UInt8]], [false, true])
    func `a SOCKS5 proxy that chooses no method that it was offered gets no credentials`(
        _ answer: [UInt8], _ isSecure: Bool
    ) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .methods = moment { [.bytes(answer), .close] } else { nil }
        }
        try await Self.expectRefusal(ProxyRoute(kind: .socks5, isSecure: isSecure), script: script) { _, proxy in
            #expect(proxy.requests.isEmpty)
            #expect(!String(decoding: proxy.received(), as: UTF8.self).contains("s3cret"))
        }
    }

    @Test func `nor does one that wants credentials from someone who has none go on`() async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .methods = moment { [.bytes([5, 2]), .stall] } else { nil }
        }
        try await ProxyRoute(kind: .socks5, isSecure: false).run(script: script) { server, proxy, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .proxy, "\(error)")
            #expect(proxy.received() == [5, 1, 0])
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    @Test(arguments: [[1, 1], [1, 255], [0, 1], Array("HTTP/1.1 400".utf8)] as [[UInt8]])
    func `credentials that SOCKS5 refuses are a refusal`(_ answer: [UInt8]) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .credentials = moment { [.bytes(answer), .stall] } else { nil }
        }
        try await Self.expectRefusal(ProxyRoute(kind: .socks5, isSecure: true), script: script) { error, proxy in
            #expect(proxy.requests.isEmpty)
            #expect(error.advice?.isEmpty == false)
        }
    }

    @Test(arguments: SOCKSRefusal.five, [false, true])
    func `a refusal of SOCKS5 is told in words`(_ refusal: SOCKSRefusal, _ isSecure: Bool) async throws {
        let script = Self.answering(.bytes([5, refusal.code, 0, 1, 0, 0, 0, 0, 0, 0]), .stall)
        try await Self.expectRefusal(ProxyRoute(kind: .socks5, isSecure: isSecure), script: script) { error, proxy in
            let text = "\(error)".replacing(proxy.address, with: "")
            #expect(text.lowercased().contains(refusal.word), "\(text)")
            #expect(error.advice?.isEmpty == false)
            #expect(error.phase == .connecting)
        }
    }

    @Test(arguments: SOCKSRefusal.four, [ProxyKind.socks4, .socks4a])
    func `so is one of SOCKS 4`(_ refusal: SOCKSRefusal, _ kind: ProxyKind) async throws {
        let script = Self.answering(.bytes([0, refusal.code, 0, 0, 0, 0, 0, 0]), .stall)
        try await Self.expectRefusal(ProxyRoute(kind: kind, isSecure: false), script: script) { error, proxy in
            let text = "\(error)".replacing(proxy.address, with: "")
            #expect(text.contains(refusal.word), "\(text)")
            #expect(error.advice?.isEmpty == false)
        }
    }

    @Test func `SOCKS5 may refuse without naming an address`() async throws {
        try await Self.expectRefusal(
            ProxyRoute(kind: .socks5, isSecure: false), script: Self.answering(.bytes([5, 5, 0, 1]), .close))
    }

    @Test(
        arguments: [
            [4, 0, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 0, 2, 0, 0, 0, 0, 0, 0], [5, 0, 0, 9, 0, 0, 0, 0, 0, 0],
            [0x5A, 0, 0, 1, 0, 0, 0, 0, 0, 0], Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
        ] as [[UInt8]])
    func `an answer that is none of SOCKS5's is not understood as one`(_ answer: [UInt8]) async throws {
        try await Self.expectRefusal(
            ProxyRoute(kind: .socks5, isSecure: false), script: Self.answering(.bytes(answer), .stall))
    }

    @Test(
        arguments: [
            [4, 0x5A, 0, 0, 0, 0, 0, 0], [5, 0, 0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0],
            Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
        ] as [[UInt8]])
    func `nor one that is none of SOCKS 4's`(_ answer: [UInt8]) async throws {
        try await Self.expectRefusal(
            ProxyRoute(kind: .socks4a, isSecure: false), script: Self.answering(.bytes(answer), .stall))
    }

    // MARK: Hanging up

    @Test(arguments: ProxyRoute.tunnels, [false, true])
    func `a proxy may hang up behind each byte of its answers: that is an error of the proxy's`(
        _ route: ProxyRoute, _ isReset: Bool
    ) async throws {
        let isSOCKS5 = route.kind.form == .socks5
        let answers = (isSOCKS5 ? [[5, 2], [1, 0]] : []) + [route.kind.form.success]
        let count = answers.joined().count
        // Connection n hangs up after byte n.
        let script: ScriptedProxy.Script = { moment, connection in
            let part: Int
            switch moment {
            case .accepted: return nil
            case .methods: part = 0
            case .credentials: part = 1
            case .request: part = isSOCKS5 ? 2 : 0
            }
            let left = connection - answers[..<part].joined().count
            guard left < answers[part].count else { return nil }
            return [.bytes(Array(answers[part].prefix(left))), isReset ? .reset : .close]
        }
        try await route.run(credentials: Self.credentials, script: script) { server, proxy, client in
            for index in 0..<count {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .proxy, "behind byte \(index): \(error.kind): \(error)")
                #expect("\(error)".contains(proxy.address), "\(error)")
                #expect(proxy.acceptedConnections == index + 1)
            }
            #expect(server.requests.isEmpty)
            #expect(try await client.get("x").bytes == Bytes("/x"))
        }
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `a proxy that hangs up at once is an error of the proxy's`(_ route: ProxyRoute) async throws {
        let script: ScriptedProxy.Script = { moment, _ in if case .accepted = moment { [.close] } else { nil } }
        let kinds: [CallError.Kind] = route.kind == .https ? [.proxy, .tls] : [.proxy]
        try await Self.expectRefusal(route, kinds, script: script)
    }

    @Test(arguments: ProxyRoute.all)
    func `a proxy without a server is not gone around`(_ route: ProxyRoute) async throws {
        let port = try DeadPort()
        try await route.run { server, proxy, client in
            let dead = "127.0.0.1:\(port.number)"
            let view = client.with { $0.connection.proxy = .url("\(route.kind.rawValue)://user:s3cret@\(dead)") }
            let error = try await failure { try await view.get("x") }
            #expect(error.kind == .connectionFailed, "\(error)")
            #expect("\(error)".contains(dead), "\(error)")
            #expect("\(error)".contains("proxy"), "\(error)")
            #expect(!"\(error)".contains("s3cret"))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `a tunnel that is cut off in the middle of an answer is an incomplete answer`(
        _ route: ProxyRoute
    ) async throws {
        try await route.run(reply: { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .cutOff]
        }) { _, _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .incompleteResponse, "\(error)")
        }
    }

    // MARK: 407 from a server that is no proxy

    @Test func `BAD-INPUT 35: a 407 of an origin that was asked without a proxy breaks the protocol`() async throws {
        for policy in [ProxyPolicy.none, .environment([:])] {
            try await serving(.start { _ in .status(.proxyAuthenticationRequired, "give me your password") }) {
                $0.connection.proxy = policy
            } _: { server, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .invalidResponse, "\(error)")
                #expect("\(error)".contains("407"))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `BAD-INPUT 35: so does one through a tunnel, and it gets no credentials`(_ route: ProxyRoute) async throws {
        try await route.run(
            credentials: Self.credentials, reply: { _ in .status(.proxyAuthenticationRequired) }
        ) { server, proxy, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidResponse, "\(error)")
            #expect("\(error)".contains("407"))
            #expect(server.requests.count == 1)
            #expect(server.requests.first?["proxy-authorization"] == nil)
        }
    }

    // MARK: Silence

    /// The outcome is the same for every missing answer of the proxy: the connect deadline.
    @Test(arguments: ProxySilence.all, Way.allCases)
    func `a proxy that falls silent is ended by the deadline on the connection`(
        _ silence: ProxySilence, _ way: Way
    ) async throws {
        try await silence.route.run(credentials: Self.credentials, script: silence.script(Gate())) {
            server, proxy, client in
            var request = Request(.get, "x")
            request.timeouts = .only(.connect, .milliseconds(150))
            let start = ContinuousClock.now
            let error = try await failure { [request] in try await way.send(request, by: client) }
            #expect(error.kind == .timeout, "\(error)")
            #expect(error.timeout == .connect)
            #expect(error.phase == .connecting)
            #expect(ContinuousClock.now - start >= .milliseconds(149))
            #expect("\(error)".contains("timeouts.connect"))
            #expect("\(error)".contains(proxy.address), "\(error)")
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    @Test func `so is one that does not answer in its own TLS handshake`() async throws {
        let script: ScriptedProxy.Script = { moment, _ in if case .accepted = moment { [.stall] } else { nil } }
        try await proxying(.start(), as: [], script: script) { _, proxy, client in
            let view = client.with { $0.connection.proxy = .url(proxy.url(.https)) }
            var request = Request(.get, "x")
            request.timeouts = .only(.connect, .milliseconds(150))
            let error = try await failure { [request] in try await view.send(request) }
            #expect(error.timeout == .connect, "\(error)")
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    @Test func `a proxy whose name has no address is named as the proxy`() async throws {
        struct NoAddress: Error {}
        let client = Client {
            $0.connection.proxy = .url("http://proxy.invalid:3128")
            $0.connection.resolver = .custom { _ in throw NoAddress() }
        }
        let error = try await failure { try await client.get(url: "http://a.example/") }
        #expect(error.kind == .nameResolution && error.underlying is NoAddress, "\(error)")
        #expect(
            error.reason.hasPrefix("the proxy's host could not be resolved: ") && error.reason.contains("proxy.invalid")
        )
        #expect(error.advice == "check the name in the proxy's URL and the network")
        await client.close()
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `one that drips does not outlive it`(_ route: ProxyRoute) async throws {
        // A byte every 50 ms, so that no pause is as long as the deadline.
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request(let request) = moment else { return nil }
            let drops = request.form.success.enumerated().flatMap { index, byte in
                [ProxyStep.wait(.opening(after: 50 * (index + 1))), .bytes([byte])]
            }
            return drops + [.stall]
        }
        try await route.run(credentials: Self.credentials, script: script) { server, proxy, client in
            var request = Request(.get, "x")
            request.timeouts = .only(.connect, .milliseconds(200))
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.timeout == .connect, "\(error)")
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ProxySilence.all)
    func `the total time ends it too`(_ silence: ProxySilence) async throws {
        try await silence.route.run(credentials: Self.credentials, script: silence.script(Gate())) {
            _, proxy, client in
            var request = Request(.get, "x")
            request.timeouts = .only(.total, .milliseconds(150))
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.timeout == .total, "\(error)")
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    @Test func `the handshake with the origin begins when the tunnel stands, and has its own deadline`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in [.stopReading, .stall] })
        let names = ["localhost:4433"]
        try await proxying(server, as: names, base: "https://localhost:4433") { _, proxy, client in
            var request = Request(.get, "x")
            request.timeouts = .only(.tls, .milliseconds(150))
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.timeout == .tls, "\(error)")
            #expect(error.phase == .securing)
            // A busy proxy may read the bytes after the client has given up.
            try await proxy.waitUntil(openConnections: 0)
            #expect(!proxy.tunnelled().isEmpty)
        }
    }

    // MARK: Cancelling

    @Test(arguments: ProxySilence.all)
    func `a call that is cancelled while the proxy is being asked leaves nothing open`(
        _ silence: ProxySilence
    ) async throws {
        let reached = Gate()
        try await silence.route.run(credentials: Self.credentials, script: silence.script(reached)) {
            server, proxy, client in
            let log = EventLog()
            let observation = log.observe(client)
            let task = Task { try await client.get("x") }
            try await reached.wait()
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            try await proxy.waitUntil(openConnections: 0)
            try await LeakCheck.verify(client)
            #expect(await client.statistics().idle == 0)
            #expect(log.finals == ["cancelled"])
            #expect(server.requests.isEmpty)
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: ProxySilence.all)
    func `so does a client that is closed meanwhile`(_ silence: ProxySilence) async throws {
        let reached = Gate()
        try await silence.route.run(credentials: Self.credentials, script: silence.script(reached)) {
            _, proxy, client in
            let task = Task { try await client.get("x") }
            try await reached.wait()
            await client.close()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            try await proxy.waitUntil(openConnections: 0)
        }
    }
}

// DigestAuthenticationTests: Digest over real sockets: the challenges that are answered, the credentials, and the
// number of attempts.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct DigestAuthenticationTests {
    private static let digest = Authentication.digest(user: "user", password: "s3cret")

    /// Runs `body` with a server that `keeper` protects, and a client that knows the password.
    private func guarded(
        _ keeper: DigestGuard, _ authentication: Authentication = digest,
        _ body: (ScriptedServer, Client, EventLog) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start { keeper.reply(to: $0, $0.text) }
        try await serving(server, { $0.authentication = authentication }) { (server, client) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            try await body(server, client, events)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a challenge is answered, and from then on none is needed`() async throws {
        let keeper = DigestGuard()
        try await guarded(keeper) { (server, client, events) async throws in
            let first = try await client.get("a", query: ["q": "燕"])
            #expect(first.status == .ok)
            #expect(first.history.map(\.statusCode) == [401])
            #expect(events.resendings == ["401: Digest (MD5)"])
            for path in ["b", "c/d"] as [RequestPath] {
                let next = try await client.get(path)
                #expect(next.status == .ok && next.history.isEmpty)
            }
            #expect(server.schemes == ["-", "Digest", "Digest", "Digest"])
            // The client read the refused request's response body, so that the connection could be reused.
            #expect(server.acceptedConnections == 1)
            #expect(keeper.problems.isEmpty)
        }
    }

    @Test(arguments: [
        nil, "MD5", "md5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512", "SHA-512-sess",
    ])
    func `BAD-INPUT 34: every algorithm, with every protection`(_ algorithm: String?) async throws {
        for protections in [nil, "auth", "auth-int", "auth-int, auth"] {
            if protections == nil, algorithm?.hasSuffix("sess") == true { continue }
            let keeper = DigestGuard {
                $0.algorithms = [algorithm]
                $0.protections = protections
            }
            try await guarded(keeper) { (server, client, _) async throws in
                for body in [RequestBody.text("hello"), .empty, .text("again")] {
                    let response = try await client.post("a", body: body)
                    #expect(response.status == .ok, "\(algorithm ?? "-") \(protections ?? "-")")
                }
                #expect(server.schemes == ["-", "Digest", "Digest", "Digest"])
                #expect(keeper.problems.isEmpty)
            }
        }
    }

    @Test(
        "BAD-INPUT 34: of several the strongest is answered, whatever the order",
        arguments: [["MD5", "SHA-256"], ["SHA-256", "MD5"], ["SHA3-999", "MD5", "SHA-256"]])
    func choice(algorithms: [String]) async throws {
        let keeper = DigestGuard { $0.algorithms = algorithms }
        try await guarded(keeper) { (server, client, events) async throws in
            #expect(try await client.get("a").statusCode == 200)
            #expect(events.resendings == ["401: Digest (SHA-256)"])
        }
    }

    @Test func `HEAD, OPTIONS with a star and blocking calls are answered, too`() async throws {
        let keeper = DigestGuard()
        try await guarded(keeper) { (server, client, _) async throws in
            let head = try await client.send(Request(.head, "a"))
            var star = Request(.options, "")
            star.asksServer = true
            let options = try await client.send(star)
            let blocking = try await onThread { try client.blocking.send(Request(.get, "b")) }
            let streamed = try await client.stream(Request(.get, "c")) { $0.statusCode }
            #expect([head.statusCode, options.statusCode, blocking.statusCode, streamed] == [200, 200, 200, 200])
            #expect(keeper.problems.isEmpty)
            #expect(server.requests.map(\.target) == ["/a", "/a", "*", "/b", "/c"])
        }
    }

    @Test func `views of a client share what it knows`() async throws {
        let keeper = DigestGuard()
        try await guarded(keeper) { (server, client, _) async throws in
            _ = try await client.get("a")
            let view = client.with { $0.timeouts.total = .seconds(30) }
            #expect(try await view.get("b").statusCode == 200)
            #expect(try await client.get("c").statusCode == 200)
            #expect(server.schemes == ["-", "Digest", "Digest", "Digest"])
        }
    }

    @Test func `calls at once are all answered, each with a counter of its own`() async throws {
        let keeper = DigestGuard()
        let counters = Log<String>()
        let server = try await ScriptedServer.start { request in
            guard let field = request["authorization"] else { return keeper.challenge() }
            counters.add(field.components(of: "nonce") + field.components(of: "nc"))
            return .ok()
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            _ = try await client.get("first")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<30 { group.addTask { try await client.get("\(index)").statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 32)
            #expect(counters.all.count == 31 && Set(counters.all).count == 31)
        }
    }

    // MARK: Once, and once more

    @Test("BAD-INPUT 34: a wrong password is answered once, and the 401 is given back") func wrongPassword()
        async throws
    {
        let keeper = DigestGuard { $0.password = "another" }
        try await guarded(keeper) { (server, client, events) async throws in
            let response = try await client.get("a")
            #expect(response.status == .unauthorized && response.history.map(\.statusCode) == [401])
            #expect(server.schemes == ["-", "Digest"])
            #expect(events.decisions == ["the 401 is given back: the server refuses the answer to its challenge"])
            // The next request tries the known nonce, and then once the nonce of the new challenge.
            #expect(try await client.get("b").statusCode == 401)
            #expect(server.requests.count == 4)
        }
    }

    @Test("BAD-INPUT 34: a nonce that was too old is replaced") func staleNonce() async throws {
        let keeper = DigestGuard { $0.uses = 2 }
        try await guarded(keeper) { (server, client, events) async throws in
            for _ in 0..<4 {
                let response = try await client.post("a", body: .text("hello"))
                #expect(response.status == .ok && response.bytes == Bytes("hello"))
            }
            #expect(server.requests.count == 6)
            #expect(
                events.resendings == ["401: Digest (MD5)", "401, the nonce was too old: Digest (MD5) again"])
            #expect(keeper.problems == ["stale"])
        }
    }

    @Test("BAD-INPUT 34: a server whose nonces are all too old is not asked for ever") func alwaysStale() async throws {
        let keeper = DigestGuard { $0.uses = 0 }
        try await guarded(keeper) { (server, client, events) async throws in
            let response = try await client.get("a")
            #expect(response.status == .unauthorized && response.history.count == 2)
            #expect(server.requests.count == 3)
            #expect(events.decisions == ["the 401 is given back: the server refuses the answer to its challenge"])
        }
    }

    @Test func `each hop of a redirect is answered, if its realm is another`() async throws {
        let doors = (0..<3).map { number in DigestGuard { $0.realm = "\(number)" } }
        let server = try await ScriptedServer.start { request in
            let number = Int(request.path.dropFirst()) ?? 0
            guard request["authorization"]?.contains("realm=\"\(number)\"") == true else {
                return doors[number].challenge()
            }
            return number < 2 ? .redirect(to: "/\(number + 1)") : .ok("in")
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            let response = try await client.get("0")
            #expect(response.bytes == Bytes("in"))
            #expect(response.history.map(\.statusCode) == [401, 302, 401, 302, 401])
        }
    }

    @Test func `the nonce that the server names is the next one`() async throws {
        let keeper = DigestGuard {
            $0.uses = 1
            $0.tellsNext = true
        }
        try await guarded(keeper) { (server, client, _) async throws in
            for _ in 0..<4 { #expect(try await client.get("a").statusCode == 200) }
            #expect(server.requests.count == 5)
            #expect(keeper.problems.isEmpty)
        }
    }

    @Test func `a server that does not know the password is found out, and its answer is given all the same`()
        async throws
    {
        let keeper = DigestGuard { $0.proof = "0123456789abcdef0123456789abcdef" }
        try await guarded(keeper) { (server, client, events) async throws in
            #expect(try await client.get("a").statusCode == 200)
            #expect(
                events.decisions == ["the server's proof (rspauth) is wrong: it does not seem to know the password"])
        }
    }

    // MARK: Challenges that are not answered

    @Test(
        "BAD-INPUT 34: where Digest was chosen, Basic is not answered",
        arguments: [
            "Basic realm=\"r\"", "Basic realm=\"r\", Bearer", "NTLM", "",
        ])
    func downgrade(challenge: String) async throws {
        let field = challenge.isEmpty ? "" : "WWW-Authenticate: \(challenge)\r\n"
        let server = try await ScriptedServer.start { _ in
            .bytes("HTTP/1.1 401 Unauthorized\r\n\(field)Content-Length: 0\r\n\r\n")
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            #expect(try await client.get("a").statusCode == 401)
            #expect(server.schemes == ["-"])
            #expect(
                events.decisions
                    == ["the 401 is given back: the server does not offer Digest, and the client uses nothing else"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test(
        "BAD-INPUT 34: what a challenge means must be certain, and known",
        arguments: [
            (#"realm="r", nonce="1", nonce="2""#, "a digest challenge has nonce twice"),
            (#"realm="r", nonce="1", algorithm=SHA3"#, "Digest cannot be answered: the algorithm SHA3 is not known"),
            (
                #"realm="r", nonce="1", qop="auth-conf""#,
                "Digest cannot be answered: it offers no quality of protection that is known"
            ),
            (#"realm="r", nonce="1"#, "the value of nonce of a digest challenge does not end"),
            (#"realm="r""#, "Digest cannot be answered: it has no nonce"),
        ])
    func unanswerable(parameters: String, problem: String) async throws {
        let server = try await ScriptedServer.start { _ in
            .bytes(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest \(parameters)\r\nContent-Length: 0\r\n\r\n")
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            #expect(try await client.get("a").statusCode == 401)
            #expect(server.schemes == ["-"])
            #expect(events.decisions == ["the 401 is given back: \(problem)"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test("BAD-INPUT 34: quotes in what the server says stay quotes in the answer") func quotes() async throws {
        let server = try await ScriptedServer.start { request in
            request["authorization"] == nil
                ? .bytes(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"a \\\"b\\\", x=\\\\\", nonce=\"\\\"\""
                        + "\r\nContent-Length: 0\r\n\r\n") : .ok()
        }
        try await serving(server, { $0.authentication = .digest(user: "u\"\\", password: "p") }) {
            (server, client) async throws in
            #expect(try await client.get("a").statusCode == 200)
            let sent = try #require(try await server.request(1)["authorization"])
            #expect(
                sent.hasPrefix(
                    #"Digest username="u\"\\", realm="a \"b\", x=\\", nonce="\"", uri="/a", response=""#))
        }
    }

    /// The server counts the request that it cannot serve.
    @Test(arguments: ["", "user:s3cret@"]) func `a retry has a count of its own`(userinfo: String) async throws {
        let keeper = DigestGuard()
        let served = Mutex(0)
        let server = try await ScriptedServer.start { request in
            let reply = keeper.reply(to: request)
            guard request["authorization"]?.hasPrefix("Digest") == true else { return reply }
            let number = served.withLock { count in
                count += 1
                return count
            }
            return number % 2 == 1 ? .bytes("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n") : reply
        }
        func configure(_ configuration: inout Configuration) {
            configuration.authentication = userinfo.isEmpty ? Self.digest : .none
            configuration.retry = .standard { $0.delay = .zero }
        }
        try await serving(server, configure) { (server, client) async throws in
            let url = "http://\(userinfo)127.0.0.1:\(server.port)/a"
            for _ in 0..<2 {
                let response = try await client.send(Request(.get, url: url))
                #expect(response.status == .ok)
                #expect(response.history.map(\.statusCode).last == 503)
            }
            // A password in the URL is sent at once, as Basic.
            #expect(keeper.problems.allSatisfy { $0 == "no Digest" })
        }
    }

    @Test func `an Authorization set by hand is left alone, and its 401 is the answer`() async throws {
        try await guarded(DigestGuard()) { (server, client, _) async throws in
            let response = try await client.get("a", headers: [.authorization: "Mine"])
            #expect(response.status == .unauthorized)
            #expect(server.requests.map { $0["authorization"] } == ["Mine"])
        }
    }

    @Test func `outside the protection space nothing is sent unasked`() async throws {
        let keeper = DigestGuard { $0.more = "domain=\"/private /too\"" }
        let server = try await ScriptedServer.start { request in
            request.path == "/public" ? .ok() : keeper.reply(to: request)
        }
        try await serving(server, { $0.authentication = Self.digest }) { (server, client) async throws in
            for path in ["private", "public", "private/x", "too"] as [RequestPath] {
                #expect(try await client.get(path).statusCode == 200)
            }
            #expect(server.schemes == ["-", "Digest", "-", "Digest", "Digest"])
        }
    }
}

extension String {
    /// The parameter of a field, with its name.
    fileprivate func components(of name: String) -> String {
        split(separator: ", ").first { $0.hasPrefix("\(name)=") || $0.hasPrefix("Digest \(name)=") }.map(String.init)
            ?? ""
    }
}

extension EventLog {
    var resendings: [String] {
        events.compactMap { event in if case .resending(_, let why, _) = event.kind { why.description } else { nil } }
    }
}

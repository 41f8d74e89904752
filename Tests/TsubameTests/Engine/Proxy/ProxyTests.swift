// ProxyTests: proxies: the messages to them, the bytes through them, and the reuse of connections through them.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct ProxyTests {
    private static let credentials = "user:s3cret"

    /// A server that no client should reach.
    private static func nobody() async throws -> ScriptedServer { try await ScriptedServer.start() }

    private static let noContent = ProxyStep.text("HTTP/1.1 204 No Content\r\n\r\n")

    // MARK: Every route

    @Test(arguments: ProxyRoute.all, [nil, credentials])
    func `every kind of proxy leads to http and https origins, and the next call goes the same way`(
        _ route: ProxyRoute, _ credentials: String?
    ) async throws {
        try await route.run(credentials: credentials) { server, proxy, client in
            for index in 0..<3 {
                let response = try await client.get("x")
                #expect(response.bytes == Bytes("/x"))
                #expect(response.connection?.isReused == (index > 0))
                #expect(response.connection?.proxy == proxy.url(route.kind))
                let request = try await server.request(index)
                #expect(request["host"] == route.authority)
                #expect(request["proxy-authorization"] == nil)
                #expect(request.serverName == (route.isSecure ? "localhost" : nil))
            }
            #expect(proxy.acceptedConnections == 1)
            #expect(server.acceptedConnections == 1)
            #expect(proxy.requests.count == (route.isTunnel ? 1 : 3))
            for request in proxy.requests {
                #expect(request.form == (route.isTunnel ? route.kind.form : .forward))
                #expect(request.target == route.asked)
            }
        }
    }

    @Test(arguments: ProxyRoute.all) func `what the proxy says may come byte by byte`(_ route: ProxyRoute) async throws
    {
        try await route.run(credentials: Self.credentials, drips: true) { _, proxy, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes("/x"))
            #expect(try await client.get("y").connection?.isReused == true)
        }
    }

    @Test(arguments: ProxyRoute.all, Way.allCases)
    func `a mebibyte goes through either way`(_ route: ProxyRoute, _ way: Way) async throws {
        try await route.run(credentials: Self.credentials, reply: { _ in .stream(1 << 20) }) { server, _, client in
            let body = RequestBody.stream { CountedPieces(count: 16, pulled: { _ in }) }
            let response = try await way.send(Request(.post, "x", body: body), by: client)
            #expect(response.bytes.count == 1 << 20)
            #expect(try await server.request(0).bodyByteCount == 1 << 20)
        }
    }

    @Test(arguments: ProxyRoute.all) func `many calls at once get each its own answer`(_ route: ProxyRoute) async throws
    {
        try await route.run(
            credentials: Self.credentials, configure: { $0.connection.connectionsPerOrigin = 4 }
        ) { _, proxy, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<16 {
                    group.addTask { try await client.get("\(index)").bytes == Bytes("/\(index)") }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(proxy.acceptedConnections <= 4)
        }
    }

    @Test(arguments: ProxyRoute.all)
    func `a reused connection that dies before a byte of the answer costs a new one, not the call`(
        _ route: ProxyRoute
    ) async throws {
        try await route.run(reply: {
            $0.connection == 0 && $0.indexOnConnection == 1 ? .close : .ok($0.target)
        }) { server, proxy, client in
            _ = try await client.get("1")
            let response = try await client.get("2")
            #expect(response.bytes == Bytes("/2"))
            #expect(response.connection?.isReused == false)
            #expect(proxy.acceptedConnections == 2)
            #expect(server.requests.count == 3)
        }
    }

    // MARK: Forwarding

    @Test(
        arguments: [
            ("http://a.example", "http://a.example/", "a.example"),
            ("http://A.Example:80/x/y?z=1#f", "http://a.example/x/y?z=1", "a.example"),
            ("http://a.example:8080/?q", "http://a.example:8080/?q", "a.example:8080"),
            ("http://192.0.2.7:81/x", "http://192.0.2.7:81/x", "192.0.2.7:81"),
            ("http://[2001:db8::1]/x", "http://[2001:db8::1]/x", "[2001:db8::1]"),
            ("http://me:pw@a.example/x", "http://a.example/x", "a.example"),
        ], [ProxyKind.http, .https])
    func `a request to an http origin names all of its target to the proxy`(
        _ row: (url: String, target: String, host: String), _ kind: ProxyKind
    ) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .request = moment { [Self.noContent] } else { nil }
        }
        try await proxying(Self.nobody(), as: [], base: nil, by: kind, credentials: Self.credentials, script: script) {
            server, proxy, client in
            let response = try await client.get(url: row.url, headers: [.accept: "text/html"])
            #expect(response.statusCode == 204)
            let request = try await proxy.request(0)
            #expect(request.head.hasPrefix("GET \(row.target) HTTP/1.1\r\nHost: \(row.host)\r\n"), "\(request.head)")
            #expect(request["accept"] == "text/html")
            let given = request.fields.filter { $0.name.lowercased() == "proxy-authorization" }
            #expect(given.map(\.value) == [basic(Self.credentials)])
            #expect(request.fields.filter { $0.name.lowercased() == "host" }.count == 1)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `without credentials none are sent`() async throws {
        let route = ProxyRoute(kind: .http, isSecure: false)
        try await route.run { _, proxy, client in
            _ = try await client.get("x")
            #expect(try await proxy.request(0)["proxy-authorization"] == nil)
        }
    }

    @Test(arguments: [ProxyKind.http, .https], [301, 403, 407, 502])
    func `what a forwarding proxy answers is a response, whatever its status`(
        _ kind: ProxyKind, _ status: Int
    ) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request = moment else { return nil }
            return [.text("HTTP/1.1 \(status) So\r\nContent-Length: 2\r\nProxy-Authenticate: Basic\r\n\r\nno")]
        }
        try await proxying(Self.nobody(), as: [], by: kind, script: script) { server, proxy, client in
            let response = try await client.get("x")
            #expect(response.statusCode == status)
            #expect(response.bytes == Bytes("no"))
            #expect(response.connection?.proxy == proxy.url(kind))
            #expect(proxy.requests.count == 1)
        }
    }

    // MARK: CONNECT

    @Test(
        arguments: [
            ("https://localhost:4433/x", "localhost:4433"), ("https://B.example/x?y", "b.example:443"),
            ("https://b.example:443", "b.example:443"), ("https://192.0.2.7/", "192.0.2.7:443"),
            ("https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"),
        ], [nil, credentials])
    func `BAD-INPUT 35: CONNECT carries host, port and the proxy's credentials, and no field of the request`(
        _ row: (url: String, target: String), _ credentials: String?
    ) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .request = moment { [.text("HTTP/1.1 503 No\r\n\r\n"), .close] } else { nil }
        }
        try await proxying(
            Self.nobody(), as: [], base: nil, credentials: credentials, script: script,
            configure: {
                $0.headers = [.userAgent: "mine", .acceptLanguage: "ja"]
                $0.authentication = .bearer("t0ken")
            }
        ) { _, proxy, client in
            let request = Request(
                .post, url: row.url, headers: [.cookie: "a=b", .authorization: "Basic mine", .from: "me"],
                body: .text("hello"))
            let error = try await failure { try await client.send(request) }
            #expect(error.kind == .proxy, "\(error)")
            let sent = String(decoding: proxy.received(), as: UTF8.self)
            #expect(sent.hasPrefix("CONNECT \(row.target) HTTP/1.1\r\nHost: \(row.target)\r\n"), "\(sent)")
            #expect(sent.hasSuffix("\r\n\r\n"))
            let fields = try await proxy.request(0).fields
            let names = credentials == nil ? ["host"] : ["host", "proxy-authorization"]
            #expect(fields.map { $0.name.lowercased() } == names)
            if let credentials { #expect(fields.last?.value == basic(credentials)) }
        }
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `BAD-INPUT 35: what goes through a tunnel carries no Proxy-Authorization, not even the caller's own`(
        _ route: ProxyRoute
    ) async throws {
        try await route.run(
            credentials: Self.credentials, configure: { $0.authentication = .basic(user: "me", password: "pw") }
        ) { server, proxy, client in
            let response = try await client.post(
                "x", headers: [.proxyAuthorization: "Basic mine", .accept: "text/html"], body: .text("hello"))
            #expect(response.statusCode == 200)
            let request = try await server.request(0)
            #expect(request.headText.hasPrefix("POST /x HTTP/1.1\r\nHost: \(route.authority)\r\n"))
            #expect(request["proxy-authorization"] == nil)
            #expect(!request.headText.contains("s3cret") && !request.headText.contains(basic(Self.credentials)))
            #expect(request["authorization"] == basic("me:pw"))
            #expect(request["accept"] == "text/html")
            #expect(request.text == "hello")
            // The proxy does not receive the origin's credentials either.
            #expect(!String(decoding: proxy.received(), as: UTF8.self).contains(basic("me:pw")))
        }
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n", "HTTP/1.1 299 So\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ], [false, true])
    func `BAD-INPUT 35: behind the head of a 2xx to CONNECT the tunnel begins, whatever length it declares`(
        _ answer: String, _ drips: Bool
    ) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .request = moment { [.text(answer), .relay] } else { nil }
        }
        for kind in [ProxyKind.http, .https] {
            try await ProxyRoute(kind: kind, isSecure: true).run(drips: drips, script: script) { _, proxy, client in
                let response = try await client.get("x")
                #expect(response.bytes == Bytes("/x"))
                #expect(try await client.get("y").connection?.isReused == true)
                #expect(proxy.acceptedConnections == 1)
            }
        }
    }

    // MARK: SOCKS

    @Test(arguments: [ProxyKind.socks5, .socks5h], [nil, credentials])
    func `SOCKS5 is told the origin's name, and nothing that it did not ask for`(
        _ kind: ProxyKind, _ credentials: String?
    ) async throws {
        let route = ProxyRoute(kind: kind, isSecure: false)
        try await route.run(credentials: credentials) { _, proxy, client in
            _ = try await client.get("x")
            let sent = proxy.received()
            let request = [5, 1, 0, 3, 9] + Array("a.example".utf8) + [0, 80]
            if credentials == nil {
                #expect(sent == [5, 1, 0] + request)
            } else {
                let count = Int(try #require(sent.dropFirst().first))
                #expect(Set(sent.dropFirst(2).prefix(count)).isSubset(of: [0, 2]))
                let shown = [1, 4] + Array("user".utf8) + [6] + Array("s3cret".utf8)
                #expect(Array(sent.dropFirst(2 + count)) == shown + request)
            }
        }
    }

    @Test func `a SOCKS5 proxy that wants no credentials gets none`() async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .methods = moment { [.bytes([5, 0])] } else { nil }
        }
        try await ProxyRoute(kind: .socks5, isSecure: false).run(credentials: Self.credentials, script: script) {
            _, proxy, client in
            _ = try await client.get("x")
            #expect(try await proxy.request(0).user == nil)
            #expect(!String(decoding: proxy.allBytes, as: UTF8.self).contains("s3cret"))
        }
    }

    @Test(arguments: [ProxyKind.socks4, .socks4a])
    func `SOCKS 4 is told a user and no password, and the origin's address if it is known, else its name`(
        _ kind: ProxyKind
    ) async throws {
        let server = try await ScriptedServer.start()
        let names = ["a.example:80", "127.0.0.1:80"]
        try await proxying(server, as: names, by: kind, credentials: Self.credentials) { _, proxy, client in
            _ = try await client.get("x")
            let sent = proxy.received()
            #expect(sent.starts(with: [4, 1, 0, 80, 0, 0, 0]) && sent.count == 23 && sent.dropFirst(7).first != 0)
            #expect(Array(sent.dropFirst(8)) == Array("user\0a.example\0".utf8))
            _ = try await client.with { $0.connection.resolve = ["a.example:80": "127.0.0.1"] }.get("x")
            #expect(proxy.received(1) == [4, 1, 0, 80, 127, 0, 0, 1] + Array("user\0".utf8))
        }
    }

    @Test(arguments: [
        (ProxyKind.socks4, "http://[2001:db8::1]/"), (.socks4a, "https://[2001:db8::1]/"),
        (.socks5, "http://\(String(repeating: "a.", count: 130))example/"),
    ])
    func `a target that SOCKS has no room for is an invalid request`(_ kind: ProxyKind, _ url: String) async throws {
        try await proxying(Self.nobody(), as: [], base: nil, by: kind) { _, proxy, client in
            let error = try await failure { try await client.get(url: url) }
            #expect(error.kind == .invalidRequest, "\(error)")
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test(arguments: ProxyRoute.tunnels)
    func `the proxy is told the address that a name is to be found at, and TLS the name`(
        _ route: ProxyRoute
    ) async throws {
        let server = try await ScriptedServer.start(tls: route.isSecure ? .localhost : nil) { _ in .ok("hi") }
        try await proxying(server, as: ["192.0.2.7:81"], base: route.base, by: route.kind) {
            server, proxy, client in
            let view = client.with { $0.connection.resolve = [route.target: "192.0.2.7:81"] }
            #expect(try await view.get("x").bytes == Bytes("hi"))
            let request = try await server.request(0)
            #expect(request.serverName == (route.isSecure ? "localhost" : nil))
            #expect(request["host"] == route.authority)
        }
    }

    @Test(arguments: [
        (ProxyKind.socks4, "http://192.0.2.7/", "192.0.2.7:80"), (.socks4a, "http://192.0.2.7:81/", "192.0.2.7:81"),
        (.socks5, "http://192.0.2.7/", "192.0.2.7:80"), (.socks5h, "https://192.0.2.7/", "192.0.2.7:443"),
        (.socks5, "http://[2001:db8::1]:81/", "[2001:db8:0:0:0:0:0:1]:81"),
    ])
    func `SOCKS is told an address as an address`(_ kind: ProxyKind, _ url: String, _ target: String) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request(let request) = moment else { return nil }
            return [.bytes(request.form.unreachable), .close]
        }
        try await proxying(Self.nobody(), as: [], base: nil, by: kind, script: script) { _, proxy, client in
            _ = try await failure { try await client.get(url: url) }
            #expect(try await proxy.request(0).target == target)
            // Sent by its address type, and not as a name that reads like an address.
            let sent = proxy.received()
            if sent.first == 5, let type = sent.dropFirst(6).first { #expect([1, 4].contains(type), "\(sent)") }
        }
    }

    @Test(
        arguments: [
            [5, 0, 0, 1, 10, 0, 0, 1, 0, 80], [5, 0, 0, 3, 3, 97, 98, 99, 0, 80], [5, 0, 0, 3, 0, 0, 0],
            [5, 0, 0, 4] + [UInt8](repeating: 0xFE, count: 18), [5, 0, 0, 3, 255] + [UInt8](repeating: 97, count: 257),
        ], [false, true])
    func `SOCKS5 may name the address it is bound to in any form`(_ answer: [UInt8], _ drips: Bool) async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .request = moment { [.bytes(answer), .relay] } else { nil }
        }
        for isSecure in [false, true] {
            try await ProxyRoute(kind: .socks5, isSecure: isSecure).run(drips: drips, script: script) { _, _, client in
                let response = try await client.get("x")
                #expect(response.bytes == Bytes("/x"))
            }
        }
    }

    // MARK: Credentials

    @Test(arguments: ProxyRoute.all)
    func `credentials are decoded from the proxy's URL`(_ route: ProxyRoute) async throws {
        try await route.run(
            credentials: "us er:p@ss:w/rd%", userinfo: "us%20er:p%40ss%3Aw%2Frd%25"
        ) { _, _, client in
            let response = try await client.get("x")
            #expect(response.statusCode == 200)
        }
    }

    @Test(arguments: [ProxyRoute(kind: .http, isSecure: false), ProxyRoute(kind: .http, isSecure: true)])
    func `a user without a password has an empty one`(_ route: ProxyRoute) async throws {
        try await route.run(credentials: "token:", userinfo: "token") { _, _, client in
            let response = try await client.get("x")
            #expect(response.statusCode == 200)
        }
    }

    // MARK: The pool

    @Test(arguments: ProxyRoute.all)
    func `connections are shared by those who show the proxy the same credentials, and by nobody else`(
        _ route: ProxyRoute
    ) async throws {
        try await route.run { _, proxy, client in
            let other = client.with { $0.connection.proxy = .url(proxy.url(route.kind, "user:s3cret")) }
            let third = client.with { $0.connection.proxy = .url(proxy.url(route.kind, "user:another")) }
            let same = client.with { $0.connection.proxy = .url(proxy.url(route.kind)) }
            for (view, isReused) in [
                (client, false), (other, false), (third, false), (client, true), (other, true), (third, true),
                (same, true),
            ] {
                let response = try await view.get("x")
                #expect(response.connection?.isReused == isReused)
            }
            #expect(proxy.acceptedConnections == 3)
        }
    }

    @Test func `nor by those who go another way`() async throws {
        let server = try await ScriptedServer.start()
        try await proxying(server, as: ["127.0.0.1:\(server.port)"], base: server.url) { server, proxy, client in
            let direct = client.with { $0.connection.proxy = .none }
            let socks = client.with { $0.connection.proxy = .url(proxy.url(.socks5)) }
            for (view, isReused) in [
                (client, false), (direct, false), (socks, false), (client, true), (direct, true), (socks, true),
            ] {
                let response = try await view.get("x")
                #expect(response.connection?.isReused == isReused)
            }
            #expect(try await direct.get("x").connection?.proxy == nil)
            #expect(proxy.acceptedConnections == 2)
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test func `each origin has connections of its own, by the same proxy too`() async throws {
        let server = try await ScriptedServer.start()
        let names = ["a.example:80", "b.example:80"]
        try await proxying(server, as: names, base: nil) { server, proxy, client in
            for _ in 0..<2 {
                for host in ["a", "b"] { _ = try await client.get(url: "http://\(host).example/") }
            }
            #expect(proxy.requests.map(\.connection) == [0, 1, 0, 1])
        }
    }

    // MARK: TLS

    @Test func `BAD-INPUT 33: proxy and origin show each its own certificate, for its own name`() async throws {
        let server = try await ScriptedServer.start(tls: .wrongHost) { _ in .ok("hi") }
        try await proxying(server, as: ["wrong.host:443"], base: "https://wrong.host", by: .https) {
            server, proxy, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes("hi"))
            #expect(try await server.request(0).serverName == "wrong.host")
            #expect(proxy.serverName() == nil)
        }
    }

    @Test(arguments: [TLSIdentity.expired, .selfSigned, .wrongHost], ProxyKind.allCases)
    func `BAD-INPUT 33: a proxy of which all is well vouches for no origin`(
        _ identity: TLSIdentity, _ kind: ProxyKind
    ) async throws {
        let route = ProxyRoute(kind: kind, isSecure: true)
        let server = try await ScriptedServer.start(tls: identity)
        try await proxying(
            server, as: [route.target], base: route.base, by: kind,
            configure: { $0.connection.proxyTLS.verification = .dangerouslyOff }
        ) { server, proxy, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.phase == .securing)
            #expect(error.reason.contains("localhost"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [TLSIdentity.expired, .selfSigned, .wrongHost], [false, true])
    func `BAD-INPUT 33: a proxy whose certificate is not good hears neither its credentials nor a target`(
        _ identity: TLSIdentity, _ isSecure: Bool
    ) async throws {
        let route = ProxyRoute(kind: .https, isSecure: isSecure)
        let server = try await ScriptedServer.start(tls: isSecure ? .localhost : nil)
        try await ScriptedProxy.start(routes: [route.asked: server.port], tls: identity).use { proxy in
            try await serving(server, base: route.base) {
                // The trust settings for origins have no effect here.
                $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.proxyTLS.roots = .pem(TestCertificates.authorityPEM)
                $0.connection.proxy = .url(proxy.url(.https, Self.credentials))
            } _: { server, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .tls, "\(error)")
                #expect("\(error)".contains("127.0.0.1"), "\(error)")
                #expect(proxy.requests.isEmpty && proxy.received().isEmpty)
                #expect(server.acceptedConnections == 0)
            }
            try await proxy.waitUntil(openConnections: 0)
        }
    }

    @Test func `BAD-INPUT 33: what is trusted for origins is not for proxies, nor the other way round`() async throws {
        let route = ProxyRoute(kind: .https, isSecure: true)
        try await route.run { server, proxy, client in
            for view in [
                client.with { $0.connection.tls.roots = .system }, client.with { $0.connection.proxyTLS = .init() },
            ] {
                let error = try await failure { try await view.get("x") }
                #expect(error.kind == .tls, "\(error)")
            }
            #expect(server.requests.isEmpty)
            #expect(try await client.get("x").statusCode == 200)
        }
    }

    @Test func `BAD-INPUT 32: a proxy that one view does not check is checked for every other`() async throws {
        let server = try await ScriptedServer.start()
        try await ScriptedProxy.start(routes: ["a.example:80": server.port], tls: .selfSigned).use { proxy in
            try await serving(server, base: "http://a.example") {
                $0.connection.proxy = .url(proxy.url(.https))
            } _: { server, client in
                let careless = client.with { $0.connection.proxyTLS.verification = .dangerouslyOff }
                for index in 0..<3 {
                    let error = try await failure { try await client.get("x") }
                    #expect(error.kind == .tls, "\(error)")
                    #expect(try await careless.get("x").connection?.isReused == (index > 0))
                }
                #expect(proxy.requests.count == 3)
            }
        }
    }

    @Test func `a proxy that should speak TLS and does not is an error of TLS`() async throws {
        let script: ScriptedProxy.Script = { moment, _ in
            if case .accepted = moment { [.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .stall] } else { nil }
        }
        try await proxying(Self.nobody(), as: [], script: script) { _, proxy, client in
            let view = client.with { $0.connection.proxy = .url(proxy.url(.https, Self.credentials)) }
            let error = try await failure { try await view.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(!String(decoding: proxy.received(), as: UTF8.self).contains("CONNECT"))
        }
    }
}

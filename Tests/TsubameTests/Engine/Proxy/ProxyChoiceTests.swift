// ProxyChoiceTests: the choice of a proxy: by the policies, by the environment, and again for each hop of a redirect.

import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

/// A request, and whether it goes through the proxy.
struct ProxyChoice: Sendable, CustomTestStringConvertible {
    let setting: String
    let url: String
    let isProxied: Bool

    var testDescription: String { "\(setting): \(url) \(isProxied ? "by the proxy" : "direct")" }

    /// A choice by the environment. PROXY stands for the proxy, OTHER for a proxy that must not be used.
    static func environment(_ setting: String, _ url: String, _ isProxied: Bool) -> ProxyChoice {
        ProxyChoice(setting: setting, url: url, isProxied: isProxied)
    }

    /// A choice with exceptions.
    static func except(_ exceptions: String, _ url: String, _ isProxied: Bool) -> ProxyChoice {
        ProxyChoice(setting: exceptions, url: url, isProxied: isProxied)
    }

    static let schemes = [
        environment("http_proxy=http://PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY", "https://a.example/", false),
        environment("https_proxy=http://PROXY", "https://a.example/", true),
        environment("https_proxy=http://PROXY", "http://a.example/", false),
        environment("HTTPS_PROXY=http://PROXY", "https://a.example/", true),
        environment("all_proxy=http://PROXY", "http://a.example/", true),
        environment("all_proxy=http://PROXY", "https://a.example/", true),
        environment("ALL_PROXY=http://PROXY", "http://a.example/", true),
        environment("all_proxy=socks5://PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY all_proxy=http://OTHER", "http://a.example/", true),
        environment("https_proxy=http://PROXY all_proxy=http://OTHER", "https://a.example/", true),
        // The most common form.
        environment("http_proxy=PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY/", "http://a.example/", true),
        environment("http_proxy=", "http://a.example/", false),
        environment("", "http://a.example/", false),
        environment("ftp_proxy=http://PROXY", "http://a.example/", false),
    ]

    /// ``ProxyPolicyTests`` has all rules. These rows show that a connection follows the policy.
    static let cases = [
        environment("http_proxy=http://PROXY HTTP_PROXY=http://OTHER", "http://a.example/", true),
        // Under CGI a request's field `Proxy` sets this variable.
        environment("HTTP_PROXY=http://PROXY REQUEST_METHOD=GET", "http://a.example/", false),
        environment("http_proxy=http://PROXY NO_PROXY=a.example", "http://a.example/", false),
    ]

    static let exceptions = [
        except("a.example", "http://a.example/", false), except("a.example", "http://b.example/", true),
        except("a.example", "https://a.example/", false), except("*", "http://192.0.2.1/", false),
        except("192.0.2.0/24", "http://192.0.2.200/", false), except("192.0.2.0/24", "http://192.0.3.1/", true),
        except("192.0.2.0/24", "http://3221225985/", false), except("[2001:db8::1]", "http://[2001:db8::1]/", false),
        except("a.example:8080", "http://a.example/", true), except("a.example:443", "https://a.example/", false),
        except("BÜCHER.example", "http://www.xn--bcher-kva.example/", false),
    ]

    static let nonsense = ["192.0.2.0/33", "a.example:99999", "["]

    static let loopback = [
        "http://localhost/", "https://localhost:8443/", "http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/",
    ]
}

@Suite(.timeLimit(.minutes(2))) struct ProxyChoiceTests {
    /// Sends a request to a host that leads to the test's server, unless a proxy receives it.
    private static func check(
        _ url: String, isProxied: Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ policy: (ScriptedProxy, DeadPort) throws -> ProxyPolicy
    ) async throws {
        let uri = try TargetURI(parsing: url)
        let other = try DeadPort()
        let script: ScriptedProxy.Script = { moment, _ in
            guard case .request(let request) = moment else { return nil }
            return [.bytes(request.form.unreachable), .close]
        }
        // The handshake need not complete, because an accepted connection is enough.
        let server = try await ScriptedServer.start(onConnect: { _ in uri.isSecure ? .close : nil })
        try await proxying(server, as: [], base: nil, script: script) { server, proxy, client in
            let policy = try policy(proxy, other)
            let view = client.with {
                $0.connection.proxy = policy
                let host = uri.host.contains(":") ? "[\(uri.host)]" : uri.host
                $0.connection.resolve["\(host):\(uri.port)"] = "127.0.0.1:\(server.port)"
            }
            let result = await Task { try await view.get(url: url) }.result
            #expect(proxy.requests.count == (isProxied ? 1 : 0), "\(result)", sourceLocation: sourceLocation)
            #expect(server.acceptedConnections == (isProxied ? 0 : 1), "\(result)", sourceLocation: sourceLocation)
        }
    }

    /// `name=value name=value`.
    private static func environment(_ text: String, _ proxy: ScriptedProxy, _ other: DeadPort) -> [String: String] {
        let pairs = text.split(separator: " ").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (String(name), String(pair.dropFirst(name.count + 1)))
        }
        return Dictionary(uniqueKeysWithValues: pairs).mapValues {
            $0.replacing("PROXY", with: proxy.address).replacing("OTHER", with: "127.0.0.1:\(other.number)")
        }
    }

    // MARK: The environment

    @Test(arguments: ProxyChoice.schemes)
    func `the environment names a proxy for each scheme, or one for all`(_ row: ProxyChoice) async throws {
        try await Self.check(row.url, isProxied: row.isProxied) {
            .environment(Self.environment(row.setting, $0, $1))
        }
    }

    @Test(arguments: ProxyChoice.cases)
    func `BAD-INPUT 36: lower case wins, and HTTP_PROXY counts for nothing under CGI`(_ row: ProxyChoice) async throws {
        try await Self.check(row.url, isProxied: row.isProxied) {
            .environment(Self.environment(row.setting, $0, $1))
        }
    }

    @Test(arguments: ProxyChoice.exceptions)
    func `BAD-INPUT 36: what no_proxy names goes direct`(_ row: ProxyChoice) async throws {
        try await Self.check(row.url, isProxied: row.isProxied) { proxy, _ in
            .environment(["all_proxy": "http://\(proxy.address)", "no_proxy": row.setting])
        }
    }

    @Test(arguments: ProxyChoice.exceptions)
    func `a policy of any kind can have exceptions of its own`(_ row: ProxyChoice) async throws {
        try await Self.check(row.url, isProxied: row.isProxied) { proxy, _ in
            .environment(["all_proxy": "http://\(proxy.address)", "no_proxy": "b.example.org"])
                .except(["c.example"]).except([row.setting])
        }
        try await Self.check(row.url, isProxied: row.isProxied) { proxy, _ in
            let chosen = try Proxy("http://\(proxy.address)")
            return .choose { _ in chosen }.except([row.setting])
        }
    }

    @Test func `exceptions and Digest alone make another policy`() {
        let policy = ProxyPolicy.url("http://user:password@proxy.example")
        let policies = [policy, policy.except(["a"]), policy.except(["b"]), policy.digestOnly]
        #expect(Set(policies).count == 4 && Set(policies.map(\.secretText)).count == 4)
        #expect(ProxyPolicy.none.except(["a"]).digestOnly.isNone)
        #expect(policy.except(["a"]) == policy.except(["a"]))
    }

    @Test(arguments: ProxyChoice.nonsense)
    func `an exception given by hand that makes no sense is an error`(_ exception: String) async throws {
        try await serving(
            .start(), { $0.connection.proxy = .url("http://127.0.0.1:1", except: ["b.example", exception]) }
        ) {
            server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest && error.reason.contains("exception"), "\(error)")
            let added = try await failure {
                try await client.with { $0.connection.proxy = .url("http://127.0.0.1:1").except([exception]) }.get("x")
            }
            #expect(added.reason == error.reason)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ProxyChoice.loopback)
    func `this machine is never asked for at a proxy of the environment`(_ url: String) async throws {
        try await Self.check(url, isProxied: false) { proxy, _ in
            .environment(["all_proxy": "http://\(proxy.address)", "http_proxy": "http://\(proxy.address)"])
        }
    }

    @Test(arguments: ["ftp://127.0.0.1:1", "http://", "http://127.0.0.1:99999"])
    func `an environment whose proxy makes no sense is an error, not a way around it`(_ text: String) async throws {
        try await serving(.start(), base: "http://a.example") {
            $0.connection.proxy = .environment(["http_proxy": text])
        } _: { server, client in
            let view = client.with { $0.connection.resolve = hosts(["a.example:80"], at: server) }
            let error = try await failure { try await view.get("x") }
            #expect(error.kind == .invalidRequest, "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    // MARK: Given by hand

    @Test(arguments: ProxyChoice.exceptions)
    func `exceptions given by hand are those of no_proxy`(_ row: ProxyChoice) async throws {
        try await Self.check(row.url, isProxied: row.isProxied) { proxy, _ in
            .url(proxy.url(.http), except: row.setting.split(separator: ",").map(String.init))
        }
    }

    @Test(arguments: ProxyChoice.loopback)
    func `a proxy given by hand is asked for this machine too`(_ url: String) async throws {
        try await Self.check(url, isProxied: true) { proxy, _ in .url(proxy.url(.http)) }
    }

    @Test(arguments: ["http://a.example/", "https://a.example/"])
    func `none is none`(_ url: String) async throws {
        try await Self.check(url, isProxied: false) { _, _ in .none }
    }

    @Test func `a closure chooses by the target, and nil is direct`() async throws {
        for (url, isProxied) in [
            ("http://a.example/x?y", true), ("http://a.example:81/x?y", false), ("https://a.example/x?y", false),
            ("http://b.example/x?y", false), ("http://a.example/", false),
        ] {
            try await Self.check(url, isProxied: isProxied) { proxy, _ in
                let chosen = try Proxy(proxy.url(.socks5))
                return .choose { uri in
                    uri.host == "a.example" && uri.port == 80 && !uri.isSecure && uri.target == "/x?y" ? chosen : nil
                }
            }
        }
    }

    // MARK: Invalid proxies

    @Test(
        arguments: [
            "", "http://", "http://user:s3cret@", "http://:3128", "ftp://user:s3cret@127.0.0.1:1",
            "http://user:s3cret@127.0.0.1:99999", "http://user:s3cret@127.0.0.1:0", "http://user:s3cret@127.0.0.1:x",
            "http://user:s3cret@a b:1", "http://user:s3cret@127.0.0.1\\x:1", "socks5://user:s3cret@:1080",
            "socks6://user:s3cret@127.0.0.1:1", "http://user:s3cret@127.0.0.1\r\nX-Evil: x:1",
            "http://user:s3cret@[::1", "http://us@er:s3cret@127.0.0.1:1",
            // RFC 1929 has one byte for each length; a NUL ends a user name of SOCKS 4.
            "socks5://\(String(repeating: "u", count: 256)):s3cret@127.0.0.1:1",
            "socks5://user:s3cret\(String(repeating: "p", count: 250))@127.0.0.1:1",
            "socks4://us%00er:s3cret@127.0.0.1:1", "socks4a://us%00er:s3cret@127.0.0.1:1",
        ], Way.allCases)
    func `what is no proxy is an invalid request in every way to send, and is not gone around`(
        _ text: String, _ way: Way
    ) async throws {
        try await serving(.start(), { $0.connection.proxy = .url(text) }) { server, client in
            for request in [Request(.get, "x"), Request(.post, url: "https://127.0.0.1:\(server.port)/")] {
                let error = try await failure { try await way.send(request, by: client) }
                #expect(error.kind == .invalidRequest, "\(error)")
                #expect(!"\(error)".contains("s3cret"), "\(error)")
                #expect(!"\(error)".utf8.contains(0x0D), "\(error)")
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["http://user:s3cret@127.0.0.1:0", "gopher://user:s3cret@127.0.0.1", ""])
    func `nor is there a Proxy of such a text`(_ text: String) {
        let error = #expect(throws: CallError.self) { try Proxy(text) }
        #expect(error?.kind == .invalidRequest)
        if let error { #expect(!"\(error)".contains("s3cret")) }
    }

    // MARK: Redirects

    @Test(arguments: [false, true])
    func `a redirect goes the way of its own target`(_ isProxiedFirst: Bool) async throws {
        let server = try await ScriptedServer.start {
            $0.path == "/start" ? .redirect(to: "http://b.example/end") : .ok("end")
        }
        let names = ["a.example:80", "b.example:80"]
        try await proxying(
            server, as: names, credentials: "user:s3cret",
            configure: { $0.connection.resolve = hosts(names, at: server) }
        ) { server, proxy, client in
            let view = client.with {
                $0.connection.proxy = .url(
                    proxy.url(.http, "user:s3cret"), except: [isProxiedFirst ? "b.example" : "a.example"])
            }
            let response = try await view.get("start")
            #expect(response.bytes == Bytes("end"))
            #expect(response.connection?.proxy == (isProxiedFirst ? nil : proxy.url(.http)))
            #expect(proxy.requests.map(\.target) == [isProxiedFirst ? "a.example:80" : "b.example:80"])
            #expect(proxy.requests.first?["proxy-authorization"] == basic("user:s3cret"))
            #expect(server.requests.map(\.target) == ["/start", "/end"])
            for request in server.requests { #expect(request["proxy-authorization"] == nil) }
        }
    }

    @Test func `each proxy sees its own credentials and nobody else's`() async throws {
        let server = try await ScriptedServer.start {
            $0.path == "/start" ? .redirect(to: "http://b.example/end") : .ok("end")
        }
        let second = try await ScriptedProxy.start(
            routes: ["b.example:80": server.port], credentials: "second:another")
        try await second.use { second in
            try await proxying(server, as: ["a.example:80"], credentials: "user:s3cret") { server, proxy, client in
                let a = try Proxy(proxy.url(.http, "user:s3cret"))
                let b = try Proxy(second.url(.socks5, "second:another"))
                let view = client.with { $0.connection.proxy = .choose { $0.host == "a.example" ? a : b } }
                #expect(try await view.get("start").bytes == Bytes("end"))
                let (mine, theirs) = (proxy.allBytes, second.allBytes)
                let (first, other) = (String(decoding: mine, as: UTF8.self), String(decoding: theirs, as: UTF8.self))
                #expect(first.contains(basic("user:s3cret")))
                #expect(!first.contains("another") && !first.contains(basic("second:another")))
                #expect(other.contains("another"))
                #expect(!other.contains("s3cret") && !other.contains(basic("user:s3cret")))
            }
            try await second.waitUntil(openConnections: 0)
        }
    }

    @Test func `a redirect from http to https goes from forwarding to a tunnel, with credentials to the proxy alone`()
        async throws
    {
        let secure = try await ScriptedServer.start(tls: .localhost) { _ in .ok("end") }
        try await secure.use { secure in
            let server = try await ScriptedServer.start { _ in .redirect(to: "https://localhost:4433/end") }
            let proxy = try await ScriptedProxy.start(
                routes: ["a.example:80": server.port, "localhost:4433": secure.port], credentials: "user:s3cret")
            try await proxy.use { proxy in
                try await serving(server, base: "http://a.example") {
                    $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                    $0.connection.proxy = .url(proxy.url(.http, "user:s3cret"))
                } _: { server, client in
                    let response = try await client.get("start")
                    #expect(response.bytes == Bytes("end"))
                    #expect(proxy.requests.map(\.form) == [.forward, .connect])
                    #expect(proxy.requests.allSatisfy { $0["proxy-authorization"] == basic("user:s3cret") })
                    for request in server.requests + secure.requests {
                        #expect(request["proxy-authorization"] == nil)
                    }
                }
            }
        }
    }

    @Test func `the proxy's credentials go with each hop, once`() async throws {
        let server = try await ScriptedServer.start {
            $0.path == "/start" ? .redirect(to: "http://b.example/end") : .ok("end")
        }
        try await proxying(server, as: ["a.example:80", "b.example:80"], credentials: "user:s3cret") {
            server, proxy, client in
            let response = try await client.get("start")
            #expect(response.bytes == Bytes("end"))
            #expect(proxy.requests.count == 2)
            for request in proxy.requests {
                let given = request.fields.filter { $0.name.lowercased() == "proxy-authorization" }
                #expect(given.map(\.value) == [basic("user:s3cret")])
            }
        }
    }
}

// ConnectionKeyTests: requests share a connection only if everything that made it agrees.

import Testing
import TsubameCore

@Suite struct ConnectionKeyTests {
    private typealias Change = (inout ConnectionSettings) -> Void

    private func key(_ url: String = "https://a.example", proxy: String? = nil, _ change: Change = { _ in }) throws
        -> ConnectionKey
    {
        var settings = ConnectionSettings()
        change(&settings)
        return ConnectionKey(
            origin: try #require(Origin(url)), settings: SharedSettings(settings),
            proxy: try proxy.map { try Proxy($0) })
    }

    @Test func `a thousand proxies to one host do not make its table slow`() throws {
        let keys = try (0..<1_000).map { try key(proxy: "http://user\($0):a@p.example") }
        #expect(Set(keys.map(\.hashValue)).count > 990)
        let same = ConnectionKey(
            origin: keys[7].origin, settings: keys[7].settings, proxy: try Proxy("http://user7:a@p.example"))
        #expect(same == keys[7] && same.hashValue == keys[7].hashValue)
    }

    @Test func `BAD-INPUT 32: each difference makes another key`() throws {
        let pin = "sha256/" + String(repeating: "A", count: 43) + "="
        let changes: [(name: String, change: Change)] = [
            ("version", { $0.httpVersion = .http11 }), ("verification", { $0.tls.verification = .dangerouslyOff }),
            ("pins", { $0.tls.pins["a.example"] = PinnedKeys(pin, backup: pin) }),
            ("minimum", { $0.tls.minimumVersion = .tls13 }),
            ("proxy's TLS", { $0.proxyTLS.verification = .dangerouslyOff }),
            ("resolve", { $0.resolve["a.example"] = "192.0.2.1" }),
            ("resolver", { $0.resolver = .custom { _ in NameResolver.Answer([]) } }),
            ("Unix socket", { $0.unixSocket = "/tmp/socket" }), ("family", { $0.addressFamily = .ipv4 }),
            ("addresses", { $0.allowedAddresses = .publicOnly }), ("interface", { $0.interface = "lo" }),
        ]
        var keys: Set<ConnectionKey> = [
            try key(), try key("https://b.example"), try key("https://a.example:8443"), try key("http://a.example:443"),
            try key(proxy: "http://p.example"), try key(proxy: "http://user:a@p.example"),
            try key(proxy: "http://user:b@p.example"), try key(proxy: "https://p.example"),
        ]
        #expect(keys.count == 8)
        for (name, change) in changes {
            let other = try key("https://a.example", change)
            #expect(keys.insert(other).inserted, "\(name)")
        }
        // Equal settings in two objects make equal keys.
        #expect(try key() == key() && key { $0.interface = "lo" } == key { $0.interface = "lo" })
        #expect(try !keys.insert(key()).inserted)
    }

    @Test func `only an HTTP proxy forwards, and only http`() throws {
        #expect(try key("http://a.example", proxy: "http://p.example").isForwarded)
        #expect(try key("http://a.example", proxy: "https://p.example").isForwarded)
        #expect(try !key("https://a.example", proxy: "http://p.example").isForwarded)
        #expect(try !key("http://a.example", proxy: "socks5://p.example").isForwarded)
        #expect(try !key("http://a.example").isForwarded)
    }

    @Test func `a socket is encrypted to the origin or to the proxy`() throws {
        #expect(try key().isEncrypted && key("http://a.example", proxy: "https://p.example").isEncrypted)
        #expect(
            try !key("http://a.example").isEncrypted && !key("http://a.example", proxy: "http://p.example").isEncrypted)
    }

    @Test func `a connection may carry several exchanges if HTTP/2 is possible`() throws {
        #expect(try key().mayShare && !key("http://a.example").mayShare && !key { $0.httpVersion = .http11 }.mayShare)
        #expect(try key("http://a.example") { $0.httpVersion = .http2 }.mayShare)
    }
}

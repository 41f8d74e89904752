// AllowedAddressTests: connection.allowedAddresses: the addresses to which the client may connect, at every hop.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct AllowedAddressTests {
    @Test(arguments: ["http://127.0.0.1", "http://localhost", "http://[::1]", "http://name.example"])
    func `BAD-INPUT 27: the address that a name leads to is asked about`(_ url: String) async throws {
        try await serving(.start()) { server, client in
            let view = client.with {
                $0.connection.allowedAddresses = .publicOnly
                $0.connection.resolve = hosts(["name.example"], at: server)
            }
            let error = try await failure { try await view.get(url: "\(url):\(server.port)/") }
            #expect(error.kind == .connectionFailed && error.reason.contains("allowedAddresses"), "\(error)")
            #expect(server.acceptedConnections == 0)
            // The same client without the rule gets there, because the pool keeps the connections apart.
            #expect(try await client.get("x").status == .ok)
            let again = try await failure { try await view.get(url: "\(url):\(server.port)/") }
            #expect(again.kind == .connectionFailed)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `BAD-INPUT 27: every hop of a redirect is asked about`() async throws {
        let inner = try await ScriptedServer.start()
        try await serving(inner) { inner, _ in
            let outer = try await ScriptedServer.start(replies: [.redirect(to: "http://localhost:\(inner.port)/secret")]
            )
            let (outerPort, asked) = (outer.port, Log<String>())
            try await serving(outer, base: "http://127.0.0.1:\(outerPort)") {
                $0.connection.allowedAddresses = .only { address in
                    asked.add(address.text)
                    // The second hop's name leads here as well, but its first address is not allowed.
                    return asked.all.count == 1
                }
            } _: { _, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .connectionFailed && error.reason.contains("allowedAddresses"), "\(error)")
                #expect(asked.all.first == "127.0.0.1" && asked.all.count > 1)
            }
            #expect(inner.acceptedConnections == 0)
        }
    }

    @Test func `only what is allowed of several addresses is tried`() async throws {
        let server = try await ScriptedServer.start()
        let book = NameBook(["192.0.2.1", "127.0.0.1"])
        try await serving(server, base: "http://name.example:\(server.port)") {
            $0.connection.resolver = book.resolver
            $0.connection.allowedAddresses = .only { $0.isLoopback }
        } _: { _, client in
            let connection = try await client.get("x").connection
            #expect(connection?.remoteAddress == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `a proxy is asked about, and a literal behind it`() async throws {
        try await serving(.start()) { server, client in
            let view = client.with {
                $0.connection.proxy = .url("http://127.0.0.1:\(server.port)")
                $0.connection.allowedAddresses = .only { $0.text == "127.0.0.1" }
            }
            #expect(try await view.get(url: "http://a.example/").status == .ok)
            for url in ["http://192.0.2.1/", "http://0xc0000201/"] {
                let literal = try await failure { try await view.get(url: url) }
                #expect(literal.reason.contains("allowedAddresses"), "\(literal)")
            }
            // The proxy receives the addresses that `resolve` names.
            let named = view.with {
                $0.connection.resolve["inner.example"] = "10.0.0.1"
                $0.connection.allowedAddresses = .only { $0.text == "127.0.0.1" }
            }
            let inner = try await failure { try await named.get(url: "https://inner.example/") }
            #expect(inner.reason.contains("10.0.0.1"), "\(inner)")
            let none = try await failure {
                try await view.with { $0.connection.allowedAddresses = .publicOnly }.get(url: "http://b.example/")
            }
            #expect(none.reason.contains("allowedAddresses"), "\(none)")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [("localhost", 2), ("a.localhost", 2), ("a.example", 1)])
    func `behind a proxy, names of this machine are asked about besides the proxy`(_ host: String, _ asks: Int)
        async throws
    {
        try await serving(.start()) { server, client in
            let asked = Log<String>()
            let view = client.with {
                $0.connection.proxy = .url("http://127.0.0.1:\(server.port)")
                $0.connection.allowedAddresses = .only { address in
                    asked.add(address.text)
                    return true
                }
            }
            let response = try await view.get(url: "http://\(host)/")
            #expect(response.status == .ok)
            #expect(asked.all == Array(repeating: "127.0.0.1", count: asks))
            let refused = client.with {
                $0.connection.proxy = .url("http://127.0.0.1:\(server.port)")
                $0.connection.allowedAddresses = .only { _ in
                    asked.add("")
                    // The proxy's own address, which is checked last, would be allowed.
                    return asked.all.count > asks + 1
                }
            }
            let error = await callError { _ = try await refused.get(url: "http://\(host)/") }
            #expect(error?.reason.contains("allowedAddresses") == true, "\(String(describing: error))")
        }
    }
}

// PinTests: tls.pins: the keys that a host must have, independent of all other verification.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// Pins, and whether they let a client reach a host.
struct PinCase: Sendable, CustomTestStringConvertible {
    let name: String
    var host = "api.example.com"
    let passes: Bool
    /// Receives the pins of the server's key and of another key.
    let pins: @Sendable (_ right: String, _ wrong: String) -> [String: PinnedKeys]

    var testDescription: String { name }

    /// The pin of no existing key.
    private static let nobody = "sha256/" + String(repeating: "A", count: 43) + "="

    static let all = [
        PinCase(name: "the pin", passes: true) { ["api.example.com": PinnedKeys($0, backup: $1)] },
        PinCase(name: "the backup", passes: true) { ["api.example.com": PinnedKeys($1, backup: $0)] },
        PinCase(name: "one more", passes: true) {
            ["api.example.com": PinnedKeys($1, backup: Self.nobody, others: [$1, $0])]
        },
        PinCase(name: "no pin", passes: false) {
            ["api.example.com": PinnedKeys($1, backup: Self.nobody, others: [$1])]
        },
        PinCase(name: "another host's", passes: true) { ["www.example.com": PinnedKeys($1, backup: $1)] },
        PinCase(name: "an address", host: "127.0.0.1", passes: false) { ["127.0.0.1": PinnedKeys($1, backup: $1)] },

        PinCase(name: "all below", passes: true) { ["*.example.com": PinnedKeys($0, backup: $1)] },
        PinCase(name: "all below, wrong", passes: false) { ["*.example.com": PinnedKeys($1, backup: $1)] },
        PinCase(name: "all far below, wrong", host: "a.b.c.example.com", passes: false) {
            ["*.example.com": PinnedKeys($1, backup: $1)]
        },
        PinCase(name: "not the name itself", host: "example.com", passes: true) {
            ["*.example.com": PinnedKeys($1, backup: $1)]
        },
        PinCase(name: "not a name that only ends so", host: "badexample.com", passes: true) {
            ["*.example.com": PinnedKeys($1, backup: $1)]
        },
        PinCase(name: "the own name counts more", passes: true) {
            ["*.example.com": PinnedKeys($1, backup: $1), "api.example.com": PinnedKeys($0, backup: $1)]
        },
        PinCase(name: "the own name counts more, wrong", passes: false) {
            ["*.example.com": PinnedKeys($0, backup: $0), "api.example.com": PinnedKeys($1, backup: $1)]
        },
        PinCase(name: "the nearest name counts", host: "a.api.example.com", passes: false) {
            ["*.example.com": PinnedKeys($0, backup: $0), "*.api.example.com": PinnedKeys($1, backup: $1)]
        },

        PinCase(name: "with the root's dot", passes: false) { ["api.example.com.": PinnedKeys($1, backup: $1)] },
        PinCase(name: "with a dot of another script", passes: false) {
            ["api.example.com\u{3002}": PinnedKeys($1, backup: $1)]
        },
        PinCase(name: "a host in capitals", passes: false) { ["API.Example.COM": PinnedKeys($1, backup: $1)] },
        PinCase(name: "all below, in capitals", passes: false) { ["*.EXAMPLE.com": PinnedKeys($1, backup: $1)] },
    ]
}

@Suite(.timeLimit(.minutes(1))) struct PinTests {
    private static let wrong = Result { try TLSIdentity.selfSigned.pin }

    @Test(arguments: PinCase.all)
    func `a host is reached if its key is pinned, or if nothing is pinned for it`(_ row: PinCase) async throws {
        let (right, wrong) = (try TLSIdentity.localhost.pin, try Self.wrong.get())
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server) {
            $0.connection.resolve = hosts(["\(row.host):443"], at: server)
            $0.connection.tls.verification = .dangerouslyOff
            $0.connection.tls.pins = row.pins(right, wrong)
        } _: { server, client in
            let request = Request(.post, url: "https://\(row.host)/", body: .text("secret"))
            if row.passes {
                #expect(try await client.send(request).status == .ok)
                return
            }
            let error = try await failure { try await client.send(request) }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.phase == .securing)
            // The error shows the host's actual pin, for operators who changed the key.
            #expect(error.reason.contains(row.host) && error.reason.contains(right), "\(error)")
            #expect(error.advice?.contains("tls.pins") == true)
            // The handshake was complete, but no byte of the request followed.
            try await server.waitUntil(openConnections: 0)
            #expect(server.acceptedConnections == 1 && server.requests.isEmpty)
        }
    }

    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `BAD-INPUT 32: pins hold beside verification, and each alone refuses`(
        _ version: TLSIdentity.Version
    ) async throws {
        let (right, wrong) = (try TLSIdentity.localhost.pin, try Self.wrong.get())
        let server = try await ScriptedServer.start(tls: .localhost.with(versions: version...version))
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let pinned = client.with { $0.connection.tls.pins["localhost"] = PinnedKeys(right, backup: wrong) }
            #expect(try await pinned.get("x").status == .ok)
            let strangers = client.with { $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: wrong) }
            let mistaken = try await failure { try await strangers.get("x") }
            #expect(mistaken.kind == .tls && mistaken.reason.contains("not pinned"), "\(mistaken)")
            #expect(server.requests.count == 1)
        }
        // A pinned key does not replace a valid certificate.
        let other = try await ScriptedServer.start(tls: .selfSigned)
        try await serving(other, base: other.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: right)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls && error.reason.contains("not trusted"), "\(error)")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `BAD-INPUT 32: a connection that was made without pins is none for a view that has them`() async throws {
        let wrong = try Self.wrong.get()
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            for index in 0..<3 {
                #expect(try await client.get("x").connection?.isReused == (index > 0))
                let error = try await failure {
                    try await client.with { $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: wrong) }
                        .get("x")
                }
                #expect(error.kind == .tls && error.reason.contains("not pinned"), "\(error)")
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func `pins are compared before the user's own check is asked`() async throws {
        let wrong = try Self.wrong.get()
        let asked = Log<String>()
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: wrong)
            $0.connection.tls.check = TLSCheck { host, _ in asked.add(host) }
        } _: { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.reason.contains("not pinned"), "\(error)")
            #expect(asked.all.isEmpty)
        }
    }

    @Test func `the pin that a response tells is the one that lets its host pass`() async throws {
        let server = try await ScriptedServer.start(tls: .selfSigned)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.verification = .dangerouslyOff }) {
            _, client in
            let told = try #require(try await client.get("x").connection?.tls?.certificate?.publicKeyPin)
            let pin = try TLSIdentity.selfSigned.pin
            #expect(told == pin)
            let wrong = try Self.wrong.get()
            let pinned = client.with { $0.connection.tls.pins["localhost"] = PinnedKeys(told, backup: wrong) }
            #expect(try await pinned.get("x").status == .ok)
        }
    }

    @Test(arguments: [
        "https://localhost", "localhost:443", "localhost/", "*", "*.*.example", "", "a b", "me@localhost", "[::1]:443",
    ])
    func `BAD-INPUT 32: a pin that is filed under no host fails every call rather than protect nobody`(
        _ name: String
    ) async throws {
        let wrong = try Self.wrong.get()
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.pins[name] = PinnedKeys(wrong, backup: wrong)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest && error.reason.contains("tls.pins"), "\(error)")
            #expect(error.advice?.contains("host alone") == true)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: [
        "", "what", "sha256/", "sha1/" + String(repeating: "A", count: 43) + "=",
        "sha256/" + String(repeating: "é", count: 44),
        " sha256/" + String(repeating: "A", count: 43) + "=", "sha256/" + String(repeating: "A", count: 43) + "=\n",
        "sha256/" + String(repeating: "A", count: 43), "sha256/" + String(repeating: "A", count: 42) + "==",
    ])
    func `BAD-INPUT 32: what is no pin fails every call`(_ pin: String) async throws {
        let wrong = try Self.wrong.get()
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: pin)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest && error.reason.contains("invalid pin"), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a pin without its algorithm is one of SHA-256, as openssl prints it`() async throws {
        let bare = String(try TLSIdentity.localhost.pin.dropFirst("sha256/".count))
        let wrong = String(try Self.wrong.get().dropFirst("sha256/".count))
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let pinned = client.with { $0.connection.tls.pins["LOCALHOST."] = PinnedKeys(bare, backup: wrong) }
            #expect(try await pinned.get("x").status == .ok)
            let error = try await failure {
                try await client.with { $0.connection.tls.pins["localhost"] = PinnedKeys(wrong, backup: wrong) }.get(
                    "x")
            }
            #expect(error.kind == .tls, "\(error)")
        }
    }
}

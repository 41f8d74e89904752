// ScriptedServerTLSTests: the server under TLS: its identity, and the ends of its connections.

import Testing
import TsubameTesting

@Suite struct ScriptedServerTLSTests {
    private let roots = TestCertificates.authorityPEM
    private let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(arguments: [nil, "localhost"])
    func `is trusted as localhost by name and by address`(name: String?) async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in .ok("secure") }.use { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let client = try await RawClient.connect(to: server, tls: roots, name: name)
            try await client.send(request)
            #expect(try await client.received(endingIn: "secure").hasPrefix("HTTP/1.1 200 OK"))
            let request = try await server.request(0)
            #expect(request.serverName == name)
            #expect(request.tlsVersion == "TLS 1.3")
            await client.close()
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `speaks the versions that it is told to`() async throws {
        let identity = TLSIdentity.localhost.with(versions: .tls12 ... .tls12)
        try await ScriptedServer.start(tls: identity).use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await client.send(request)
            #expect(try await server.request(0).tlsVersion == "TLS 1.2")
            await client.close()
        }
    }

    @Test(arguments: [TLSIdentity.expired, .selfSigned])
    func `is refused when expired or unknown`(identity: TLSIdentity) async throws {
        try await ScriptedServer.start(tls: identity).use { server in
            let client = try await RawClient.connect(to: server, tls: roots, name: "localhost")
            guard case .failed(let text) = try await client.end() else {
                Issue.record("the handshake was accepted")
                return
            }
            #expect(text.contains("CERTIFICATE_VERIFY_FAILED"))
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `is refused under a name that it is not for, and trusted under its own`() async throws {
        try await ScriptedServer.start(tls: .wrongHost).use { server in
            for name in ["localhost", nil] {
                let client = try await RawClient.connect(to: server, tls: roots, name: name)
                guard case .failed = try await client.end() else {
                    Issue.record("a certificate for wrong.host was accepted for \(name ?? "127.0.0.1")")
                    return
                }
            }
            let client = try await RawClient.connect(to: server, tls: roots, name: "wrong.host")
            try await client.send(request)
            #expect(try await server.request(0).serverName == "wrong.host")
            await client.close()
        }
    }

    @Test func `close says goodbye`() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in [.bytes("all"), .close] }.use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await client.send(request)
            #expect(try await client.receivedAll() == "all")
            await client.close()
            #expect(try await client.end() == .closed)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `cutOff does not say goodbye`() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in [.bytes("part"), .cutOff] }.use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await client.send(request)
            #expect(try await client.end() == .truncated)
            #expect(client.text == "part")
        }
    }

    @Test func `reset passes beneath TLS`() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in .reset }.use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await client.send(request)
            #expect(try await client.end() == .reset)
        }
    }

    @Test(arguments: [Reply.close, [.cutOff], .reset])
    func `a connection can end before the handshake`(reply: Reply) async throws {
        try await ScriptedServer.start(tls: .localhost, onConnect: { _ in reply }).use { server in
            // A reset may arrive before the client knows that it is connected.
            let client = try? await RawClient.connect(to: server, tls: roots)
            if let client, case .closed = try await client.end() { Issue.record("there was a goodbye") }
            try await server.waitUntil(acceptedConnections: 1)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a body is held back by a client that does not read`() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in .stream(nil) }.use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await client.send(request)
            try await server.waitUntil(sentBodyBytes: 4 << 20)
            try await client.pauseReading()
            try await server.waitUntilBlocked(for: .milliseconds(50))
            #expect(client.bytes.count > 1 << 20)
            #expect(server.sentBodyBytes - client.bytes.count < 4 << 20)
            await server.stop()
            #expect(server.openConnections == 0)
            await client.close()
        }
    }

    @Test func `a handshake that is never answered ends with stop`() async throws {
        try await ScriptedServer.start(onConnect: { _ in [.stall] }).use { server in
            let client = try await RawClient.connect(to: server, tls: roots)
            try await server.waitUntil(openConnections: 1)
            await server.stop()
            #expect(try await client.end() != .closed)
        }
    }

    @Test func `an identity that is none is refused at once`() async throws {
        await #expect(throws: (any Error).self) {
            _ = try await ScriptedServer.start(tls: TLSIdentity(certificatesPEM: "x", privateKeyPEM: "y"))
        }
    }
}

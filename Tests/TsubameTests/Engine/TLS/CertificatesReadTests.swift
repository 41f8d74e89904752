// CertificatesReadTests: the certificates of a server, read without a request.

import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CertificatesReadTests {
    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `the certificates of a server are read without a request, and of one that is not trusted, too`(
        _ version: TLSIdentity.Version
    ) async throws {
        try await serving(.start(tls: .localhost.with(versions: version...version))) { server, stranger in
            let certificates = try await stranger.certificates()
            #expect(certificates.count == 1 && certificates.first?.publicKeyPin.hasPrefix("sha256/") == true)
            let unverified = stranger.with { $0.connection.tls.verification = .dangerouslyOff }
            #expect(try await unverified.certificates().map(\.der) == certificates.map(\.der))
            // The client itself trusts the server no more than before.
            let refusal = try await failure { try await stranger.get("x") }
            let requests = await server.requests
            #expect(refusal.kind == .tls && requests.isEmpty)
        }
    }

    @Test func `limits of connections do not keep certificates from being read`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(
            server,
            {
                $0.connection.connections = 1
                $0.connection.connectionsPerOrigin = 1
                $0.connection.tls.verification = .dangerouslyOff
            }
        ) { server, client in
            _ = try await client.get("x")
            async let first = client.certificates()
            async let second = client.certificates()
            #expect(try await first.count == 1)
            #expect(try await second.count == 1)
        }
    }

    @Test func `only a server that speaks TLS has certificates`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in .bytes("HTTP/1.1 400 Bad Request\r\n\r\n") })
        try await serving(server) { server, client in
            let plain = try await failure { try await client.certificates() }
            #expect(plain.kind == .invalidRequest)
            let secure = server.url.replacing("http://", with: "https://")
            let silent = try await failure { try await client.certificates(of: secure) }
            #expect(silent.kind == .tls)
        }
        let stub = Client("https://a.example", transport: StubTransport())
        let unsupported = try await failure { try await stub.certificates() }
        #expect(unsupported.kind == .unsupported)
    }
}

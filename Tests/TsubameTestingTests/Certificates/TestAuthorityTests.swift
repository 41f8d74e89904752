// TestAuthorityTests: certificates that are made while a test runs.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct TestAuthorityTests {
    /// The error of a call to `host`, which resolves to the server; nil if it succeeds.
    private func error(
        _ identity: TLSIdentity, trusting authority: TestAuthority, host: String = "127.0.0.1",
        _ configure: @escaping (inout Configuration) -> Void = { _ in }
    ) async throws -> CallError? {
        try await ScriptedServer.start(tls: identity).use { server in
            try await withClient(
                "https://\(host):\(server.port)",
                {
                    $0.connection.tls.roots = .pem(authority.certificatePEM)
                    $0.connection.resolve = ["api.example.com": "127.0.0.1"]
                    configure(&$0)
                }
            ) { client in
                do throws(CallError) {
                    _ = try await client.get("")
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    @Test func `a certificate is good for its names alone`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.identity(for: ["api.example.com"])
        #expect(try await error(identity, trusting: authority, host: "api.example.com") == nil)
        #expect(try await error(identity, trusting: authority)?.kind == .tls)
        #expect(try await error(identity, trusting: TestAuthority(), host: "api.example.com")?.kind == .tls)
    }

    @Test func `a certificate is good in its time alone`() async throws {
        let authority = try TestAuthority()
        let expired = try authority.identity(from: .seconds(-100), until: .seconds(-50))
        #expect(try await error(expired, trusting: authority)?.reason.contains("expired") == true)
        let future = try authority.identity(from: .seconds(1_000), until: .seconds(2_000))
        #expect(try await error(future, trusting: authority)?.kind == .tls)
        #expect(try await error(authority.identity(), trusting: authority) == nil)
    }

    @Test func `a client shows the certificate that the server asks for`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.identity().with(clientAuthorityPEM: authority.certificatePEM)
        #expect(try await error(identity, trusting: authority) != nil)
        let shown = try authority.clientCertificate(named: "swallow")
        let failure = try await error(identity, trusting: authority) {
            $0.connection.tls.identity = .pem(certificate: shown.certificatePEM, key: shown.privateKeyPEM)
        }
        #expect(failure == nil)
    }
}

// KeyLengthTests: tls.minimumRSABits refuses servers whose RSA key is too short.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct KeyLengthTests {
    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `FAULT 7, BAD-INPUT 31: an RSA key under 2048 bits is refused, and the error says so`(
        _ version: TLSIdentity.Version
    ) async throws {
        let server = try await ScriptedServer.start(tls: .weak.with(versions: version...version))
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .pem(WeakCertificate.authorityPEM)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.phase == .securing)
            #expect(error.reason.contains("an RSA key of 1024 bits, and at least 2048 are required"), "\(error)")
            #expect(error.advice?.contains("tls.minimumRSABits") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `FAULT 7: a shorter key is accepted where the setting allows it, or where nothing is verified`()
        async throws
    {
        let server = try await ScriptedServer.start(tls: .weak)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .pem(WeakCertificate.authorityPEM)
            $0.connection.tls.minimumRSABits = 1024
        } _: { _, client in
            let allowed = try await client.get("x")
            #expect(allowed.status == .ok)
            let unverified = try await client.with {
                $0.connection.tls.minimumRSABits = 2048
                $0.connection.tls.verification = .dangerouslyOff
            }.get("x")
            #expect(unverified.status == .ok)
            let error = try await failure {
                try await client.with { $0.connection.tls.minimumRSABits = 1025 }.get("x")
            }
            #expect(error.kind == .tls, "\(error)")
        }
    }
}

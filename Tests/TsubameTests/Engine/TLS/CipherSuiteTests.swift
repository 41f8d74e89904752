// CipherSuiteTests: the cipher suites that tls.cipherSuites offers, and their names.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CipherSuiteTests {
    private typealias CipherSuite = ConnectionSettings.TLS.CipherSuite

    @Test func `only the named suites are offered, and each can be`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost.with(versions: .tls12 ... .tls12))
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            _, client in
            var used: [String] = []
            for suite in CipherSuite.all {
                let view = client.with { $0.connection.tls.cipherSuites = [suite] }
                do throws(CallError) {
                    let name = try await view.get("x").connection?.tls?.cipherSuite
                    #expect(name == suite.name)
                    used.append(suite.name)
                } catch {
                    // The server has no such suite, or its key is of another kind.
                    #expect(error.kind == .tls, "\(suite): \(error)")
                }
            }
            #expect(used.contains { $0.contains("AES_128_GCM") } && used.contains { $0.contains("AES_256_GCM") })
            #expect(used.count < CipherSuite.all.count)
        }
    }

    @Test func `TLS 1_3 has its own suites, and an empty list offers none`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.cipherSuites = [CipherSuite.all[0]]
        } _: { server, client in
            let tls = try await client.get("x").connection?.tls
            #expect(tls?.version == "TLS 1.3")
            let error = try await failure {
                try await client.with { $0.connection.tls.cipherSuites = [] }.get("x")
            }
            #expect(error.kind == .tls && error.reason == "connection.tls.cipherSuites is empty", "\(error)")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a suite has a registered name and one of OpenSSL`() {
        #expect(CipherSuite("ecdhe-rsa-aes128-gcm-sha256")?.number == 0xC02F)
        #expect(CipherSuite("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")?.openSSLName == "ECDHE-RSA-AES128-GCM-SHA256")
        #expect(CipherSuite("TLS_AES_128_GCM_SHA256") == nil && CipherSuite("HIGH") == nil && CipherSuite("") == nil)
        #expect(Set(CipherSuite.all.map(\.number)).count == CipherSuite.all.count)
        #expect("\(CipherSuite.all[0])" == CipherSuite.all[0].name)
    }
}

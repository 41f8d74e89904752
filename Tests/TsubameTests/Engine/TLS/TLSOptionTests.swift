// TLSOptionTests: TLS options: versions, reported details, and that views do not share connections across different
// settings.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// A change of the TLS options, under which the client still trusts the test's server.
struct TLSDifference: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (inout ConnectionSettings.TLS) -> Void

    var testDescription: String { name }

    static let all = [
        TLSDifference(name: "verification") { $0.verification = .dangerouslyOff },
        TLSDifference(name: "roots") { $0.roots = .pem(TestCertificates.authorityPEM + "\n") },
        TLSDifference(name: "minimumVersion") { $0.minimumVersion = .tls13 },
        TLSDifference(name: "maximumVersion") { $0.maximumVersion = .tls12 },
        TLSDifference(name: "cipherSuites") { $0.cipherSuites = ConnectionSettings.TLS.CipherSuite.all },
        TLSDifference(name: "minimumRSABits") { $0.minimumRSABits = 3072 },
        TLSDifference(name: "identity") { $0.identity = .client },
        TLSDifference(name: "pins") {
            $0.pins = [
                "other.example": PinnedKeys(
                    String(repeating: "A", count: 43) + "=", backup: String(repeating: "B", count: 43) + "=")
            ]
        },
        TLSDifference(name: "check") { $0.check = TLSCheck { _, _ in } },
        TLSDifference(name: "keyLogFile") { $0.keyLogFile = "/dev/null" },
    ]
}

@Suite(.timeLimit(.minutes(1))) struct TLSOptionTests {
    // MARK: Versions

    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `BAD-INPUT 31: a server without a version that the client allows is refused, and the error says so`(
        _ version: TLSIdentity.Version
    ) async throws {
        let server = try await ScriptedServer.start(tls: .localhost.with(versions: version...version))
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            if version == .tls12 {
                $0.connection.tls.minimumVersion = .tls13
            } else {
                $0.connection.tls.maximumVersion = .tls12
            }
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.phase == .securing)
            #expect(error.reason.contains("no version of TLS in common"), "\(error)")
            #expect(error.advice?.contains("tls.minimumVersion") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `no later version is spoken than the client allows`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let newest = try await client.get("x")
            #expect(newest.connection?.tls?.version == "TLS 1.3")
            let older = try await client.with { $0.connection.tls.maximumVersion = .tls12 }.get("x")
            #expect(older.connection?.tls?.version == "TLS 1.2")
            #expect(server.requests.map(\.tlsVersion) == ["TLS 1.3", "TLS 1.2"])
        }
    }

    @Test func `a minimum above the maximum is an invalid request, and nobody is connected to`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.minimumVersion = .tls13
            $0.connection.tls.maximumVersion = .tls12
        } _: { server, client in
            for _ in 0..<2 {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .invalidRequest, "\(error)")
                #expect(error.reason.contains("tls.minimumVersion") && error.reason.contains("tls.maximumVersion"))
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    // MARK: BAD-INPUT 32

    @Test(arguments: TLSDifference.all)
    func `BAD-INPUT 32: views that differ in how TLS is done share no connection, even to a server good for both`(
        _ difference: TLSDifference
    ) async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let first = try await client.get("x").connection
            let other = try await client.with { difference.change(&$0.connection.tls) }.get("x").connection
            let again = try await client.get("x").connection
            #expect(other?.id != first?.id && other?.isReused == false)
            #expect(again?.id == first?.id && again?.isReused == true)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `BAD-INPUT 32: a view of a careless view that verifies again finds no connection of the careless one`()
        async throws
    {
        let server = try await ScriptedServer.start(tls: .selfSigned)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.verification = .dangerouslyOff
        } _: { server, careless in
            let careful = careless.with { $0.connection.tls.verification = .full }
            for index in 0..<3 {
                #expect(try await careless.get("x").connection?.isReused == (index > 0))
                let error = try await failure { try await careful.get("x") }
                #expect(error.kind == .tls && error.reason.contains("not trusted"), "\(error)")
                // A view with another change does not share the connection either.
                let other = try await failure {
                    try await careful.with { $0.timeouts.total = .seconds(50) }.get("x")
                }
                #expect(other.kind == .tls)
            }
            #expect(Set(server.requests.map(\.connection)).count == 1)
        }
    }

    // MARK: Reported details

    @Test func `a response tells the version, the protocol and the certificate`() async throws {
        let (certificate, pin) = (try TLSIdentity.localhost.der, try TLSIdentity.localhost.pin)
        try await CertificateServer.start().serve {
            $0.connection.tls.roots = .authority
            $0.connection.tls.identity = .client
        } _: { _, client in
            let tls = try #require(try await client.get("x").connection?.tls)
            #expect(tls.version == "TLS 1.3")
            #expect(tls.applicationProtocol == "http/1.1")
            // The certificate is the server's, not the client's.
            #expect(tls.certificate.map { Array($0.der) } == certificate)
        }
        // This server does not use ALPN.
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let tls = try #require(try await client.get("x").connection?.tls)
            #expect(tls.applicationProtocol == nil)
            #expect(tls.certificate.map { Array($0.der) } == certificate)
            #expect(tls.certificate?.publicKeyPin == pin)
        }
        let plain = try await ScriptedServer.start()
        try await serving(plain) { _, client in
            let connection = try #require(try await client.get("x").connection)
            #expect(connection.tls == nil)
        }
    }

    @Test func `a server that shares no protocol with the client is spoken to all the same`() async throws {
        try await CertificateServer.start(protocols: ["spdy/3"]).serve {
            $0.connection.tls.roots = .authority
            $0.connection.tls.identity = .client
        } _: { _, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes("ok"))
            #expect(response.connection?.tls?.applicationProtocol == nil)
        }
    }

    @Test func `observers are told of TLS once there is something to tell`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) { _, client in
            let log = EventLog()
            let observation = log.observe(client)
            let response = try await client.get("x")
            var told: [String?] = []
            for event in log.events {
                switch event.kind {
                case .connected(let info), .secured(let info):
                    #expect(info.id == response.connection?.id)
                    told.append(info.tls?.version)
                default: break
                }
            }
            #expect(told == [nil, "TLS 1.3"])
            withExtendedLifetime(observation) {}
        }
    }
}

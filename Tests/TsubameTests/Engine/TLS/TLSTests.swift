// TLSTests: TLS: trusted servers, refused servers, and that one view's settings stay that view's.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

struct Untrusted: Sendable, CustomTestStringConvertible {
    let name: String
    let identity: TLSIdentity
    let roots: ConnectionSettings.TLS.Roots
    let words: String

    var testDescription: String { name }

    static let all = [
        Untrusted(name: "expired", identity: .expired, roots: .test, words: "expired on Sat, 01 Feb 2020 00:00:00"),
        Untrusted(name: "self-signed", identity: .selfSigned, roots: .test, words: "it is self-signed"),
        Untrusted(
            name: "another host's", identity: .wrongHost, roots: .test, words: "for wrong.host, not for localhost"),
        Untrusted(
            name: "an unknown authority's", identity: .localhost, roots: .system,
            words: "its issuer “Tsubame test authority” is unknown"),
    ]
}

extension ConnectionSettings.TLS.Roots {
    fileprivate static let test = Self.pem(TestCertificates.authorityPEM)
}

@Suite(.timeLimit(.minutes(2))) struct TLSTests {
    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `a server of a trusted authority is spoken to, by its name`(_ version: TLSIdentity.Version) async throws {
        let server = try await ScriptedServer.start(tls: .localhost.with(versions: version...version)) { _ in .ok("hi")
        }
        try await serving(server, { $0.connection.tls.roots = .test }) { server, client in
            for index in 0..<2 {
                let response = try await client.get(url: server.localhostURL)
                #expect(response.bytes == Bytes("hi"))
                #expect(response.connection?.tls?.version == (version == .tls12 ? "TLS 1.2" : "TLS 1.3"))
                #expect(response.connection?.isReused == (index > 0))
                #expect(try await server.request(index).serverName == "localhost")
            }
        }
    }

    @Test func `an address is no server name, and the certificate's addresses are checked`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, { $0.connection.tls.roots = .test }) { server, client in
            _ = try await client.get(url: server.url)
            #expect(try await server.request(0).serverName == nil)
        }
        // The certificate must match the URL's host, not the connected address, which behind a proxy is the proxy's.
        let elsewhere = try await ScriptedServer.start(tls: .localhost)
        try await serving(elsewhere, { $0.connection.tls.roots = .test }) { server, client in
            let view = client.with { $0.connection.resolve["192.0.2.1"] = "127.0.0.1:\(server.port)" }
            let error = try await failure { try await view.get(url: "https://192.0.2.1/") }
            #expect(error.kind == .tls && error.reason.contains("not for 192.0.2.1"), "\(error)")
            #expect(server.requests.isEmpty)
        }
        let other = try await ScriptedServer.start(tls: .wrongHost)
        try await serving(other, { $0.connection.tls.roots = .test }) { server, client in
            let error = try await failure { try await client.get(url: server.url) }
            #expect(error.kind == .tls)
            #expect(error.reason.contains("127.0.0.1"))
        }
    }

    @Test(arguments: Untrusted.all)
    func `BAD-INPUT 31: a certificate that is not good is refused, and the error says why`(
        _ row: Untrusted
    ) async throws {
        try await serving(
            try await ScriptedServer.start(tls: row.identity), { $0.connection.tls.roots = row.roots }
        ) { server, client in
            let error = try await failure { try await client.get(url: server.localhostURL) }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.phase == .securing)
            #expect(error.reason.contains(row.words), "\(error)")
            #expect(error.advice != nil)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `BAD-INPUT 31: a server that speaks no TLS is named so`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in
            [.bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .stall]
        })
        try await serving(server) { server, client in
            let error = try await failure { try await client.get(url: server.localhostURL) }
            #expect(error.kind == .tls)
            #expect(error.reason.contains("does not speak TLS"), "\(error)")
        }
    }

    @Test func `a server that hangs up in the handshake is an error of TLS`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in .close })
        try await serving(server) { server, client in
            let error = try await failure { try await client.get(url: server.localhostURL) }
            #expect(error.kind == .tls, "\(error)")
        }
    }

    @Test func `BAD-INPUT 32: checks that one view switches off stay on in every other`() async throws {
        let server = try await ScriptedServer.start(tls: .selfSigned) { _ in .ok("hi") }
        try await serving(server, { $0.connection.tls.roots = .test }) { server, client in
            let careless = client.with { $0.connection.tls.verification = .dangerouslyOff }
            for _ in 0..<3 {
                let refused = try await failure { try await client.get(url: server.localhostURL) }
                #expect(refused.kind == .tls)
                #expect(try await careless.get(url: server.localhostURL).bytes == Bytes("hi"))
                let other = try await failure {
                    try await client.with { $0.connection.tls.roots = .system }.get(url: server.localhostURL)
                }
                #expect(other.kind == .tls)
            }
            // The careless view's calls shared one connection; the other views never made one.
            #expect(Set(server.requests.map(\.connection)).count == 1)
            #expect(server.requests.count == 3)
        }
    }

    @Test func `views with equal settings share connections`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, { $0.connection.tls.roots = .test }) { server, client in
            _ = try await client.get(url: server.localhostURL)
            _ = try await client.with { $0.headers[.userAgent] = "other" }.get(url: server.localhostURL)
            _ = try await client.with { $0.connection.tls.roots = .test }.get(url: server.localhostURL)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `BAD-INPUT 11: a body of unknown length that is cut off without close_notify is an error`() async throws
    {
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            [.bytes("HTTP/1.1 200 OK\r\n\r\nhalf of it"), request.target == "/cut" ? .cutOff : .close]
        }
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .test }) { server, client in
            #expect(try await client.get("whole").bytes == Bytes("half of it"))
            let error = try await failure { try await client.get("cut") }
            #expect(error.kind == .tls, "\(error)")
            #expect(error.reason.contains("close_notify"))
            #expect(error.phase == .receivingBody)
        }
    }

    @Test func `a body of known length that is cut off is incomplete, and a whole one needs no close_notify`()
        async throws
    {
        let server = try await ScriptedServer.start(tls: .localhost) { request in
            let count = request.target == "/whole" ? 4 : 5
            return [.bytes("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\nbody"), .cutOff]
        }
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .test }) { server, client in
            #expect(try await client.get("whole").bytes == Bytes("body"))
            let error = try await failure { try await client.get("short") }
            #expect(error.kind == .incompleteResponse, "\(error)")
        }
    }
}

// CertificateReasonTests: the reason that an error gives for a refused certificate, in real handshakes with chains that
// have one fault each.
#if Server
import Crypto
import SwiftASN1
import Testing
import Tsubame
import TsubameTesting
import X509

/// A server's chain, the root that the client trusts, and the text that the error must contain.
struct FaultyChain: Sendable, CustomTestStringConvertible {
    let name: String
    let words: [String]
    /// Makes a new server identity and the root that the client trusts.
    let make: @Sendable () throws -> (TLSIdentity, root: IssuedCertificate)

    var testDescription: String { name }

    init(
        _ name: String, _ words: String...,
        make: @escaping @Sendable () throws -> (TLSIdentity, root: IssuedCertificate)
    ) {
        self.name = name
        self.words = words
        self.make = make
    }

    private static func leaf(
        of issuer: IssuedCertificate, _ names: GeneralName..., from start: Double = -2, to end: Double = 2
    ) throws -> IssuedCertificate {
        try issuer.issue(
            "localhost", from: start * IssuedCertificate.day, to: end * IssuedCertificate.day,
            { try IssuedCertificate.server(names.isEmpty ? [.dnsName("localhost")] : names) })
    }

    static let all = [
        FaultyChain("expired", "it expired on ") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, to: -1).identity(), root)
        },
        FaultyChain("not yet valid", "it is valid from ", " GMT on") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, from: 1).identity(), root)
        },
        FaultyChain("self-signed", "it is self-signed") {
            let own = try IssuedCertificate.root("localhost") { try IssuedCertificate.server() }
            return (try own.identity(), try .root())
        },
        FaultyChain("an unknown authority that is sent", "its authority “Other” is unknown") {
            let other = try IssuedCertificate.root("Other")
            return (try leaf(of: other).identity(with: other), try .root())
        },
        FaultyChain("a missing intermediate", "its issuer “Intermediate” is unknown, and the server sends no") {
            let root = try IssuedCertificate.root()
            let intermediate = try root.issue("Intermediate", { try IssuedCertificate.authority() })
            return (try leaf(of: intermediate).identity(), root)
        },
        FaultyChain("an expired intermediate", "that of its authority “Intermediate” expired on ") {
            let root = try IssuedCertificate.root()
            let intermediate = try root.issue(
                "Intermediate", to: -IssuedCertificate.day, { try IssuedCertificate.authority() })
            return (try leaf(of: intermediate).identity(with: intermediate), root)
        },
        FaultyChain("an issuer that is no authority", "“Nobody”, which issued a part of its chain, is no authority") {
            let root = try IssuedCertificate.root()
            let nobody = try root.issue("Nobody", { try IssuedCertificate.server() })
            return (try leaf(of: nobody).identity(with: nobody), root)
        },
        FaultyChain("a path that is too long", "its chain is too long: under “Short” there may be 0 more authorities") {
            let root = try IssuedCertificate.root()
            let short = try root.issue("Short") {
                try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                }
            }
            let below = try short.issue("Below", { try IssuedCertificate.authority() })
            return (try leaf(of: below).identity(with: below, short), root)
        },
        FaultyChain("a name outside its constraints", "“Narrow” may not speak for “localhost”") {
            let root = try IssuedCertificate.root()
            let narrow = try root.issue("Narrow") {
                try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(NameConstraints(permittedDNSDomains: ["example.com"]))
                }
            }
            return (try leaf(of: narrow).identity(with: narrow), root)
        },
        FaultyChain("a name that is excluded", "“Barred” may not speak for “localhost”") {
            let root = try IssuedCertificate.root()
            let barred = try root.issue("Barred") {
                try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(NameConstraints(excludedDNSDomains: ["localhost"]))
                }
            }
            return (try leaf(of: barred).identity(with: barred), root)
        },
        FaultyChain("a certificate for clients", "it is not for servers (its extended key usage)") {
            let root = try IssuedCertificate.root()
            let client = try root.issue("localhost") {
                try Certificate.Extensions {
                    try ExtendedKeyUsage([.clientAuth])
                    SubjectAlternativeNames([.dnsName("localhost")])
                }
            }
            return (try client.identity(), root)
        },
        FaultyChain("a forged signature", "a signature, a key or an algorithm in its chain is not accepted") {
            let root = try IssuedCertificate.root()
            return (try root.forge("localhost").identity(), root)
        },
        FaultyChain("a Common Name alone", "it has no subjectAltName (its Common Name localhost does not count)") {
            let root = try IssuedCertificate.root()
            return (try root.issue("localhost", { try IssuedCertificate.server([]) }).identity(), root)
        },
        FaultyChain("another host", "is for a.example, b.example, not for localhost") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, .dnsName("a.example"), .dnsName("b.example")).identity(), root)
        },
        FaultyChain("an asterisk within a label", "is for l*calhost, not for localhost") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, .dnsName("l*calhost")).identity(), root)
        },
        FaultyChain("an asterisk for everything", "is for *, not for localhost") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, .dnsName("*")).identity(), root)
        },
        FaultyChain("a name with a NUL", "not for localhost") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, .dnsName("localhost\0.evil.example")).identity(), root)
        },
        FaultyChain("an asterisk for several labels", "not for localhost") {
            let root = try IssuedCertificate.root()
            return (try leaf(of: root, .dnsName("*.*"), .dnsName("*.localhost")).identity(), root)
        },
        FaultyChain("two faults", "it expired on ", "; it is self-signed") {
            let own = try IssuedCertificate.root("localhost", to: -IssuedCertificate.day) {
                try IssuedCertificate.server()
            }
            return (try own.identity(), try .root())
        },
    ]
}

@Suite(.timeLimit(.minutes(2))) struct CertificateReasonTests {
    @Test(arguments: FaultyChain.all)
    func `BAD-INPUT 31: the error says what is wrong with the certificate`(_ chain: FaultyChain) async throws {
        let (identity, root) = try chain.make()
        let server = try await ScriptedServer.start(tls: identity)
        try await server.use { server in
            let client = Client { $0.connection.tls.roots = .pem((try? root.pem) ?? "") }
            let error = await #expect(throws: CallError.self) {
                _ = try await client.get(url: "https://localhost:\(server.port)/")
            }
            #expect(error?.kind == .tls, "\(String(describing: error))")
            for words in chain.words { #expect(error?.reason.contains(words) == true, "\(String(describing: error))") }
            #expect(error?.advice != nil)
            #expect(server.requests.isEmpty)
            await client.close()
        }
    }

    @Test func `below a trusted authority the reason needs no second handshake`() async throws {
        let root = try IssuedCertificate.root()
        let server = try await ScriptedServer.start(tls: try root.forge("localhost").identity())
        try await server.use { server in
            let client = Client { $0.connection.tls.roots = .pem((try? root.pem) ?? "") }
            await #expect(throws: CallError.self) { _ = try await client.get(url: "https://localhost:\(server.port)/") }
            #expect(server.acceptedConnections == 1)
            await client.close()
        }
    }

    @Test func `a chain that is in order is not refused, in whatever order it is sent`() async throws {
        let root = try IssuedCertificate.root()
        let first = try root.issue("First", { try IssuedCertificate.authority() })
        let second = try first.issue("Second", { try IssuedCertificate.authority() })
        let leaf = try second.issue("localhost", { try IssuedCertificate.server() })
        let server = try await ScriptedServer.start(tls: try leaf.identity(with: first, second)) { _ in .ok("hi") }
        try await server.use { server in
            let client = Client { $0.connection.tls.roots = .pem((try? root.pem) ?? "") }
            let text = try await client.get(url: "https://localhost:\(server.port)/").text()
            #expect(text == "hi")
            await client.close()
        }
    }

    @Test func `BAD-INPUT 31: an address that stands among the names is not one`() async throws {
        let root = try IssuedCertificate.root()
        let leaf = try root.issue("localhost", { try IssuedCertificate.server([.dnsName("127.0.0.1")]) })
        let server = try await ScriptedServer.start(tls: try leaf.identity())
        try await server.use { server in
            let client = Client { $0.connection.tls.roots = .pem((try? root.pem) ?? "") }
            let error = await #expect(throws: CallError.self) { _ = try await client.get(url: server.url) }
            #expect(
                error?.kind == .tls && error?.reason.contains("not for 127.0.0.1") == true,
                "\(String(describing: error))")
            await client.close()
        }
    }
}
#endif

// ClientCertificateTests: client certificates: sent to servers that ask, read from their sources, with errors for
// unreadable ones.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

/// A way to give a client its identity.
struct IdentitySource: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (URL) throws -> ConnectionSettings.TLS.Identity

    var testDescription: String { name }

    /// Writes the texts into the folder.
    private static func files(_ folder: URL, _ certificate: String, _ key: String) throws -> (String, String) {
        let (first, second) = (folder.appending(path: "client.pem"), folder.appending(path: "client.key"))
        try Data(certificate.utf8).write(to: first)
        try Data(key.utf8).write(to: second)
        return (first.path, second.path)
    }

    static let all = [
        IdentitySource(name: "texts") { _ in .client },
        IdentitySource(name: "files") { folder in
            let (certificate, key) = try Self.files(folder, ClientCertificate.pem, ClientCertificate.keyPEM)
            return .files(certificate: certificate, key: key)
        },
        IdentitySource(name: "texts with a passphrase") { _ in
            .pem(
                certificate: ClientCertificate.pem, key: ClientCertificate.encryptedKeyPEM,
                passphrase: ClientCertificate.passphrase)
        },
        IdentitySource(name: "files with a passphrase") { folder in
            let (certificate, key) = try Self.files(folder, ClientCertificate.pem, ClientCertificate.encryptedKeyPEM)
            return .files(certificate: certificate, key: key, passphrase: ClientCertificate.passphrase)
        },
    ]
}

/// Files of which one is faulty.
struct BadIdentity: Sendable, CustomTestStringConvertible {
    let name: String
    /// nil if there is no such file.
    let certificate: String?
    let key: String?
    var passphrase: String?
    /// The file that the error must name.
    let culprit: String

    var testDescription: String { name }

    static let all = [
        BadIdentity(name: "no certificate", certificate: nil, key: ClientCertificate.keyPEM, culprit: "client.pem"),
        BadIdentity(name: "no key", certificate: ClientCertificate.pem, key: nil, culprit: "client.key"),
        BadIdentity(
            name: "a certificate that is none", certificate: "no certificate", key: ClientCertificate.keyPEM,
            culprit: "client.pem"),
        BadIdentity(
            name: "an empty certificate", certificate: "", key: ClientCertificate.keyPEM, culprit: "client.pem"),
        BadIdentity(
            name: "a key that is none", certificate: ClientCertificate.pem, key: "no key", culprit: "client.key"),
        BadIdentity(name: "an empty key", certificate: ClientCertificate.pem, key: "", culprit: "client.key"),
        BadIdentity(
            name: "a certificate for a key", certificate: ClientCertificate.pem, key: ClientCertificate.pem,
            culprit: "client.key"),
        BadIdentity(
            name: "a wrong passphrase", certificate: ClientCertificate.pem, key: ClientCertificate.encryptedKeyPEM,
            passphrase: "open wheat", culprit: "client.key"),
        BadIdentity(
            name: "no passphrase", certificate: ClientCertificate.pem, key: ClientCertificate.encryptedKeyPEM,
            culprit: "client.key"),
    ]
}

@Suite(.timeLimit(.minutes(1))) struct ClientCertificateTests {
    @Test(arguments: IdentitySource.all, [TLSIdentity.Version.tls12, .tls13])
    func `a server that asks is shown the client's certificate`(
        _ source: IdentitySource, _ version: TLSIdentity.Version
    ) async throws {
        try await withTemporaryFolder { folder in
            let identity = try source.make(folder)
            try await CertificateServer.start(versions: version...version).serve {
                $0.connection.tls.roots = .authority
                $0.connection.tls.identity = identity
            } _: { server, client in
                for _ in 0..<2 { #expect(try await client.get("x").bytes == Bytes("ok")) }
                let certificate = try ClientCertificate.der
                #expect(server.shown == [certificate])
                #expect(server.requests == 2)
            }
        }
    }

    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `a client that has none is refused, and its request is not looked at`(
        _ version: TLSIdentity.Version
    ) async throws {
        try await CertificateServer.start(versions: version...version).serve {
            $0.connection.tls.roots = .authority
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            // In TLS 1.3 the client finishes its handshake before the server has noticed the missing certificate.
            #expect(error.kind == .tls, "\(error)")
            #expect(error.advice?.contains("tls.identity") == true, "\(error)")
            #expect(!error.description.contains("OPENSSL"), "\(error)")
            #expect(server.requests == 0 && server.shown.isEmpty)
        }
    }

    @Test func `each view is who it says it is, and none goes by another's connection`() async throws {
        try await CertificateServer.start().serve {
            $0.connection.tls.roots = .authority
            $0.connection.tls.identity = .client
        } _: { server, client in
            let localhost = TLSIdentity.localhost
            let other = client.with {
                $0.connection.tls.identity = .pem(certificate: localhost.certificatesPEM, key: localhost.privateKeyPEM)
            }
            let first = try await client.get("x").connection
            let second = try await other.get("x").connection
            let third = try await client.get("x").connection
            #expect(first?.id != second?.id && second?.isReused == false)
            #expect(third?.id == first?.id)
            let nobody = try await failure { try await client.with { $0.connection.tls.identity = nil }.get("x") }
            #expect(nobody.kind == .tls, "\(nobody)")
            let certificates = [try ClientCertificate.der, try localhost.der]
            #expect(server.shown == certificates)
            #expect(server.requests == 3)
        }
    }

    @Test(arguments: BadIdentity.all)
    func `a certificate or key that cannot be read is an error that names the file, and nobody is connected to`(
        _ row: BadIdentity
    ) async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in [("client.pem", row.certificate), ("client.key", row.key)] {
                if let text { try Data(text.utf8).write(to: folder.appending(path: name)) }
            }
            let paths = (folder.appending(path: "client.pem").path, folder.appending(path: "client.key").path)
            try await CertificateServer.start().serve {
                $0.connection.tls.roots = .authority
                $0.connection.tls.identity = .files(certificate: paths.0, key: paths.1, passphrase: row.passphrase)
            } _: { server, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .tls, "\(error)")
                #expect(error.reason.contains(folder.appending(path: row.culprit).path), "\(error)")
                #expect(error.advice != nil && error.underlying != nil)
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\nAAAA\n"])
    func `text that is no PEM is an error, wherever it was given`(_ text: String) async throws {
        let bad: [ConnectionSettings.TLS.Identity] = [
            .pem(certificate: text, key: ClientCertificate.keyPEM), .pem(certificate: ClientCertificate.pem, key: text),
        ]
        try await CertificateServer.start().serve {
            $0.connection.tls.roots = .authority
        } _: { server, client in
            for identity in bad {
                let error = try await failure {
                    try await client.with { $0.connection.tls.identity = identity }.get("x")
                }
                #expect(error.kind == .tls && error.reason.contains("tls.identity"), "\(error)")
            }
            let error = try await failure { try await client.with { $0.connection.tls.roots = .pem(text) }.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `roots that cannot be read are an error that names the file`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "roots.pem").path
            let server = try await ScriptedServer.start(tls: .localhost)
            try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .file(path) }) {
                _, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .tls && error.reason.contains(path), "\(error)")
                // A failure is not kept: once the file is readable, it is read.
                try Data(TestCertificates.authorityPEM.utf8).write(to: URL(filePath: path))
                #expect(try await client.get("x").status == .ok)
            }
        }
    }

    @Test func `a key that is not the certificate's is an error of TLS`() async throws {
        try await CertificateServer.start().serve {
            $0.connection.tls.roots = .authority
            $0.connection.tls.identity = .pem(
                certificate: ClientCertificate.pem, key: TLSIdentity.localhost.privateKeyPEM)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect(server.requests == 0)
        }
    }

    @Test func `BAD-INPUT 20: no text of the settings shows a key or its passphrase`() {
        let client = Client("https://a.example") {
            $0.connection.tls.identity = .pem(
                certificate: ClientCertificate.pem, key: ClientCertificate.keyPEM,
                passphrase: ClientCertificate.passphrase)
        }
        var dumped = ""
        dump(client.configuration.connection, to: &dumped)
        dump(client, to: &dumped)
        for text in [
            "\(client.configuration)", String(reflecting: client.configuration.connection.tls),
            "\(client.configuration.connection)", dumped,
        ] {
            #expect(!text.contains("PRIVATE KEY") && !text.contains(ClientCertificate.passphrase))
        }
    }

    @Test func `a certificate and a key that do not belong together are named`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.identity = .pem(
                certificate: ClientCertificate.pem, key: TLSIdentity.localhost.privateKeyPEM)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls && error.reason.contains("do not belong together"), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["", "no certificate"])
    func `roots that hold none are named`(_ text: String) async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .pem(text) }) {
            server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls && error.reason.contains("tls.roots"), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a company's authority can be trusted beside the system's`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "roots.pem")
            try Data(TestCertificates.authorityPEM.utf8).write(to: file)
            let server = try await ScriptedServer.start(tls: .localhost)
            try await serving(
                server, base: server.localhostURL, { $0.connection.tls.roots = .systemAnd(file: file.path) }
            ) {
                _, client in
                #expect(try await client.get("x").status == .ok)
                let error = try await failure {
                    try await client.with { $0.connection.tls.roots = .systemAnd(file: "/nowhere.pem") }.get("x")
                }
                #expect(error.reason.contains("/nowhere.pem"), "\(error)")
            }
        }
    }
}

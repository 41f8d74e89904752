// KeyLogTests: tls.keyLogFile: the secrets of connections, in a file.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct KeyLogTests {
    private static let labels: [TLSIdentity.Version: Set<String>] = [
        .tls12: ["CLIENT_RANDOM"],
        .tls13: [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
            "SERVER_TRAFFIC_SECRET_0",
        ],
    ]

    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func `secrets are written for Wireshark, where only the file's owner reads them`(
        _ version: TLSIdentity.Version
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "keys.log").path
            // Two clients with one file; each makes a connection.
            for _ in 0..<2 {
                let server = try await ScriptedServer.start(tls: .localhost.with(versions: version...version))
                try await serving(server, base: server.localhostURL) {
                    $0.connection.tls.roots = .authority
                    $0.connection.tls.keyLogFile = .file(path)
                } _: { server, client in
                    for _ in 0..<2 { _ = try await client.get("x") }
                    #expect(server.acceptedConnections == 1)
                }
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasSuffix("\n"))
            let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
            for line in lines {
                try #require(line.count == 3, "\(line)")
                // A label, the client random, and the secret.
                #expect(line[1].count == 64 && line[1...].joined().allSatisfy(\.isHexDigit), "\(line)")
            }
            let expected = try #require(Self.labels[version])
            #expect(expected.isSubset(of: Set(lines.map { String($0[0]) })))
            #expect(Set(lines.map { $0[1] }).count == 2)
        }
    }

    @Test func `what stands in the file stays there`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "keys.log")
            try Data("# mine\n".utf8).write(to: file)
            let server = try await ScriptedServer.start(tls: .localhost)
            try await serving(server, base: server.localhostURL) {
                $0.connection.tls.roots = .authority
                $0.connection.tls.keyLogFile = .file(file.path)
            } _: { _, client in
                _ = try await client.get("x")
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.hasPrefix("# mine\n") && text.contains("_SECRET"))
        }
    }

    @Test func `a named pipe without a reader is an error, and one whose reader is slow or gone does no harm`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "keys").path
            #expect(mkfifo(path, 0o600) == 0)
            let server = try await ScriptedServer.start(tls: .localhost) { _ in
                [.bytes("HTTP/1.1 204 No Content\r\n\r\n"), .close]
            }
            try await serving(server, base: server.localhostURL) {
                $0.connection.tls.roots = .authority
                $0.connection.tls.keyLogFile = .file(path)
            } _: { server, client in
                let unread = try await failure { try await client.get("x") }
                #expect(unread.reason.contains("no program reads this pipe"), "\(unread)")
                let reader = open(path, O_RDONLY | O_NONBLOCK)
                _ = try await client.get("x")
                var bytes = [UInt8](repeating: 0, count: 65536)
                let count = read(reader, &bytes, bytes.count)
                try #require(count > 0)
                #expect(String(decoding: bytes[..<count], as: UTF8.self).contains("_SECRET"))
                // These lines are more than a pipe holds.
                for _ in 0..<150 { _ = try await client.get("x") }
                close(reader)
                _ = try await client.get("x")
                #expect(server.requests.count == 152)
            }
        }
    }

    @Test func `a file that cannot be written is an error that names it, and nobody is connected to`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await ScriptedServer.start(tls: .localhost)
            try await serving(server, base: server.localhostURL) {
                $0.connection.tls.roots = .authority
                $0.connection.tls.keyLogFile = .file(folder.path)
            } _: { server, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .file && error.reason.contains(folder.path), "\(error)")
                #expect(server.acceptedConnections == 0)
            }
        }
    }
}

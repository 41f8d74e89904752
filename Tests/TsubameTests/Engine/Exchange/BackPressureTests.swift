// BackPressureTests: a reader that pauses stops its server.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct BackPressureTests {
    private static let gibibyte = 1 << 30

    @Test(arguments: [false, true])
    func `while the reader is suspended a server gets rid of less than 4 MiB of 1 GiB`(isSecure: Bool) async throws {
        let server = try await ScriptedServer.start(tls: isSecure ? .localhost : nil) { _ in
            .stream(Self.gibibyte, of: [UInt8](repeating: 0x78, count: 64 << 10))
        }
        try await serving(server, { $0.connection.tls.roots = .pem(TestCertificates.authorityPEM) }) { server, client in
            try await client.stream(Request(.get, url: server.url)) { response in
                var body = response.body.makeAsyncIterator()
                _ = try await body.next()
                try await server.waitUntilBlocked()
                #expect(server.sentBodyBytes < 4 << 20)
                // The server continues when the client reads.
                var received = 0
                while received < 8 << 20, let piece = try await body.next() { received += piece.count }
                #expect(server.sentBodyBytes >= 8 << 20)
            }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `a chunked body of small chunks is held back too`() async throws {
        let chunk = Array("10\r\n0123456789abcdef\r\n".utf8)
        let chunks = (0..<1000).flatMap { _ in chunk }
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .repeating(chunks)]
        }
        try await serving(server) { server, client in
            try await client.stream(Request(.get, url: server.url)) { response in
                var body = response.body.makeAsyncIterator()
                _ = try await body.next()
                try await server.waitUntilBlocked()
                #expect(server.sentBodyBytes < 4 << 20)
            }
        }
    }

    @Test func `a body that is collected stops at its limit`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(Self.gibibyte) }
        try await serving(server, { $0.limits.bufferedBody = 1 << 20 }) { server, client in
            let error = try await failure { try await client.get(url: server.url) }
            #expect(error.kind == .limitExceeded)
            #expect(error.response?.status == .ok)
            try await server.waitUntil(openConnections: 0)
            #expect(server.sentBodyBytes < 16 << 20)
        }
    }
}

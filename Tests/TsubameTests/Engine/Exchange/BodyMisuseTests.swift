// BodyMisuseTests: bodies that are read by two readers, read too late, sent twice, or made of tiny pieces.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct BodyMisuseTests {
    @Test func `a stream that exists once is not sent empty the second time`() async throws {
        try await serving(try await ScriptedServer.start()) { server, client in
            let request = Request(
                .post, url: server.url, body: .stream(once: CountedPieces(count: 1, pulled: { _ in })))
            _ = try await client.send(request)
            let error = try await failure { try await client.send(request) }
            #expect(error.kind == .requestBody, "\(error)")
            try await server.waitUntil(openConnections: 0)
            #expect(server.requests.filter(\.isComplete).count == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a body that was given up does not read as a whole one`(isCoded: Bool) async throws {
        // The body is larger than the bytes gathered before the closure runs. It is whole on the loop before the call
        // gives it up.
        let content = [UInt8](repeating: 0x61, count: 300_000)
        let server = try await ScriptedServer.start { _ in
            isCoded ? .ok(Coded.gzip(content), headers: [.contentEncoding: "gzip"]) : .ok(content)
        }
        try await serving(server) { server, client in
            let kept = try await client.stream(Request(.get, url: server.url)) { $0 }
            let error = try await failure {
                var count = 0
                for try await piece in kept.body { count += piece.count }
                return count
            }
            #expect(error.kind == .cancelled, "\(error)")
        }
    }

    @Test func `a second reader of a coded body is refused`() async throws {
        let gate = Gate()
        let coded = Coded.gzip([UInt8](repeating: 0x61, count: 100_000))
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"),
                .bytes(Array(coded.prefix(12))), .wait(for: gate), .bytes(Array(coded.dropFirst(12))),
            ]
        }
        try await serving(server) { server, client in
            try await client.stream(Request(.get, url: server.url)) { response in
                // One of the two readers waits at the gate; the other one gets the error.
                let readers = (0..<2).map { _ in
                    Task {
                        do {
                            var count = 0
                            for try await piece in response.body { count += piece.count }
                            return count
                        } catch let error as CallError where error.kind == .misuse {
                            gate.open()
                            return -1
                        }
                    }
                }
                var counts: [Int] = []
                for reader in readers { counts.append(try await reader.value) }
                #expect(counts.sorted() == [-1, 100_000])
            }
        }
    }

    @Test func `a body in chunks of one byte takes no more memory than its bytes`() async throws {
        // Stored as single pieces, half a million of them would take more than 50 MB.
        let count = 500_000
        let chunks = Array(String(repeating: "1\r\nx\r\n", count: count).utf8)
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .bytes(chunks), .bytes("0\r\n\r\n")]
        }
        try await serving(server) { server, client in
            let body = try await client.get(url: server.url).bytes
            #expect(body.count == count)
            #expect(body.allSatisfy { $0 == 0x78 })
            let pieces = try await client.stream(Request(.get, url: server.url)) { response in
                var pieces = 0
                for try await _ in response.body { pieces += 1 }
                return pieces
            }
            #expect(pieces < 5_000)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a pipe is no file to send, and holds nothing up`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        #expect(mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await serving(try await ScriptedServer.start()) { server, client in
            for _ in 0..<8 {
                let error = try await failure {
                    try await client.send(Request(.post, url: server.url, body: .file(path)))
                }
                #expect(error.kind == .requestBody)
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a piece of many megabytes goes out while the server takes its time`() async throws {
        let piece = Bytes([UInt8](repeating: 0x61, count: 16 << 20))
        let end = Gate()
        let server = try await ScriptedServer.start(onHead: { _ in
            [.stopReading, .wait(for: end), .resumeReading, .wholeRequest, .bytes("HTTP/1.1 204 No Content\r\n\r\n")]
        })
        try await serving(server) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let body = RequestBody.stream(length: Int64(piece.count)) { OnePiece(piece: piece) }
            async let response = client.send(Request(.post, url: server.url, body: body))
            _ = try await server.head(0)
            end.open()
            #expect(try await response.statusCode == 204)
            #expect(try await server.request(0).bodyByteCount == piece.count)
            // Progress is reported on the way and not only at the end.
            #expect(log.sent.contains { $0.bytes < piece.count })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a blocking stream reads an answer that begins before its own body has gone out`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .wholeRequest,
                .bytes("3\r\ndef\r\n0\r\n\r\n"),
            ]
        })
        try await serving(server) { server, client in
            let url = server.url
            let text = try await onThread {
                let body = RequestBody.stream { CountedPieces(count: 64, pulled: { _ in }) }
                return try client.blocking.stream(Request(.post, url: url, body: body)) { _, next in
                    var text = ""
                    while let piece = try next() { text += String(decoding: piece, as: UTF8.self) }
                    return text
                }
            }
            #expect(text == "abcdef")
            #expect(try await server.request(0).bodyByteCount == 64 * CountedPieces.pieceBytes)
        }
    }
}

/// One piece of any size.
private struct OnePiece: AsyncSequence, Sendable {
    typealias Element = Bytes
    let piece: Bytes

    struct Iterator: AsyncIteratorProtocol {
        var piece: Bytes?

        mutating func next() async -> Bytes? {
            defer { piece = nil }
            return piece
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(piece: piece) }
}

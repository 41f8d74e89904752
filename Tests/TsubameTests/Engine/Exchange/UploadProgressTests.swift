// UploadProgressTests: the progress of uploads counts the bytes that the socket has taken, and not the bytes that were
// read.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct UploadProgressTests {
    /// The pieces of a stream have two bytes each, and the last one has one.
    @Test(arguments: [Source.bytes, .stream, .streamOfKnownLength], [1, 2, 4, 5, 6])
    func `an observer is told the beginning of a body, and its exact length`(source: Source, shown: Int) async throws {
        let content = Array("abcde".utf8)
        let body: RequestBody =
            switch source {
            case .bytes, .file: .bytes(content)
            case .stream: .stream { Slices(content, pieceBytes: 2) }
            case .streamOfKnownLength: .stream(length: 5) { Slices(content, pieceBytes: 2) }
            }
        try await serving(try await .start()) { server, client in
            let (beginnings, progress) = (Log<String>(), Log<TransferProgress>())
            let observation = client.observe(bodies: shown) { event in
                switch event.kind {
                case .requestBody(let bytes, let offset):
                    #expect(offset == beginnings.all.joined().utf8.count)
                    beginnings.add(String(decoding: bytes, as: UTF8.self))
                case .sending(let now): progress.add(now)
                default: break
                }
            }
            defer { observation.cancel() }
            _ = try await client.send(Request(.put, url: server.url, body: body))
            #expect(beginnings.all.joined() == "abcde".prefix(shown))
            #expect(progress.all.last?.bytes == 5 && progress.all.last?.total == 5)
        }
    }

    /// Gives its second piece when the gate is open.
    private struct GatedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let gate: Gate
        var count = 0

        mutating func next() async throws -> Bytes? {
            count += 1
            if count == 2 { try await gate.wait() }
            return count < 4 ? Bytes("\(count)") : nil
        }

        func makeAsyncIterator() -> GatedPieces { self }
    }

    @Test(arguments: [false, true]) func `an upload goes on after its answer has begun, observed or not`(
        isObserved: Bool
    ) async throws {
        let server = try await ScriptedServer.start(onHead: { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"), .wholeRequest,
                .bytes("0\r\n\r\n"),
            ]
        })
        try await serving(server) { server, client in
            let gate = Gate()
            let observation = isObserved ? client.observe { _ in } : nil
            defer { observation?.cancel() }
            let request = Request(.post, url: server.url, body: .stream { GatedPieces(gate: gate) })
            let text = try await client.stream(request) { response in
                var text = ""
                for try await piece in response.body {
                    text += String(decoding: piece, as: UTF8.self)
                    gate.open()
                }
                return text
            }
            let received = try await server.request(0)
            #expect(text == "ok" && received.text == "123")
        }
    }

    @Test func `the idle time of an answer that begins early is whole after the upload`() async throws {
        let server = try await ScriptedServer.start(onHead: { _ in
            [
                .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .wholeRequest,
                .pause(for: .milliseconds(1_000)), .bytes("2\r\nok\r\n0\r\n\r\n"),
            ]
        })
        try await serving(server) { server, client in
            var request = Request(.post, url: server.url, body: .stream { Slices(Array("abcde".utf8), pieceBytes: 2) })
            // A quarter of it is how often the upload is looked at.
            request.timeouts.idle = .seconds(3)
            let response = try await client.send(request)
            #expect(response.bytes == Bytes("ok"))
        }
    }

    @Test func `progress of a file is what the socket took of it`() async throws {
        let size: Int64 = 48 << 20
        let seen = Gate()
        let server = try await ScriptedServer.start(onHead: { _ in [.stopReading, .wait(for: seen), .reset] })
        try await withFolder { folder in
            let file = folder.appending(path: "large")
            try Data(count: Int(size)).write(to: file)
            try await serving(server) { server, client in
                var request = Request(.put, url: server.url, body: .file(file))
                // The socket is full, and no byte moves any more.
                request.timeouts.idle = .seconds(3)
                let told = Log<Int64>()
                let observation = client.observe { event in
                    if case .sending(let progress) = event.kind { told.add(progress.bytes) }
                }
                defer { observation.cancel() }
                let error = try await failure { try await client.send(request) }
                seen.open()
                #expect(error.timeout == .idle)
                // The buffers of two sockets, at the largest size that the system lets them grow to.
                let last = try #require(told.all.max())
                #expect(last > 0 && last < size / 2, "\(last)")
            }
        }
    }
}

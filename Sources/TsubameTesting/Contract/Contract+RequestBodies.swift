// The contract of request bodies: all of it arrives, or the request does not look complete.
#if TestServer

import Synchronization
import Tsubame

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportContract {
    /// Pieces as they come from a caller's own source.
    private static func stream(_ pieces: [Bytes], thenFails: Bool = false) -> AsyncThrowingStream<Bytes, any Error> {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish(throwing: thenFails ? SourceFailure() : nil)
        }
    }

    private struct SourceFailure: Error {}

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    static let requestBodies: [TransportContract] = [
        TransportContract("bytes arrive with Content-Length and Content-Type") { run in
            try await run.serving(try await .start(keepingBodyBytes: 2 << 20)) { server, client in
                for (index, count) in [0, 1, 1_000, 1_500_000].enumerated() {
                    let content = bytes(count)
                    _ = try await client.post("x", body: .bytes(content, contentType: "application/x-test"))
                    let received = try await server.request(index)
                    try run.expect(received.values("content-length"), is: ["\(count)"], "Content-Length")
                    try run.expect(received.values("content-type"), is: ["application/x-test"], "Content-Type")
                    try run.expect(received.body == content, "the \(count) bytes arrived changed")
                }
            }
        },
        TransportContract("POST without a body says Content-Length: 0") { run in
            try await run.serving(try await .start()) { server, client in
                _ = try await client.send(Request(.post, "x"))
                try run.expect(try await server.request(0).values("content-length"), is: ["0"], "Content-Length")
            }
        },
        TransportContract("a file arrives with its length") { run in
            let content = bytes(700_000)
            try await withFile(content) { path in
                try await run.serving(try await .start()) { server, client in
                    _ = try await client.put("x", body: .file(path))
                    let received = try await server.request(0)
                    try run.expect(received.values("content-length"), is: ["700000"], "Content-Length")
                    try run.expect(received.body == content, "the file arrived changed")
                }
            }
        },
        TransportContract("a stream of known length arrives with it") { run in
            try await run.serving(try await .start()) { server, client in
                let body = RequestBody.stream(length: 6) { stream([Bytes("ab"), Bytes(), Bytes("cdef")]) }
                for index in 0..<2 {
                    _ = try await client.post("x", body: body)
                    let received = try await server.request(index)
                    try run.expect(received.values("content-length"), is: ["6"], "Content-Length")
                    try run.expect(received.text, is: "abcdef", "the body")
                }
            }
        },
        TransportContract("a stream of unknown length arrives in full") { run in
            try await run.serving(try await .start()) { server, client in
                let pieces = (0..<50).map { Bytes("piece \($0);") }
                _ = try await client.post("x", body: .stream(once: stream(pieces)))
                let received = try await server.request(0)
                try run.expect(received["content-length"] == nil, "the request has Content-Length")
                try run.expect(
                    received.text, is: (0..<50).map { "piece \($0);" }.joined(), "the body")
            }
        },
        TransportContract("a one-shot stream is not sent twice") { run in
            try await run.serving(try await .start()) { server, client in
                let body = RequestBody.stream(once: stream([Bytes("once")]))
                _ = try await client.post("x", body: body)
                try await run.failure(.requestBody) { _ = try await client.post("x", body: body) }
                try run.expect(server.requests.filter { $0.isComplete }.count, is: 1, "the number of whole requests")
            }
        },
        TransportContract("a body that fails, or has another length than declared, never looks complete") { run in
            let server = try await ScriptedServer.start { request in
                request.target == "/last"
                    ? [.bytes("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), .close] : .ok()
            }
            try await run.serving(server) { server, client in
                let bodies: [RequestBody] = [
                    .stream { stream([Bytes("part")], thenFails: true) },
                    .stream(length: 10) { stream([Bytes("part")], thenFails: true) },
                    .stream(length: 10) { stream([Bytes("short")]) },
                    .stream(length: 4) { stream([Bytes("too long")]) },
                    .stream(length: 4) { stream([Bytes("four"), Bytes("more")]) },
                    .file("/nowhere/at/all"),
                ]
                for body in bodies {
                    try await run.failure(.requestBody) { _ = try await client.post("x", body: body) }
                }
                // The server accepts in order: once this request is there, no connection of the others is still to come.
                _ = try await client.get("last")
                try await server.waitUntil(openConnections: 0)
                let whole = server.requests.filter { $0.isComplete }.map(\.target)
                try run.expect(whole, is: ["/last"], "the list of whole requests")
            }
        },
        TransportContract("a server that stops reading makes the body's source stop", unless: .streamedUploads) { run in
            let gate = Gate()
            let server = try await ScriptedServer.start(onHead: { _ in
                [.stopReading, .wait(for: gate), .resumeReading, .stall]
            })
            try await run.serving(server, { $0.timeouts.total = .milliseconds(500) }) { server, client in
                let taken = Mutex(0)
                let body = RequestBody.stream {
                    AsyncStream<Bytes> {
                        taken.withLock { $0 += 1 }
                        return Bytes([UInt8](repeating: 1, count: 64 << 10))
                    }
                }
                let error = try await run.failure(.timeout) { _ = try await client.post("x", body: body) }
                gate.open()
                try run.expect(error.timeout, is: .total, "the deadline of the error")
                let count = taken.withLock { $0 }
                try run.expect(count < 300, "the transport took \(count * 64) KiB for a server that read nothing")
            }
        },
        TransportContract("progress of an upload rises to the length of the body") { run in
            try await run.serving(try await .start()) { server, client in
                let seen = Mutex<[TransferProgress]>([])
                let subscription = client.observe { event in
                    if case .sending(let progress) = event.kind { seen.withLock { $0.append(progress) } }
                }
                _ = try await client.post("x", body: .bytes(bytes(3 << 20)))
                subscription.cancel()
                let values = seen.withLock { $0.map(\.bytes) }
                try run.expect(values == values.sorted(), "the progress falls: \(values)")
                try run.expect(values.last ?? -1, is: 3 << 20, "the last progress")
            }
        },
        TransportContract("trailer fields of a request arrive after its body", needs: [.requestTrailers]) { run in
            try await run.serving(try await .start()) { server, client in
                let body = RequestBody.bytes(bytes(10)).with(trailers: { [.init("X-Digest") ?? .eTag: "abc"] })
                _ = try await client.post("x", body: body)
                let received = try await server.request(0)
                try run.expect(
                    received.trailers.map { $0.name.lowercased() + "=" + $0.value }, is: ["x-digest=abc"],
                    "the trailer section")
            }
        },
    ]

    private static func withFile(_ content: [UInt8], _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "contract-\(UInt64.random(in: 0 ... .max))")
        try Data(content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }
}
#endif

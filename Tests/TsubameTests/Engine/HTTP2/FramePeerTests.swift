// FramePeerTests: the scripted HTTP/2 peer, tested with curl, independent of the library's client.

import Foundation
import Testing
import TsubameTesting

/// The output of curl, and its exit status.
private struct CURL: Sendable {
    static let path = "/usr/bin/curl"

    let status: Int32
    let output: String

    static func run(_ arguments: [String]) async throws -> CURL {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-sS", "--max-time", "100", "--noproxy", "*"] + arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        // The output here is too short to fill a pipe.
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return CURL(status: status, output: String(decoding: output, as: UTF8.self))
    }

    static func hasHTTP2() async -> Bool {
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        return (try? await run(["--version"]).output.contains("HTTP2")) ?? false
    }
}

@Suite(.enabled("there is no /usr/bin/curl that speaks HTTP/2") { await CURL.hasHTTP2() }, .timeLimit(.minutes(2)))
struct FramePeerTests {
    @Test func `a request is read field by field, and an answer goes out in the frames that were asked for`()
        async throws
    {
        try await withFramePeer(settings: [(3, 1)]) { connection in
            #expect(try await connection.preface().contains { $0.id == 4 })
            let request = try await connection.nextRequest()
            #expect(request.lines.prefix(2) == [":method: GET", ":path: /a?b"])
            #expect(request[":scheme"] == "http" && request["x-swallow"] == "one")
            #expect(request.endsStream)
            let fields = [(":status", "200"), ("x-answer", "two"), ("content-type", "text/plain")]
            try await connection.sendHeaders(request.stream, fields, padding: 9, continuations: 3)
            try await connection.sendData(request.stream, Array("hel".utf8), padding: 5)
            try await connection.sendData(request.stream, "lo", endStream: true)
            _ = try await connection.frame("the acknowledgement of the settings") { $0.isAcknowledgement }
        } client: { peer in
            let curl = try await CURL.run(["-i", "--http2-prior-knowledge", "-H", "X-Swallow: one", peer.url + "/a?b"])
            #expect(curl.status == 0)
            #expect(curl.output == "HTTP/2 200 \r\nx-answer: two\r\ncontent-type: text/plain\r\n\r\nhello")
            try await peer.waitUntil(openConnections: 0)
            #expect(peer.acceptedConnections == 1)
        }
    }

    @Test func `a body that is larger than the windows is read to its end`() async throws {
        try await withFramePeer { connection in
            let request = try await connection.nextRequest()
            #expect(!request.endsStream)
            let body = try await connection.body(of: request.stream)
            try await connection.respond(request.stream, text: "\(body.count)")
        } client: { peer in
            let file = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
            try Data(repeating: 0x2A, count: 200_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let curl = try await CURL.run(["--http2-prior-knowledge", "--data-binary", "@\(file.path)", peer.url])
            #expect(curl.output == "200000")
        }
    }

    @Test func `TLS agrees on h2, and streams and connections can be broken off`() async throws {
        try await withFramePeer(tls: .localhost) { connection in
            let request = try await connection.nextRequest()
            switch request[":path"] {
            case "/reset": try await connection.reset(request.stream, 0x7)
            case "/away":
                try await connection.goAway(0, 0xB, "enough")
                await connection.close()
            case "/close": await connection.close()
            default: try await connection.respond(request.stream, status: 204)
            }
        } client: { peer in
            let file = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
            try Data(TestCertificates.authorityPEM.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let start = ["--http2", "--cacert", file.path, "-w", "%{http_version} %{http_code}"]
            #expect(try await CURL.run(start + [peer.url]).output == "2 204")
            // CURLE_HTTP2_STREAM, or the code of curl 7.88 for a connection that ends before a response.
            #expect(try await CURL.run(start + [peer.url + "/reset"]).status != 0)
            #expect(try await CURL.run(start + [peer.url + "/close"]).status != 0)
            #expect(try await CURL.run(start + [peer.url + "/away"]).status != 0)
            #expect(peer.acceptedConnections >= 4)
        }
    }

    @Test func `a client that speaks something else fails the test`() async throws {
        try await withKnownIssue {
            try await withFramePeer {
                _ = try await $0.nextRequest()
            } client: { peer in
                let curl = try await CURL.run(["--http1.1", peer.url])
                #expect(curl.status != 0)
                // curl may have gone before the peer has read what it sent.
                await #expect(throws: FramePeer.Violation.self) { try await peer.connection(0).preface() }
            }
        } matching: {
            ($0.error as? FramePeer.Violation)?.description == "connection 0: no preface"
        }
    }
}

// RequestBodyCompressionTests: bodies of requests that are compressed or chunked.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(2))) struct RequestBodyCompressionTests {
    private static let text = Array(String(repeating: "the same again, ", count: 40_000).utf8)

    /// The request with this body, as a server receives it.
    private func received(_ body: RequestBody, headers: RequestHeaders = [:]) async throws -> ReceivedRequest {
        try await serving(try await ScriptedServer.start(keepingBodyBytes: 8 << 20) { _ in .ok() }) { server, client in
            try await client.post("", headers: headers, body: body).accepted()
            return try await server.request(0)
        }
    }

    private static func inflated(_ bytes: [UInt8], _ coding: ReceivedCoding = .gzip) throws -> [UInt8] {
        let decoder = try coding.decoder()
        var (result, rest) = ([UInt8](), bytes[...])
        repeat {
            var consumed = 0
            result += try [UInt8](unsafeUninitializedCapacity: 64 << 10) { output, count in
                count = try rest.withUnsafeBytes {
                    try decoder.decode(into: UnsafeMutableRawBufferPointer(output), from: $0, inputConsumed: &consumed)
                }
            }
            rest = rest.dropFirst(consumed)
        } while !rest.isEmpty || decoder.mayHaveMore
        try decoder.finish()
        return result
    }

    private static func pieces(_ bytes: [UInt8], of size: Int) -> [Bytes] {
        stride(from: 0, to: bytes.count, by: size).map { Bytes(bytes[$0..<min(bytes.count, $0 + size)]) }
    }

    private static func stream(_ pieces: [Bytes]) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
    }

    @Test(arguments: ContentCoding.allCases.filter(\.isAvailable))
    func `bytes are compressed at once and go with their length`(coding: ContentCoding) async throws {
        let body = RequestBody.bytes(Self.text, contentType: "text/plain").compressed(by: coding)
        #expect(body.contentCoding == coding.rawValue && body.contentType == "text/plain" && body.canBeSentAgain)
        let request = try await received(body)
        #expect(request["content-encoding"] == coding.rawValue)
        #expect(request["content-type"] == "text/plain")
        #expect(request["content-length"] == "\(request.body.count)")
        #expect(request.body.count < Self.text.count / 100)
        let decoded = try #require(ReceivedCoding(named: coding.rawValue))
        #expect(try Self.inflated(request.body, decoded) == Self.text)
        if coding == .deflate { #expect(request.body.first == 0x78, "wrapped by zlib") }
    }

    @Test(arguments: ContentCoding.allCases.filter(\.isAvailable))
    func `a stream of any coding is ended, however it comes`(coding: ContentCoding) async throws {
        let decoded = try #require(ReceivedCoding(named: coding.rawValue))
        var noise = SystemRandomNumberGenerator()
        let bytes = (0..<700_000).map { _ in UInt8.random(in: 0...63, using: &noise) }
        for size in [300, 50_000, 1 << 20] {
            let request = try await received(
                .stream(once: Self.stream(Self.pieces(bytes, of: size))).compressed(by: coding))
            #expect(request.isChunked && request["content-encoding"] == coding.rawValue)
            #expect(request.body.count < bytes.count)
            #expect(try Self.inflated(request.body, decoded) == bytes)
        }
        let empty = try await received(RequestBody.stream(once: Self.stream([])).compressed(by: coding))
        #expect(try Self.inflated(empty.body, decoded).isEmpty)
    }

    // Where all libraries are installed, no coding is refused.
    @Test(arguments: ContentCoding.allCases.filter { !$0.isAvailable })
    func `a coding whose library is not there is told of by its name`(coding: ContentCoding) async throws {
        let error = await callError { _ = try await received(RequestBody.bytes(Self.text).compressed(by: coding)) }
        #expect(error?.kind == .unsupported)
        #expect(error?.reason.contains(coding == .zstd ? "libzstd" : "libbrotlienc") == true)
    }

    @Test(arguments: [1, 1_000, 1 << 20]) func `streams are compressed as they go`(size: Int) async throws {
        let text = Array(Self.text.prefix(size == 1 ? 5_000 : Self.text.count))
        let body = RequestBody.stream(once: Self.stream(Self.pieces(text, of: size)), length: Int64(text.count))
            .compressed()
        #expect(body.length == nil && !body.canBeSentAgain)
        let request = try await received(body)
        #expect(request.isChunked && request["content-encoding"] == "gzip")
        #expect(try Self.inflated(request.body) == text)
    }

    @Test func `files are compressed as they go`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString).txt")
        try Data(Self.text).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = RequestBody.file(file, contentType: "text/plain").compressed()
        #expect(body.canBeSentAgain)
        let request = try await received(body)
        #expect(request.isChunked && request["content-type"] == "text/plain")
        #expect(try Self.inflated(request.body) == Self.text)
        #expect(try await received(.file(file).chunked()).body == Self.text)
    }

    @Test func `nothing and next to nothing can be compressed`() async throws {
        #expect(RequestBody.empty.compressed().isEmpty)
        #expect(try Self.inflated(try await received(RequestBody.bytes([]).compressed()).body).isEmpty)
        let empty = try await received(RequestBody.stream(once: Self.stream([])).compressed())
        #expect(try Self.inflated(empty.body).isEmpty)
    }

    @Test func `what does not become smaller stays on demand`() async throws {
        let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255) }
        #expect(RequestBody.bytes([1, 2, 3]).compressed(onlyIfSmaller: true).contentCoding == nil)
        #expect(RequestBody.bytes(noise).compressed(onlyIfSmaller: true).bytes == Bytes(noise))
        #expect(RequestBody.bytes(Self.text).compressed(onlyIfSmaller: true).contentCoding == "gzip")

        let file = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(noise).write(to: file)
        #expect(RequestBody.file(file).compressed(onlyIfSmaller: true).contentCoding == nil)
        try Data(Self.text).write(to: file)
        #expect(RequestBody.file(file).compressed(onlyIfSmaller: true).length == nil)
        try Data(Self.text.prefix(1_000)).write(to: file)
        let short = RequestBody.file(file).compressed(onlyIfSmaller: true)
        #expect(short.length == short.bytes.map { Int64($0.count) } && short.contentCoding == "gzip")
    }

    @Test func `codings are named in their order`() async throws {
        let request = try await received(RequestBody.bytes(Self.text).compressed(by: .deflate).compressed())
        #expect(request["content-encoding"] == "deflate, gzip")
        #expect(try Self.inflated(Self.inflated(request.body), .deflate) == Self.text)
    }

    @Test func `a Content-Encoding of the caller's stays`() async throws {
        let request = try await received(
            RequestBody.bytes(Self.text).compressed(), headers: [.contentEncoding: "x-gzip"])
        #expect(request.values("content-encoding") == ["x-gzip"])
    }

    @Test func `a compressed body without a type is named, too`() async throws {
        let request = try await received(RequestBody.bytes(Self.text).compressed())
        #expect(request["content-encoding"] == "gzip" && request["content-type"] == nil)
    }

    @Test func `a compressed body is sent again after a redirect, and not after it became a GET`() async throws {
        for (status, method) in [(307, "POST"), (303, "GET")] {
            try await serving(
                try await ScriptedServer.start(keepingBodyBytes: 1 << 20) { request in
                    request.path == "/there"
                        ? .ok() : [.bytes("HTTP/1.1 \(status) x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")]
                }
            ) { server, client in
                try await client.post("", body: .stream { Self.stream([Bytes("abc")]) }.compressed()).accepted()
                let second = try await server.request(1)
                #expect(second.method == method)
                #expect(second["content-encoding"] == (method == "POST" ? "gzip" : nil))
                if method == "POST" { #expect(try Self.inflated(second.body) == Array("abc".utf8)) }
            }
        }
    }

    @Test func `any body can go chunked`() async throws {
        for body in [
            RequestBody.bytes(Self.text, contentType: "a/b"),
            .stream(
                once: Self.stream(Self.pieces(Self.text, of: 5_000)), length: Int64(Self.text.count), contentType: "a/b"
            ),
        ] {
            let request = try await received(body.chunked())
            #expect(request.isChunked && request["content-length"] == nil && request["content-type"] == "a/b")
            #expect(request.body == Self.text)
        }
        #expect(RequestBody.empty.chunked().isEmpty)
    }

    @Test(arguments: [true, false]) func `a file that is not there is told of`(isChunked: Bool) async throws {
        let body = RequestBody.file("/nonexistent")
        try await serving(try await ScriptedServer.start { _ in .ok() }) { _, client in
            let error = await callError {
                _ = try await client.post("", body: isChunked ? body.chunked() : body.compressed())
            }
            #expect(error?.kind == .requestBody)
        }
    }

    @Test func `a boundary of the caller's is used, and must be one`() async throws {
        let request = try await received(.multipart(boundary: "my:own") { $0.field("a", "1") })
        #expect(request["content-type"] == "multipart/form-data; boundary=\"my:own\"")
        #expect(request.text.hasPrefix("--my:own\r\n") && request.text.hasSuffix("\r\n--my:own--\r\n"))
        try await serving(try await ScriptedServer.start { _ in .ok() }) { server, client in
            let error = await callError {
                _ = try await client.post("", body: .multipart(boundary: "a\r\nb") { $0.field("a", "1") })
            }
            #expect(error?.kind == .invalidRequest && server.acceptedConnections == 0)
        }
    }
}

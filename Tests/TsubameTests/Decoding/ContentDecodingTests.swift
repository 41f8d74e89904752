// ContentDecodingTests: content codings: requested, decoded, and refused where they are a trap (RFC 9110 section 8.4).

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct ContentDecodingTests {
    private static let text = String(repeating: "hello, world. ", count: 10_000)
    private static let bytes = Array(text.utf8)

    private static func reply(_ coding: String, _ body: [UInt8]) -> Reply {
        .ok(body, headers: [.contentEncoding: coding, .contentType: "text/plain"])
    }

    /// A content with its Content-Encoding.
    struct Sample: Sendable, CustomTestStringConvertible {
        let coding: String
        let body: [UInt8]
        let testDescription: String

        init(_ coding: String, _ what: String, _ body: [UInt8]) {
            self.coding = coding
            self.body = body
            testDescription = "\(coding): \(what)"
        }
    }

    private static let soundSamples: [Sample] = [
        Sample("gzip", "one member", Coded.gzip(text)),
        Sample("x-gzip", "one member", Coded.gzip(text)),
        Sample("GZip", "one member", Coded.gzip(text)),
        Sample("gzip, identity", "one member", Coded.gzip(text)),
        Sample("gzip", "two members", Coded.gzip(Array(bytes.prefix(14))) + Coded.gzip(Array(bytes.dropFirst(14)))),
        Sample("gzip", "zeros behind it", Coded.gzip(text) + [0, 0, 0, 0]),
        Sample("deflate", "wrapped by zlib", Coded.zlib(bytes)),
        Sample("deflate", "raw", Coded.rawDeflate(bytes)),
        Sample("deflate, gzip", "two codings", Coded.gzip(Coded.zlib(bytes))),
        Sample("gzip,gzip", "the same coding twice", Coded.gzip(Coded.gzip(bytes))),
        Sample(
            "deflate, gzip, deflate, gzip, deflate", "five codings",
            Coded.zlib(Coded.gzip(Coded.zlib(Coded.gzip(Coded.rawDeflate(bytes)))))),
    ]

    /// The samples of brotli and zstd; none where their libraries are not installed.
    private static let furtherSamples: [Sample] = {
        var samples: [Sample] = []
        let (brotli, zstd) = (Coded.brotli(bytes), Coded.zstd(bytes))
        if let brotli {
            samples += [
                Sample("br", "one stream", brotli), Sample("BR", "one stream", brotli),
                Sample("br, gzip", "two codings", Coded.gzip(brotli)),
            ]
            if let both = Coded.brotli(Coded.gzip(bytes)) { samples.append(Sample("gzip, br", "two codings", both)) }
        }
        if let zstd, let first = Coded.zstd(Array(bytes.prefix(14))), let rest = Coded.zstd(Array(bytes.dropFirst(14)))
        {
            samples += [
                Sample("zstd", "one frame", zstd), Sample("zstd", "two frames", first + rest),
                Sample("zstd, gzip", "two codings", Coded.gzip(zstd)),
            ]
        }
        if let brotli, let inner = Coded.zstd(Coded.gzip(brotli)), let outer = Coded.brotli(Coded.zlib(inner)) {
            samples.append(Sample("br, gzip, zstd, deflate, br", "five codings", outer))
        }
        return samples
    }()

    /// Makes the request anew from its public parts.
    private struct Remaking: Interceptor {
        let headers: RequestHeaders?

        func intercept(_ request: Request, next: Next) async throws -> Response {
            try await next(Request(request.method, url: request.uri?.string ?? "", headers: headers ?? request.headers))
        }
    }

    @Test func `a request that is made anew with the client's offer is decoded, and one with its own offer is not`()
        async throws
    {
        let coded = Coded.gzip(Self.text)
        try await serving(.start { _ in Self.reply("gzip", coded) }) { _, client in
            let copying = client.with { $0.wireInterceptors = [Remaking(headers: nil)] }
            let copied = try await copying.get("x")
            #expect(copied.bytes == Bytes(Self.bytes))
            let asking = client.with { $0.wireInterceptors = [Remaking(headers: [.acceptEncoding: "x-gzip"])] }
            let asked = try await asking.get("x")
            #expect(asked.bytes == Bytes(coded))
        }
    }

    @Test func `a response of another transport keeps its fields as received, too`() async throws {
        let coded = Coded.gzip(Self.text)
        let stub = StubTransport {
            $0.on("*").respond(
                headers: [.contentEncoding: "gzip", .contentLength: "\(coded.count)"], body: Bytes(coded))
        }
        let response = try await Client("https://a.example", transport: stub).get("x")
        #expect(response.bytes == Bytes(Self.bytes) && response.headers[.contentEncoding] == nil)
        #expect(response.wire[.contentEncoding] == "gzip" && response.wire[.contentLength] == "\(coded.count)")
    }

    @Test(arguments: soundSamples + furtherSamples)
    func `a coded content is undone, whole and streamed`(sample: Sample) async throws {
        let (coding, body) = (sample.coding, sample.body)
        try await serving(.start { _ in Self.reply(coding, body) }) { server, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes(Self.bytes))
            #expect(response.headers[.contentEncoding] == nil && response.headers[.contentLength] == nil)
            #expect(response.headers[.contentType] == "text/plain")
            #expect(response.wire[.contentEncoding] == coding)
            #expect(response.wire[.contentLength] == "\(body.count)")
            let streamed = try await client.stream(Request(.get, "x")) { response in
                var text: [UInt8] = []
                for try await piece in response.body { text += piece }
                return text
            }
            #expect(streamed == Self.bytes)
            #expect(server.requests.map { $0["accept-encoding"] } == [ReceivedCoding.offer, ReceivedCoding.offer])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("BAD-INPUT 38: a content is the same however it is cut on the wire", arguments: [1, 7, 100])
    func cutOnTheWire(size: Int) async throws {
        let text = Array(Self.bytes.prefix(700))
        var samples = [
            Sample("gzip", "", Coded.gzip(text)), Sample("deflate", "", Coded.zlib(text)),
            Sample("deflate, gzip", "", Coded.gzip(Coded.rawDeflate(text))),
        ]
        if let brotli = Coded.brotli(text), let both = Coded.brotli(Coded.gzip(text)) {
            samples += [Sample("br", "", brotli), Sample("gzip, br", "", both)]
        }
        if let zstd = Coded.zstd(text) {
            samples += [Sample("zstd", "", zstd), Sample("zstd, gzip", "", Coded.gzip(zstd + zstd))]
        }
        for sample in samples {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(sample.coding)\r\n"
            let (body, length) = (sample.body, sample.body.count)
            try await serving(
                .start { _ in [.bytes("\(head)Content-Length: \(length)\r\n\r\n"), .bytes(body, every: size)] }
            ) { _, client in
                let response = try await client.get("x")
                #expect(response.bytes == Bytes(sample.coding == "zstd, gzip" ? text + text : text), "\(sample.coding)")
            }
        }
    }

    @Test func `several fields of Content-Encoding are one list`() async throws {
        let body = Coded.gzip(Coded.zlib(Self.bytes))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nX: y\r\nContent-Encoding: gzip\r\n"
        try await serving(
            .start { _ in [.bytes("\(head)Content-Length: \(body.count)\r\n\r\n"), .bytes(body, every: 1_000)] }
        ) { _, client in
            let response = try await client.get("x")
            #expect(response.bytes.count == Self.bytes.count)
        }
    }

    private static let brokenSamples: [Sample] = [
        Sample("gzip", "without its last byte", Coded.gzip(bytes).dropLast(1) + []),
        Sample("gzip", "without its trailer", Coded.gzip(bytes).dropLast(8) + []),
        Sample("gzip", "cut in the middle", Coded.gzip(bytes).prefix(10_000) + []),
        Sample("gzip", "cut in its header", Coded.gzip(bytes).prefix(5) + []),
        Sample("gzip", "a flipped bit", Coded.gzip(bytes).flippingByte(at: 70_000)),
        Sample("gzip", "something behind it", Coded.gzip(bytes) + [1, 2, 3]),
        Sample("gzip", "half a second member", Coded.gzip(bytes) + Coded.gzip(bytes).prefix(100)),
        Sample("gzip", "text", bytes),
        Sample("gzip", "zlib", Coded.zlib(bytes)),
        Sample("gzip, gzip", "coded once", Coded.gzip(bytes)),
        Sample("deflate", "without its last byte", Coded.zlib(bytes).dropLast(1) + []),
        Sample("deflate", "raw, without its last byte", Coded.rawDeflate(bytes).dropLast(1) + []),
        Sample("deflate", "text", bytes),
    ]

    /// Contents whose outer coding is valid and whose inner coding is broken.
    private static let brokenInside: [Sample] = {
        var samples = [
            Sample(
                "deflate, gzip", "the inner one without its last byte", Coded.gzip(Coded.zlib(bytes).dropLast(1) + []))
        ]
        if let brotli = Coded.brotli(bytes), let outer = Coded.brotli(Coded.gzip(bytes).dropLast(1) + []) {
            samples += [
                Sample("br, gzip", "the inner one without its last byte", Coded.gzip(brotli.dropLast(1) + [])),
                Sample("br, gzip", "something behind the inner one", Coded.gzip(brotli + [0])),
                Sample("gzip, br", "the inner one without its last byte", outer),
            ]
        }
        if let zstd = Coded.zstd(bytes) {
            samples += [
                Sample("zstd, gzip", "the inner one without its last byte", Coded.gzip(zstd.dropLast(1) + [])),
                Sample("zstd, gzip", "half a second frame in it", Coded.gzip(zstd + zstd.prefix(zstd.count / 2))),
                Sample("zstd", "a flipped byte", zstd.flippingByte(at: zstd.count - 6)),
            ]
        }
        return samples
    }()

    private static let furtherBrokenSamples: [Sample] = furtherSamples.flatMap { sample in
        [
            Sample(sample.coding, "\(sample.testDescription), without its last byte", sample.body.dropLast(1) + []),
            Sample(
                sample.coding, "\(sample.testDescription), half of it", sample.body.prefix(sample.body.count / 2) + []),
            Sample(sample.coding, "\(sample.testDescription), something behind it", sample.body + [1, 2, 3]),
            Sample(sample.coding, "\(sample.testDescription), text", bytes),
        ]
    }

    @Test(
        "BAD-INPUT 38: what is corrupt or cut off is an error, never a short body",
        arguments: brokenSamples + brokenInside + furtherBrokenSamples)
    func refused(sample: Sample) async throws {
        let (coding, body) = (sample.coding, sample.body)
        try await serving(.start { _ in Self.reply(coding, body) }) { _, client in
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .contentCoding)
            #expect(error?.phase == .receivingBody)
            #expect(error?.response?.statusCode == 200)
            let streamed = await callError {
                _ = try await client.stream(Request(.get, "x")) { response in
                    for try await _ in response.body {}
                }
            }
            #expect(streamed?.kind == .contentCoding)
        }
    }

    @Test(
        "BAD-INPUT 38: more than five codings are refused before the body is read",
        arguments: [
            "gzip, gzip, gzip, gzip, gzip, gzip", "br, zstd, gzip, deflate, br, zstd", "x, x, x, x, x, x",
        ])
    func tooManyCodings(_ codings: String) async throws {
        let server = try await ScriptedServer.start { _ in .stream(nil, headers: [.contentEncoding: codings]) }
        try await serving(server) { server, client in
            let error = await callError { _ = try await client.stream(Request(.get, "x")) { _ in } }
            #expect(error?.kind == .limitExceeded)
            #expect(error?.reason == "the response has 6 content codings, and at most 5 are allowed")
            try await server.waitUntil(openConnections: 0)
        }
    }

    /// Bombs of the codings whose libraries are installed. The bombs of gzip and zstd never end and are sent as fast as
    /// the client reads. The bombs of brotli are 64 MiB of zeros.
    private static let bombs = ReceivedCoding.available.filter { $0 != .deflate }

    private static func bomb(_ coding: ReceivedCoding) async throws -> ScriptedServer {
        let zeros = coding == .zstd ? Coded.endlessZstdZeros : Coded.endlessZeros
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.rawValue)\r\nConnection: close\r\n\r\n"
        if coding == .brotli {
            let coded = try #require(Coded.brotli([UInt8](repeating: 0, count: 64 << 20)))
            return try await .start { _ in [.bytes(head), .bytes(coded), .close] }
        }
        return try await .start { _ in [.bytes(head), .bytes(zeros.start), .repeating(zeros.piece)] }
    }

    @Test("BAD-INPUT 38: the buffered limit counts decoded bytes, and ends the transfer", arguments: bombs)
    func bufferedBomb(_ coding: ReceivedCoding) async throws {
        try await serving(Self.bomb(coding)) {
            $0.limits.bufferedBody = 16 << 20
        } _: { server, client in
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .limitExceeded)
            #expect(error?.reason == "the body is longer than 16777216 bytes (limits.bufferedBody)")
            try await server.waitUntil(openConnections: 0)
            // 16 MiB of zeros are 13 KB on the wire. All further bytes lay in the system's buffers.
            #expect(server.sentBodyBytes < 16 << 20)
        }
    }

    @Test("BAD-INPUT 38: a streamed bomb gives at most 256 KiB a pull", arguments: bombs)
    func streamedBomb(_ coding: ReceivedCoding) async throws {
        try await serving(Self.bomb(coding)) { server, client in
            let (total, largest) = try await client.stream(Request(.get, "x")) { response in
                var (total, largest) = (0, 0)
                for try await piece in response.body {
                    total += piece.count
                    largest = max(largest, piece.count)
                    if total > 32 << 20 { break }
                }
                return (total, largest)
            }
            #expect(total > 32 << 20)
            #expect(largest > 0 && largest <= 256 << 10)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.head, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1234\r\n\r\n"),
            (.get, "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"),
            (.get, "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 1234\r\n\r\n"),
            (.get, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
        ])
    func `a response without a body is none to decode`(method: HTTPRequest.Method, reply: String) async throws {
        try await serving(.start { _ in .bytes(reply) }) { server, client in
            for _ in 0..<2 {
                let response = try await client.send(Request(method, "x"))
                #expect(response.bytes.isEmpty)
                #expect(response.headers[.contentEncoding] == "gzip")
                #expect((response.headers[.contentLength] == "1234") == reply.contains("1234"))
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: ["compress", "dcz", "gzip, compress", "x, gzip", "brotli", "identity", "x", ","])
    func `a coding that was not asked for is left as it is, with its label`(coding: String) async throws {
        let body = Coded.gzip("hello")
        try await serving(.start { _ in Self.reply(coding, body) }) { _, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes(body))
            #expect(response.headers[.contentEncoding] == coding)
            #expect(response.headers[.contentLength] == "\(body.count)")
        }
    }

    @Test(arguments: ["gzip", "gzip, deflate", "identity", "br"])
    func `who sets Accept-Encoding himself gets the content as it came`(value: String) async throws {
        let body = Coded.gzip("hello")
        try await serving(.start { _ in Self.reply("gzip", body) }) { server, client in
            let response = try await client.get("x", headers: [.acceptEncoding: value])
            #expect(response.bytes == Bytes(body))
            #expect(response.headers[.contentEncoding] == "gzip")
            #expect(server.requests.first?.values("accept-encoding") == [value])
        }
    }

    @Test func `with decoding off nothing is asked for and nothing undone`() async throws {
        let body = Coded.gzip("hello")
        try await serving(.start { _ in Self.reply("gzip", body) }) {
            $0.decoding = .off
        } _: { server, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes(body))
            #expect(server.requests.first?["accept-encoding"] == nil)
        }
    }

    @Test func `a part of a content is asked for without a coding, and left as it came`() async throws {
        let body = Coded.gzip("hello")
        for status in [HTTPResponse.Status.ok, .partialContent] {
            let server = try await ScriptedServer.start { _ in
                .status(status, body, headers: [.contentEncoding: "gzip", .contentRange: "bytes 0-27/28"])
            }
            try await serving(server) { server, client in
                for client in [client, client.with { $0.headers[.range] = "bytes=0-27" }] {
                    let headers: RequestHeaders = client.configuration.headers.isEmpty ? [.range: "bytes=0-27"] : [:]
                    let response = try await client.get("x", headers: headers)
                    #expect(response.bytes == Bytes(body))
                    #expect(response.headers[.contentEncoding] == "gzip")
                }
                #expect(server.requests.map { $0.values("accept-encoding") } == [["identity"], ["identity"]])
                #expect(server.requests.map { $0["range"] } == ["bytes=0-27", "bytes=0-27"])
                _ = try await client.get("x", headers: [.range: "bytes=0-27", .acceptEncoding: "gzip"])
                #expect(server.requests.last?.values("accept-encoding") == ["gzip"])
            }
        }
    }

    @Test func `a part that nobody asked for is not decoded`() async throws {
        let part = Array(Coded.gzip("hello").dropFirst(5))
        let server = try await ScriptedServer.start { _ in
            .status(.partialContent, part, headers: [.contentEncoding: "gzip", .contentRange: "bytes 5-27/28"])
        }
        try await serving(server) { _, client in
            let response = try await client.get("x")
            #expect(response.bytes == Bytes(part) && response.headers[.contentEncoding] == "gzip")
        }
    }
}

extension [UInt8] {
    fileprivate func flippingByte(at index: Int) -> [UInt8] {
        var copy = self
        copy[index] ^= 1
        return copy
    }
}

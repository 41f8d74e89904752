// ErrorValueTests: what an error says about the response, and what a body is in tests and signers.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct ErrorValueTests {
    struct Problem: Decodable, Equatable, Sendable { let errorCode: Int }

    private let stub = StubTransport {
        $0.on("/bad").respond(status: .notFound, text: #"{"error_code": 7}"#)
        $0.on("*").respond(text: "hello")
    }

    @Test func `an error has the status, and decodes the body as the client says`() async throws {
        let client = Client("https://a.example", transport: stub) { $0.json.keys = .snakeCase }
        let error = try #require(await callError { _ = try await client.get("bad").accepted() })
        #expect(error.status == .notFound && error.decode(Problem.self) == Problem(errorCode: 7))
        #expect(error.decode([Int].self) == nil)
        let none = CallError(.timeout, "late")
        #expect(none.status == nil && none.decode(Problem.self) == nil)
    }

    @Test func `the body is Data, too`() async throws {
        let response = try await Client("https://a.example", transport: stub).get("x")
        #expect(response.data == Data("hello".utf8) && !response.isFromCache)
    }

    @Test func `a signer reads the body before it is sent, and a stub's record decodes it`() async throws {
        struct Signature: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response {
                var signed = request
                signed.headers["X-Length"] = "\(try await request.body.collect().count)"
                return try await next(signed)
            }
        }
        let client = Client("https://a.example", transport: stub) { $0.interceptors = [Signature()] }
        _ = try await client.post("x", json: ["errorCode": 7])
        let sent = try #require(stub.requests.last)
        #expect(sent.headers["X-Length"] == "15")
        #expect(try sent.body.json(Problem.self) == Problem(errorCode: 7))
        #expect(throws: CallError.self) { try sent.body.json([Int].self) }
        _ = try await client.post("x")
        #expect(stub.requests.last?.headers["X-Length"] == "0")
    }

    @Test func `bodies of every kind are collected, and a one-shot stream is not taken away`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "body")
            try Data("one two".utf8).write(to: file)
            let stream = RequestBody.stream {
                AsyncStream<[UInt8]> { continuation in
                    for piece in ["one", " two"] { continuation.yield(Array(piece.utf8)) }
                    continuation.finish()
                }
            }
            for body in [RequestBody.file(file), .text("one two"), stream, .text("one two").chunked()] {
                #expect(try await body.collect() == Bytes("one two"))
            }
            let long = try #require(await callError { _ = try await RequestBody.file(file).collect(upTo: 3) })
            #expect(long.kind == .limitExceeded)
            let missing = try #require(await callError { _ = try await RequestBody.file("/none").collect() })
            #expect(missing.kind == .file || missing.kind == .requestBody)
            let once = RequestBody.stream(once: AsyncStream<Data> { $0.finish() })
            let error = try #require(await callError { _ = try await once.collect() })
            #expect(error.kind == .requestBody && error.advice?.contains("opens it each time") == true)
        }
    }

    @Test(arguments: [
        "2026-11-21T04:35:47Z", "2026-11-21T04:35:47.25Z", "2026-11-21T13:35:47+09:00", "2026-11-21T04:35:47.250000Z",
    ])
    func `dates by ISO 8601 are read with fractions and offsets`(_ text: String) async throws {
        let stub = StubTransport { $0.on("*").respond(text: "[\"\(text)\"]") }
        let client = Client("https://a.example", transport: stub) { $0.json = .iso8601 }
        let date = try #require(try await client.get("x").json([Date].self).first)
        #expect(Int(date.timeIntervalSince1970) == 1_795_235_747)
    }

    @Test func `dates in a form of one's own are written and read`() async throws {
        let stub = StubTransport { $0.on("*").respond(text: #"["day 3"]"#) }
        let client = Client("https://a.example", transport: stub) {
            $0.json.dates = .custom(
                write: { "day \(Int($0.timeIntervalSince1970) / 86_400)" },
                read: {
                    $0.split(separator: " ").last.flatMap { Double($0) }.map {
                        Date(timeIntervalSince1970: $0 * 86_400)
                    }
                })
        }
        let days = try await client.post("x", json: [Date(timeIntervalSince1970: 86_400)]).json([Date].self)
        #expect(days == [Date(timeIntervalSince1970: 3 * 86_400)])
        #expect(stub.requests.last?.body.bytes == Bytes(#"["day 1"]"#))
        let wrong = StubTransport { $0.on("*").respond(text: #"["s3cret"]"#) }
        let error = await callError {
            _ = try await Client("https://a.example", transport: wrong) { $0.json = .iso8601 }.get("x").json(
                [Date].self)
        }
        #expect(error?.kind == .decoding && error?.reason.contains("s3cret") == false, "\(error as Any)")
    }

    @Test func `a charset is forced, and a page names its own`() async throws {
        let stub = StubTransport {
            $0.on("/wrong").respond(headers: [.contentType: "text/html; charset=utf-8"], body: Bytes([0xA4, 0xA2]))
            $0.on("/meta").respond(
                headers: [.contentType: "text/html"], body: Bytes(Array("<meta charset=euc-jp>".utf8) + [0xA4, 0xA2]))
        }
        let client = Client("https://a.example", transport: stub)
        #expect(try await client.get("wrong").text(charset: .eucJP) == "あ")
        #expect(try await client.get("wrong").text() != "あ")
        #expect(try await client.get("meta").text().hasSuffix("あ"))
        let response = try await client.get("wrong")
        #expect(throws: CallError.self) { try response.text(charset: .utf8, strict: true) }
    }

    @Test func `a request becomes an HTTPRequest, and back`() throws {
        let request = Request(
            .post, url: "https://a.example:8443/x?a=1", headers: [.accept: "b", "X-A": "c"], body: .text("d"))
        let made = try request.httpRequest()
        #expect(made.scheme == "https" && made.authority == "a.example:8443" && made.path == "/x?a=1")
        let back = Request(made, body: request.body)
        #expect(back.uri == request.uri && back.headers == request.headers && back.method == .post)
        #expect(throws: CallError.self) { try Request(.get, "x").httpRequest() }
        #expect(throws: CallError.self) {
            try Request(.get, url: "https://a.example", headers: ["a b": "c"]).httpRequest()
        }
        let asked = Request(HTTPRequest(method: .options, scheme: "http", authority: "a.example", path: "*"))
        #expect(asked.asksServer && asked.uri?.string == "http://a.example/")
        #expect(try asked.httpRequest().path == "*")
        #expect(Request(HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)).uri == nil)
    }

    @Test func `progress says what remains`() {
        #expect(TransferProgress(bytes: 3, total: 10).remaining == 7)
        #expect(TransferProgress(bytes: 12, total: 10).remaining == 0)
        #expect(TransferProgress(bytes: 3, total: nil).remaining == nil)
    }
}

// ResponseValueTests: values of responses: their types, their errors, and empty responses.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ResponseValueTests {
    struct User: Codable, Sendable, Equatable {
        var name: String
        var age: Int?
    }

    private static func response(
        _ text: String, status: HTTPResponse.Status = .ok, type: String? = nil, method: HTTPRequest.Method = .get
    ) -> Response {
        response(Bytes(text), status: status, type: type, method: method)
    }

    private static func response(
        _ bytes: Bytes, status: HTTPResponse.Status = .ok, type: String? = nil, method: HTTPRequest.Method = .get
    ) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        return Response(
            status: status, headers: headers, body: bytes, request: Request(method, url: "https://a.example/x"))
    }

    /// A response whose body is still arriving.
    private static func streaming(_ text: String) async throws -> Response {
        final class Pieces: BodySource, @unchecked Sendable {
            private var rest: [UInt8]
            init(_ text: String) { rest = text.utf8.reversed() }
            func next() async throws(CallError) -> Bytes? { rest.popLast().map { Bytes([$0]) } }
            func cancel() {}
        }
        var response = response("")
        response.body = ResponseBody(Pieces(text))
        return response
    }

    // MARK: Values

    @Test func `json is there synchronously, asynchronously, and out of a stream`() async throws {
        let text = #"{"name":"燕","age":3}"#
        let user = User(name: "燕", age: 3)
        let response = Self.response(text)
        let asynchronous = try await response.json(User.self)
        #expect(asynchronous == user)
        let inferred: User = try await response.json()
        #expect(inferred == user)
        let synchronous = try { () throws(CallError) in try response.json(User.self, decoder: JSONDecoder()) }()
        #expect(synchronous == user)
        let streamed = try await Self.streaming(text).json(User.self)
        #expect(streamed == user)
    }

    @Test func `a decoder of one's own is used`() async throws {
        struct Post: Decodable, Sendable { var madeBy: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let post = try await Self.response(#"{"made_by":"me"}"#).json(Post.self, decoder: decoder)
        #expect(post.madeBy == "me")
    }

    @Test(
        arguments: [
            (Array("größe".utf8), nil, "größe"), ([0x67, 0xF6], "text/plain; charset=iso-8859-1", "gö"),
            ([0x80], "text/plain; charset=windows-1252", "€"), ([0x88, 0xEA], "text/html; charset=Shift_JIS", "一"),
            ([0xB0, 0xEC], "text/html; charset=\"EUC-JP\"", "一"),
            ([0xFF, 0xFE, 0x67, 0], "text/plain; charset=x", "g"),
            ([0xFF, 0xFE, 0, 0, 0x67, 0, 0, 0], "text/plain; charset=utf-8", "g"),
            ([0xA4, 0xA4], "text/plain; charset=big5", "中"), ([0xD6, 0xD0], "text/plain; charset=gb2312", "中"),
            ([0x1B, 0x24, 0x42, 0x46, 0x7C], "text/plain; charset=iso-2022-jp", "日"),
            ([0xEF, 0xBB, 0xBF, 0x67], "text/plain; charset=iso-8859-1", "g"), ([0x67, 0xFF], nil, "g\u{FFFD}"),
            ([], "text/plain", ""),
        ] as [([UInt8], String?, String)])
    func `text is by its byte order mark, its charset, or UTF-8`(bytes: [UInt8], type: String?, text: String)
        async throws
    {
        let response = Self.response(Bytes(bytes), type: type)
        let asynchronous = try await response.text()
        #expect(asynchronous == text)
        let synchronous = try { () throws(CallError) in try response.text() }()
        #expect(synchronous == text)
    }

    @Test func `read strictly, the first wrong byte is an error that names charset and place`() async throws {
        let response = Self.response(Bytes([0x41, 0xB0, 0xEC, 0xB0]), type: "text/html; charset=EUC-JP")
        let replaced = try await response.text()
        #expect(replaced == "A一\u{FFFD}")
        let error = await callError { _ = try await response.text(strict: true) }
        #expect(error?.kind == .decoding)
        #expect(error?.underlying as? MalformedTextError == MalformedTextError(charset: .eucJP, offset: 3))
        #expect(error?.description.contains("not valid EUC-JP at byte 3") == true)
        #expect(throws: CallError.self) { try { () throws(CallError) in _ = try response.text(strict: true) }() }
        let whole = try await Self.response("一", type: "text/html; charset=utf-8").text(strict: true)
        #expect(whole == "一")
    }

    @Test func `a default charset counts where none is named`() async throws {
        let unnamed = try await Self.response(Bytes([0x88, 0xEA]), type: "text/html").text(defaultCharset: .shiftJIS)
        #expect(unnamed == "一")
        let named = try await Self.response("一", type: "text/html; charset=utf-8").text(defaultCharset: .shiftJIS)
        #expect(named == "一")
    }

    @Test func `the client's default charset counts where none is named, in every way to send`() async throws {
        let japanese: [UInt8] = [0x88, 0xEA]
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/named": .ok("一", headers: [.contentType: "text/plain; charset=utf-8"])
            case "/marked": .ok([0xEF, 0xBB, 0xBF] + Array("一".utf8), headers: [.contentType: "text/plain"])
            case "/away": .redirect(to: "/plain")
            default: .ok(japanese, headers: [.contentType: "text/plain"])
            }
        }
        struct Echo: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        try await serving(server) {
            $0.defaultCharset = .shiftJIS
        } _: { server, client in
            for path in ["plain", "named", "marked", "away"] as [RequestPath] {
                let sent = try await client.get(path).text()
                let streamed = try await client.stream(Request(.get, path)) { try await $0.text() }
                let waited = try await onThread { try client.blocking.send(Request(.get, path)).text() }
                let guarded = try await client.with { $0.interceptors = [Echo()] }.get(path).text()
                #expect([sent, streamed, waited, guarded] == Array(repeating: "一", count: 4), "\(path.encoded)")
            }
            let asked = try await client.get("plain").text(defaultCharset: .eucJP)
            #expect(asked != "一")
            let plain = try await client.with { $0.defaultCharset = nil }.get("plain").text()
            #expect(plain == "\u{FFFD}\u{FFFD}")
            // Independent of later redirects of the response.
            var request = Request(.get, "plain")
            request.acceptedStatuses = StatusSet(500...500)
            let refused = await callError { [request] in _ = try await client.send(request).text() }
            #expect(refused?.kind == .status)
        }
    }

    @Test func `a form keeps order and repetition`() async throws {
        let form = try await Self.response("a=1&b=x%20y&a=2&c").form()
        #expect(form == ["a": "1", "b": "x y", "a": "2", "c": ""])
    }

    @Test func `a stream must be awaited`() async throws {
        let response = try await Self.streaming("x")
        #expect(throws: CallError.self) { try { () throws(CallError) in _ = try response.text() }() }
        #expect(response.bytes.isEmpty)
    }

    // MARK: Empty responses

    @Test(
        arguments: [
            (HTTPResponse.Status.noContent, HTTPRequest.Method.get), (.resetContent, .post), (.ok, .head),
        ])
    func `an empty 204, 205 or HEAD is an empty value`(status: HTTPResponse.Status, method: HTTPRequest.Method)
        async throws
    {
        let response = Self.response("", status: status, method: method)
        let optional = try await response.json(User?.self)
        let array = try await response.json([User].self)
        let dictionary = try await response.json([String: User].self)
        let empty = try await response.json(EmptyResponse.self)
        let text = try await response.text()
        let form = try await response.form()
        #expect(optional == nil && array.isEmpty && dictionary.isEmpty && empty == EmptyResponse())
        #expect(text.isEmpty && form.isEmpty)
        let error = await callError { _ = try await response.json(User.self) }
        #expect(error?.kind == .decoding)
    }

    @Test func `an empty body where there should be one is no value`() async throws {
        let response = Self.response("")
        for error in [
            await callError({ _ = try await response.json(User?.self) }),
            await callError({ _ = try await response.json([User].self) }),
        ] {
            #expect(error?.kind == .decoding)
        }
    }

    @Test(arguments: ["", "not JSON", "[]"]) func `Empty decodes from any body`(text: String) async throws {
        let value = try await Self.response(text).json(EmptyResponse.self)
        #expect(value == EmptyResponse())
    }

    // MARK: Statuses

    @Test func `a value of a status that is not accepted throws, the response itself does not`() async throws {
        let response = Self.response(#"{"error":"none"}"#, status: .notFound)
        for error in [
            await callError({ _ = try await response.json(User.self) }),
            await callError({ _ = try await response.text() }),
            await callError({ _ = try await response.form() }),
            await callError({ try response.accepted() }),
            await callError({ try await response.save(to: URL(filePath: "/nowhere/file")) }),
        ] {
            #expect(error?.kind == .status)
            #expect(error?.response?.status == .notFound)
            #expect(error?.response?.bytes == Bytes(#"{"error":"none"}"#))
        }
    }

    @Test func `what is accepted is the request's affair`() async throws {
        var request = Request(.get, url: "https://a.example/x")
        request.acceptedStatuses = .successful.union(404...404)
        let response = Response(status: .notFound, body: Bytes("none"), request: request)
        let text = try await response.accepted().text()
        #expect(text == "none")
        request.acceptedStatuses = StatusSet(200...200)
        let created = Response(status: .created, request: request)
        #expect(throws: CallError.self) { try created.accepted() }
    }

    @Test func `the error keeps 64 KiB of the body and no more`() {
        let body = Bytes([UInt8](repeating: 0x78, count: 100_000))
        let error = #expect(throws: CallError.self) {
            try Self.response(body, status: .internalServerError).accepted()
        }
        #expect(error?.response?.bytes.count == 64 << 10)
    }

    // MARK: Files

    @Test func `the error of a streamed response carries the beginning of its body`() async throws {
        let body = String(repeating: "why ", count: 50_000)
        try await serving(.start { _ in .status(.internalServerError, body) }) { _, client in
            for read in [
                { @Sendable (response: Response) in try await response.save(to: URL(filePath: "/nowhere/file")) },
                { @Sendable (response: Response) in _ = try await response.accepted() },
                { @Sendable (response: Response) in _ = try await response.text() },
            ] {
                let error = await callError { try await client.stream(Request(.get, "x"), read) }
                #expect(error?.kind == .status && error?.response?.bytes == Bytes(body.prefix(64 << 10)))
            }
        }
    }

    @Test func `a value of a streamed response has the client's limit`() async throws {
        try await serving(
            .start { _ in .chunked([String(repeating: "x", count: 3_000)]) }, { $0.limits.bufferedBody = 1_000 }
        ) { _, client in
            let error = await callError { try await client.stream(Request(.get, "x")) { _ = try await $0.text() } }
            #expect(error?.kind == .limitExceeded)
            let large = client.with { $0.limits.bufferedBody = 3_000 }
            let text = try await large.stream(Request(.get, "x")) { try await $0.text() }
            #expect(text.utf8.count == 3_000)
        }
    }

    @Test func `a body is saved whole, or not at all`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "x.txt")
        try await Self.streaming("hello").save(to: file)
        let first = try String(contentsOf: file, encoding: .utf8)
        #expect(first == "hello")

        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell"), .close]
        }
        try await serving(server) { _, client in
            let error = await callError {
                try await client.stream(Request(.get, "x")) { try await $0.save(to: file) }
            }
            #expect(error?.kind == .incompleteResponse)
        }
        let second = try String(contentsOf: file, encoding: .utf8)
        #expect(second == "hello")
        try await Self.response("new").save(to: file)
        let third = try String(contentsOf: file, encoding: .utf8)
        #expect(third == "new")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files == ["x.txt"])

        let error = await callError { try await Self.response("x").save(to: folder.appending(path: "no/file")) }
        #expect(error?.kind == .file)
        let longest = folder.appending(path: String(repeating: "n", count: 255))
        try await Self.response("long").save(to: longest)
        #expect(longest.bytes == Array("long".utf8))
        let remote = try #require(URL(string: "https://a.example\(file.path)"))
        let misuse = await callError { try await Self.response("x").save(to: remote) }
        #expect(misuse?.kind == .misuse && file.bytes == Array("new".utf8))
    }

    @Test(arguments: [0o600, 0o640, 0o444, 0o666])
    func `a file that is replaced keeps its permissions`(mode: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "x")
        try Data("before".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        try await Self.response("after").save(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "after")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == mode)
    }
}

// URLSessionLimitsTests: the limits of FoundationNetworking, each with the clear end that the transport gives it.
#if canImport(FoundationNetworking)

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@testable import TsubameURLSession

@Suite(.timeLimit(.minutes(1))) struct URLSessionLimitsTests {
    private func serving<R>(
        _ server: ScriptedServer, _ configure: @escaping (inout Configuration) -> Void = { _ in },
        _ body: (ScriptedServer, Client) async throws -> R
    ) async throws -> R {
        try await server.use { server in
            let client = Client(server.url, transport: URLSessionTransport()) {
                $0.connection.proxy = .none
                $0.retry = .off
                configure(&$0)
            }
            let result: Result<R, any Error>
            do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
            await client.close()
            try await server.waitUntil(openConnections: 0)
            return try result.get()
        }
    }

    private static func request(_ change: (inout Request) -> Void) -> Request {
        var request = Request(.options, "x")
        change(&request)
        return request
    }

    @Test(arguments: [
        (Request(.get, "x", body: .text("hello")), "no body with GET"),
        (request { $0.asksServer = true }, "the target *"),
        (Request(.post, "x", body: RequestBody.text("a").with(trailers: { [.eTag: "x"] })), "trailer fields"),
    ])
    func `a request that URLSession would change is refused`(_ request: Request, _ words: String) async throws {
        try await serving(try await .start()) { server, client in
            let error = await #expect(throws: CallError.self) { _ = try await client.send(request) }
            #expect(error?.kind == .unsupported, "\(String(describing: error))")
            #expect(error?.reason.contains(words) == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `settings of connections are refused, and no request is sent`() async throws {
        try await serving(try await .start(), { $0.connection.connectionsPerOrigin = 1 }) { server, client in
            let error = await #expect(throws: CallError.self) { _ = try await client.get("x") }
            #expect(error?.kind == .unsupported)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `proxies of the environment are refused by name`() throws {
        try URLSessionTransport.check(environment: .none)
        let error = #expect(throws: CallError.self) {
            try URLSessionTransport.check(environment: .url("http://proxy.example:8080"))
        }
        #expect(error?.kind == .unsupported && error?.advice?.contains("http_proxy") == true)
    }

    @Test(arguments: [
        ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", CallError.Kind.tls),
        ("SSL peer certificate or SSH remote key was not OK", .tls),
        ("OpenSSL SSL_read: Connection reset by peer, errno 104", .connectionLost),
        ("OpenSSL SSL_write: Broken pipe, errno 32", .connectionLost),
    ])
    func `libcurl's words say whether TLS has failed, or its connection was lost`(
        _ text: String, _ kind: CallError.Kind
    ) {
        let error = NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(CallError(error, phase: .waitingForHead).kind == kind)
    }

    @Test func `a server that does not speak TLS is an error of TLS, and is not asked again`() async throws {
        let server = try await ScriptedServer.start(onConnect: { _ in
            [.bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close]
        })
        try await serving(server, { $0.retry = .standard }) { server, client in
            let error = await #expect(throws: CallError.self) {
                _ = try await client.get(url: "https://127.0.0.1:\(server.port)/")
            }
            #expect(error?.kind == .tls && error?.phase == .securing, "\(String(describing: error))")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `fields of one name are joined, and those of Set-Cookie separated again`() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nVary: a\r\nVary: b\r\nSet-Cookie: a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT\r\n"
            + "Set-Cookie: b=2, c\r\nContent-Length: 0\r\n\r\n"
        try await serving(try await .start(replies: [.bytes(head)])) { server, client in
            let response = try await client.get("x")
            #expect(response.headers[values: "Vary"] == ["a, b"])
            #expect(
                response.headers[values: "Set-Cookie"] == [
                    "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2, c",
                ])
        }
    }

    @Test func `a coded body has no coding any more`() async throws {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
            0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
        ]
        let reply = Reply.ok(gzip, headers: [.contentEncoding: "gzip"])
        try await serving(try await .start { _ in reply }, { $0.decoding = .off }) { _, client in
            let response = try await client.get("x")
            #expect(try await response.text() == "hello")
            #expect(response.headers["Content-Encoding"] == nil && response.headers["Content-Length"] == nil)
        }
    }

    /// Bodies that are longer than the reader's memory. Swift Testing prints arguments whole, so they are names.
    enum LongBody: CaseIterable, Sendable {
        case endless
        /// The server stops after 4 MiB, so the error comes before more is held.
        case stopping

        var reply: Reply {
            switch self {
            case .endless: .stream(nil)
            case .stopping:
                [.bytes("HTTP/1.1 200 OK\r\n\r\n"), .content([UInt8](repeating: 0, count: 4 << 20)), .stall]
            }
        }
    }

    @Test(arguments: LongBody.allCases)
    func `a reader that is much slower than the server gets an error, and the exchange ends`(_ body: LongBody)
        async throws
    {
        let server = try await ScriptedServer.start(replies: [body.reply])
        try await serving(server, { $0.limits.bufferedBody = 1 << 20 }) { server, client in
            let error = await #expect(throws: CallError.self) {
                try await client.stream("x") { response in
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                    // The transport ends the exchange while nothing is read.
                    try await server.waitUntil(openConnections: 0)
                    while try await iterator.next() != nil {}
                }
            }
            #expect(error?.kind == .limitExceeded && error?.phase == .receivingBody, "\(String(describing: error))")
        }
    }

    @Test func `a redirect without a target has a status, but its body is an error`() async throws {
        let text = "HTTP/1.1 302 Found\r\nContent-Length: "
        let replies: [Reply] = [.bytes(text + "0\r\n\r\n"), .bytes(text + "3\r\n\r\nbye")]
        try await serving(try await .start(replies: replies)) { _, client in
            let status = try await client.stream("x") { response in
                _ = try await response.body.collect()
                return response.statusCode
            }
            #expect(status == 302)
            let error = await #expect(throws: CallError.self) {
                try await client.stream("x") { response in _ = try await response.body.collect() }
            }
            #expect(error?.kind == .incompleteResponse)
        }
    }

    @Test func `a body without an end is refused`() async throws {
        let body = RequestBodyReader(
            BytesReader(Bytes([UInt8](repeating: 1, count: 200_000))), length: nil, trailers: nil,
            check: { (_: HTTPFields) throws(CallError) in },
            report: { (_: RequestBodyReader.Step) throws(CallError) in })
        let folder = FileManager.default.temporaryDirectory.appending(path: "bodies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = await #expect(throws: CallError.self) {
            _ = try await BodyPipe(body, in: folder, mostBytes: 100_000)
        }
        #expect(error?.kind == .limitExceeded && error?.advice?.contains("use another transport") == true)
        // Nothing of the body is left.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1, b", ["a=1, b"]),
        ("a=1; Path=/,b=2", ["a=1; Path=/", "b=2"]),
        ("a=\"x, y\", b=2", ["a=\"x, y\"", "b=2"]), ("", [""]), (",", [","]), ("a=1,, b=2", ["a=1,", "b=2"]),
    ])
    func `cookies that were joined are separated`(_ joined: String, _ cookies: [String]) {
        #expect(HTTPFields.separatedCookies(joined) == cookies)
    }
}
#endif

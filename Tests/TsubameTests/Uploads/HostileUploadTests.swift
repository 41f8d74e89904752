// What a server says of an upload is not believed, and what it names is not trusted.

import Foundation
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HostileUploadTests {
    private static let content = ServedFile(count: 300_000).content

    /// Breaks the first request off, and answers the others by `script`.
    private func interrupted(
        _ offer: Reply.Step = UploadScript.offer(), _ script: @escaping @Sendable (ReceivedRequest) -> Reply,
        _ body: (ScriptedServer, Client) async throws -> Void
    ) async throws {
        let seen = SeenOffers()
        let server = try await ScriptedServer.start(
            script, onHead: { $0.index == 0 ? UploadScript.broken(offer, seen[0]) : nil })
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let observation = client.observe { seen.take($0) }
            try await body(server, client)
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [
        ("300001", "", "300001 bytes, and there are 300000"), ("999999999999999", "", "and there are 300000"),
        ("-1", "", "does not say"), ("1.0", "", "does not say"), ("x", "", "does not say"), ("", "", "does not say"),
        ("?1", "", "does not say"), ("1, 1", "", "does not say"), ("99999999999999999999", "", "does not say"),
        ("49999", "", "49999 bytes, after it had 50000"),
        ("50000", "Upload-Length: 299999\r\n", "expects 299999 bytes, and there are 300000"),
        ("50000", "Upload-Limit: max-size=299999\r\n", "takes no more than 299999"),
    ])
    func `a place to go on from that cannot be is an error, and nothing is sent there`(
        offset: String, more: String, reason: String
    ) async throws {
        try await interrupted(UploadScript.offer("/u/1", "Upload-Offset: 50000\r\n")) { request in
            request.method == "HEAD" ? UploadScript.has(offset, more) : .status(.noContent)
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == (more.contains("Limit") ? .limitExceeded : .invalidResponse), "\(error)")
            #expect(error.reason.contains(reason), "\(error)")
            // What nobody goes on with is given up.
            let last = try await server.request(2)
            #expect(last.method == "DELETE" && last.target == "/u/1" && server.requests.count == 3)
        }
    }

    @Test func `what is said to be complete with too few bytes is not`() async throws {
        try await interrupted { request in
            request.method == "HEAD" ? UploadScript.has("299999", complete: true) : .status(.noContent)
        } _: { _, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(
                error.kind == .invalidResponse && error.reason.contains("complete with 299999 of 300000"), "\(error)")
        }
    }

    @Test(arguments: [
        ("Upload-Offset: 9999999999\r\n", "and there are"), ("Upload-Limit: max-size=10\r\n", "no more than 10"),
        ("Upload-Limit: min-size=1000000000\r\n", "no fewer than 1000000000"),
        ("Upload-Limit: max-append-size=0\r\n", "none in one request"), ("", "one place to go on at, and then another"),
    ])
    func `what makes it vain ends it at once, without a word to the end of the body`(lines: String, reason: String)
        async throws
    {
        // The end of the connection lies behind the bytes that were not read.
        let end = Gate()
        let server = try await ScriptedServer.start { _ in
            .status(.noContent)
        } onHead: { request in
            guard request.index == 0 else { return nil }
            let second = lines.isEmpty ? [UploadScript.offer("/u/2")] : []
            return Reply(
                [.stopReading, UploadScript.offer("/u/1", lines)] + second + [.wait(for: end), .resumeReading, .stall])
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            defer { end.open() }
            let content = [UInt8](repeating: 7, count: 20 << 20)
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(content)), resume: true)
            }
            #expect(error.kind == (lines.contains("Limit") ? .limitExceeded : .invalidResponse), "\(error)")
            #expect(error.reason.contains(reason), "\(error)")
            let last = try await server.request(1)
            #expect(last.method == "DELETE" && server.requests[0].bodyByteCount < content.count)
        }
    }

    @Test(arguments: [
        "Upload-Limit: max-size=\"10\"\r\n", "Upload-Limit: max-size=10, min-append-size=?1\r\n",
        "Upload-Limit: max-size=10,\r\n", "Upload-Limit: MAX-SIZE=10\r\n", "Upload-Limit: max-sizes=10\r\n",
        "Upload-Offset: \"9999999999\"\r\n",
    ])
    func `a field that is not what it should be counts as none`(lines: String) async throws {
        let server = try await ScriptedServer.start { _ in [UploadScript.offer("/u/1", lines)] + .ok("done") }
        try await serving(server) { _, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 200)
        }
    }

    @Test(arguments: [404, 410, 403]) func `an upload that its server does not have any more ends as it broke off`(
        status: Int
    ) async throws {
        try await interrupted { _ in
            .status(HTTPResponse.Status(code: status))
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect([.connectionLost, .emptyReply, .incompleteResponse].contains(error.kind), "\(error)")
            #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        }
    }

    @Test(arguments: ["http://[::1", "ftp://a/b", "http://a:99999/"]) func `a place that is none is not gone to`(
        location: String
    ) async throws {
        try await interrupted(UploadScript.offer(location)) { _ in
            .ok()
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            _ = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(server.requests.count == 1)
            #expect(events.decisions.contains { $0.contains("the upload is not resumed: the place to go on at") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `from https nothing goes on without protection, unless redirects may`() throws {
        let base = try TargetURI(parsing: "https://a.example/x")
        func resource(_ allowsInsecure: Bool) throws -> UploadResource {
            try UploadResource(
                ["http://a.example/u"], from: base, isForeign: false,
                UploadResource.Trust(home: base.origin, allowedOrigins: [], allowsInsecure: allowsInsecure))
        }
        #expect(throws: UploadResource.Unusable.self) { try resource(false) }
        #expect(try resource(true).isForeign)
    }

    @Test func `a limit that comes too late to interrupt ends what follows`() async throws {
        struct Passing: Around {
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        let server = try await ScriptedServer.start { request in
            request.method == "POST"
                ? [UploadScript.offer("/u/1", "Upload-Limit: max-append-size=-5\r\n")] + .status(.badGateway)
                : .status(.noContent)
        }
        try await serving(server) {
            $0.retry = .prompt
            $0.interceptors += [Passing()]
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Array("hello".utf8))), resume: true)
            }
            #expect(error.kind == .limitExceeded, "\(error)")
            #expect(try await server.request(1).method == "DELETE")
        }
    }

    @Test func `credentials and fields go to the same origin, and to no other`() async throws {
        for isForeign in [false, true] {
            let other = try await ScriptedServer.start { request in
                request.method == "HEAD" ? UploadScript.has("100000") : UploadScript.done
            }
            try await other.use { other in
                let script: @Sendable (ReceivedRequest) -> Reply = { request in
                    request.method == "HEAD" ? UploadScript.has("100000") : UploadScript.done
                }
                let seen = SeenOffers()
                let place = isForeign ? other.url + "/u/1" : "u/1"
                let server = try await ScriptedServer.start(
                    script,
                    onHead: { $0.index == 0 ? UploadScript.broken(UploadScript.offer(place), seen[0]) : nil })
                try await serving(server) {
                    $0.retry = .prompt
                    $0.authentication = .basic(user: "me", password: "xyzzy")
                    $0.headers[.init("X-Client") ?? .via] = "mine"
                } _: { server, client in
                    let observation = client.observe { seen.take($0) }
                    var request = Request(.post, "a", body: .bytes(Self.content))
                    request.headers[.init("X-Api-Key") ?? .via] = "plugh"
                    request.headers[.cookie] = "session=1"
                    request.headers[.ifMatch] = "\"1\""
                    request.headers[.contentDisposition] = "inline"
                    let response = try await client.upload(request, resume: true)
                    #expect(response.statusCode == 200)
                    let rest = isForeign ? other.requests : Array(server.requests.dropFirst())
                    #expect(rest.map(\.method) == ["HEAD", "PATCH"])
                    #expect(rest.last?.body == Array(Self.content[100_000...]))
                    for request in rest {
                        #expect((request["authorization"] != nil) == !isForeign)
                        #expect((request["x-api-key"] == "plugh") == !isForeign)
                        #expect((request["cookie"] != nil) == !isForeign && (request["x-client"] != nil) == !isForeign)
                        #expect(request["if-match"] == nil && request["content-disposition"] == nil)
                    }
                    withExtendedLifetime(observation) {}
                }
            }
        }
    }
}

// HostileUploadTests: a client does not trust a server's statements about an upload, nor the URLs that it names.

import Foundation
import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HostileUploadTests {
    private static let content = ServedFile(count: 300_000).content

    /// Interrupts the first request, and answers the others by `script`.
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
            // An upload that cannot be resumed is cancelled at the server.
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

    @Test(arguments: ["299999", "300001"]) func `nor is the answer to all of it believed`(offset: String) async throws {
        let server = try await ScriptedServer.start { request in
            request.method == "POST"
                ? [UploadScript.offer()] + UploadScript.has(offset, complete: true) : .status(.noContent)
        }
        try await serving(server) { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .invalidResponse && error.reason.contains("with \(offset) of 300000"), "\(error)")
            #expect(try await server.request(1).method == "DELETE")
        }
    }

    @Test(arguments: [
        ("100000", "complete with 100000"), ("", "complete with 100000"), ("300000", "complete with 100000"),
    ])
    func `nor is a part the whole, whatever is said of it`(offset: String, reason: String) async throws {
        try await interrupted(UploadScript.offer("/u/1", "Upload-Limit: max-append-size=100000\r\n")) { request in
            switch request.method {
            case "HEAD": UploadScript.has("0")
            case "PATCH": UploadScript.has(offset, complete: true)
            default: .status(.noContent)
            }
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .invalidResponse && error.reason.contains(reason), "\(error)")
            #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
        }
    }

    @Test func `no part has brought more than was in it`() async throws {
        try await interrupted(UploadScript.offer("/u/1", "Upload-Limit: max-append-size=100000\r\n")) { request in
            request.method == "HEAD" ? UploadScript.has("0") : UploadScript.has("100001")
        } _: { _, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .invalidResponse && error.reason.contains("only 100000 were sent"), "\(error)")
        }
    }

    @Test func `a server that takes nothing more is asked as often as the policy says`() async throws {
        try await interrupted(UploadScript.offer("/u/1", "Upload-Limit: max-append-size=100000\r\n")) { _ in
            UploadScript.has("100000")
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .invalidResponse && error.reason.contains("takes nothing more"), "\(error)")
            #expect(server.requests.prefix(7).map(\.method) == ["POST"] + (0..<3).flatMap { _ in ["HEAD", "PATCH"] })
        }
    }

    @Test func `no server has bytes that were never sent`() async throws {
        let end = Gate()
        let server = try await ScriptedServer.start { _ in
            .status(.noContent)
        } onHead: { request in
            guard request.index == 0 else { return nil }
            return [
                .stopReading, UploadScript.offer("/u/1", "Upload-Offset: 20971519\r\n"), .wait(for: end),
                .resumeReading, .stall,
            ]
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            defer { end.open() }
            let content = [UInt8](repeating: 7, count: 20 << 20)
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(content)), resume: true)
            }
            #expect(error.kind == .invalidResponse && error.reason.contains("were sent"), "\(error)")
        }
    }

    @Test func `the first place stays, whatever others are named`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case "POST":
                [UploadScript.offer(), UploadScript.offer("/u/2"), UploadScript.offer("http://[::1")]
                    + .status(.badGateway)
            case "HEAD": UploadScript.has("7")
            default: UploadScript.done
            }
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 200 && server.requests.map(\.target) == ["/a", "/u/1", "/u/1"])
        }
    }

    @Test(arguments: [
        ("Upload-Offset: 9999999999\r\n", "and there are"), ("Upload-Limit: max-size=10\r\n", "no more than 10"),
        ("Upload-Limit: min-size=1000000000\r\n", "no fewer than 1000000000"),
        ("Upload-Limit: max-append-size=0\r\n", "none in one request"),
    ])
    func `what makes it vain ends it at once, without a word to the end of the body`(lines: String, reason: String)
        async throws
    {
        // The end of the connection lies after the unread bytes.
        let end = Gate()
        let server = try await ScriptedServer.start { _ in
            .status(.noContent)
        } onHead: { request in
            guard request.index == 0 else { return nil }
            return [.stopReading, UploadScript.offer("/u/1", lines), .wait(for: end), .resumeReading, .stall]
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
            #expect(events.decisions.contains { $0.contains("the upload is not resumed: the upload resource") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `from https nothing goes on without protection, unless redirects may`() throws {
        let base = try TargetURI(parsing: "https://a.example/x")
        let plain = try TargetURI(parsing: "http://a.example/u")
        func resource(_ allowsInsecure: Bool) throws -> UploadResource {
            try UploadResource(
                ["http://a.example/u"], from: base,
                UploadResource.Trust(
                    home: base, isCrossOrigin: false, allowedOrigins: [plain.origin], allowsInsecure: allowsInsecure))
        }
        #expect(throws: UploadResource.Unusable.self) { try resource(false) }
        #expect(throws: UploadResource.Unusable.self) { try resource(RedirectPolicy.off.allowsInsecure) }
        #expect(try resource(true).uri == plain)
    }

    @Test func `a limit that comes too late to interrupt ends what follows`() async throws {
        struct Passing: Interceptor {
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
}

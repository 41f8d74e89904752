// UploadPlaceTests: the URL at which an upload resumes, and the fields that are sent there.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct UploadPlaceTests {
    private static let content = ServedFile(count: 300_000).content

    /// Reports the bytes before the interruption, and takes the rest.
    private static func rest(_ request: ReceivedRequest) -> Reply {
        request.method == "HEAD" ? UploadScript.has("100000") : UploadScript.done
    }

    /// A server that offers this URL and interrupts the upload, and a second server.
    private func serving(
        _ place: @escaping @Sendable (_ other: String) -> String,
        _ configure: (inout Configuration, _ other: String) -> Void,
        _ body: (_ server: ScriptedServer, _ other: ScriptedServer, Client) async throws -> Void
    ) async throws {
        let other = try await ScriptedServer.start { Self.rest($0) }
        try await other.use { other in
            let seen = SeenOffers()
            let url = other.url
            let server = try await ScriptedServer.start {
                Self.rest($0)
            } onHead: {
                $0.index == 0 ? UploadScript.broken(UploadScript.offer(place(url)), seen[0]) : nil
            }
            try await TsubameTests.serving(server) {
                $0.retry = .prompt
                $0.authentication = .basic(user: "me", password: "xyzzy")
                $0.headers[.init("X-Client") ?? .via] = "mine"
                configure(&$0, url)
            } _: { server, client in
                let observation = client.observe { seen.take($0) }
                try await body(server, other, client)
                withExtendedLifetime(observation) {}
            }
        }
    }

    private static func request(_ request: Request) -> Request {
        var request = request
        request.body = .bytes(content)
        request.headers[.init("X-Api-Key") ?? .via] = "plugh"
        request.headers[.cookie] = "session=1"
        request.headers[.ifMatch] = "\"1\""
        request.headers[.contentDisposition] = "inline"
        return request
    }

    @Test(arguments: [false, true]) func `credentials and fields go to the same origin, and to an allowed one`(
        isAllowed: Bool
    ) async throws {
        try await serving {
            isAllowed ? $0 + "/u/1" : "u/1"
        } _: { configuration, other in
            if isAllowed, let origin = Origin(other) { configuration.allowedOrigins = [origin] }
        } _: { server, other, client in
            let response = try await client.upload(Self.request(Request(.post, "a")), resume: true)
            let rest = isAllowed ? other.requests : Array(server.requests.dropFirst())
            #expect(response.statusCode == 200 && rest.map(\.method) == ["HEAD", "PATCH"])
            #expect(rest.last?.body == Array(Self.content[100_000...]))
            for request in rest {
                #expect(request["authorization"] != nil && request["x-client"] == "mine")
                #expect(request["x-api-key"] == "plugh" && request["cookie"] != nil)
                #expect(request["if-match"] == nil && request["content-disposition"] == nil)
            }
        }
    }

    @Test func `a place at another origin is none: nothing goes there, not even to give it up`() async throws {
        try await serving {
            $0 + "/u/1"
        } _: { _, _ in
        } _: { server, other, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let error = try await failure { try await client.upload(Self.request(Request(.post, "a")), resume: true) }
            #expect([.connectionLost, .emptyReply, .incompleteResponse].contains(error.kind), "\(error)")
            #expect(events.decisions.contains { $0.contains("at another origin") })
            #expect(server.requests.count == 1 && other.requests.isEmpty)
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: [false, true]) func `whom a redirect leads to names no places, neither at home nor of its own`(
        isHome: Bool
    ) async throws {
        let home = Log<String>()
        let other = try await ScriptedServer.start { request in
            let place = isHome ? (home.all.first ?? "") + "/account" : "/u/1"
            return request.method == "POST" ? [UploadScript.offer(place)] + .status(.badGateway) : .status(.noContent)
        }
        try await other.use { other in
            let url = other.url
            let server = try await ScriptedServer.start { _ in
                .status(.temporaryRedirect, headers: [.location: url + "/b"])
            }
            try await TsubameTests.serving(server, { $0.retry = .prompt }) { server, client in
                home.add(server.url)
                let events = Log<CallEvent>()
                let observation = client.observe { events.add($0) }
                let response = try await client.upload(Self.request(Request(.post, "a")), resume: true)
                #expect(response.statusCode == 502)
                #expect(server.requests.map(\.method) == ["POST"] && other.requests.map(\.method) == ["POST"])
                #expect(events.decisions.contains { $0.contains("a redirect has led it to another origin") })
                withExtendedLifetime(observation) {}
            }
        }
    }

    @Test(arguments: ["POST", "PATCH"])
    func `the GET after a 303 says nothing of the upload`(redirected: String) async throws {
        let server = try await ScriptedServer.start { request in
            switch request.method {
            case redirected:
                let offer = redirected == "POST" ? [UploadScript.offer()] : []
                return offer + .status(.seeOther, headers: [.location: "/done"])
            case "POST": return [UploadScript.offer()] + .status(.badGateway)
            case "HEAD": return UploadScript.has("5")
            default: return .ok("done")
            }
        }
        try await TsubameTests.serving(server, { $0.retry = .prompt }) { server, client in
            _ = try? await client.upload(Self.request(Request(.post, "a")), resume: true)
            let get = try #require(server.requests.first { $0.method == "GET" })
            #expect(get.target == "/done")
            for name in ["complete", "length", "offset", "draft-interop-version"] {
                #expect(get["upload-\(name)"] == nil, "\(name)")
            }
        }
    }

    @Test func `an upload outside the client's base goes on with the caller's own fields`() async throws {
        let base = try await ScriptedServer.start { _ in .ok() }
        try await base.use { base in
            let seen = SeenOffers()
            let server = try await ScriptedServer.start {
                Self.rest($0)
            } onHead: {
                $0.index == 0 ? UploadScript.broken(UploadScript.offer(), seen[0]) : nil
            }
            try await TsubameTests.serving(server, base: base.url) {
                $0.retry = .prompt
                $0.headers[.init("X-Client") ?? .via] = "mine"
            } _: { server, client in
                let observation = client.observe { seen.take($0) }
                let request = Self.request(Request(.post, url: server.url + "/a"))
                let response = try await client.upload(request, resume: true)
                #expect(response.statusCode == 200 && server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
                for request in server.requests {
                    #expect(request["x-api-key"] == "plugh" && request["x-client"] == nil)
                }
                withExtendedLifetime(observation) {}
            }
        }
    }
}

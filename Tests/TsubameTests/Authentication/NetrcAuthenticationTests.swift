// NetrcAuthenticationTests: names and passwords from a netrc file, and the hosts that receive them.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct NetrcAuthenticationTests {
    /// A file with this text, which exists as long as `body` runs.
    private func file<R>(_ text: String, _ body: (_ path: String) async throws -> R) async throws -> R {
        let path = FileManager.default.temporaryDirectory.appending(path: "netrc-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// The Authorization of a request for `url`.
    private func sent(_ text: String, base: String? = nil, to url: String) async throws -> String? {
        try await file(text) { path in
            let stub = StubTransport { $0.on("*") }
            _ = try await Client(base, transport: stub) { $0.authentication = .netrc(path) }.get(url: url)
            return stub.requests.last?.headers[.authorization]
        }
    }

    private static let file = "machine a.example login user password pw default login all password any"

    @Test(arguments: [
        ("https://a.example/", "Basic dXNlcjpwdw=="), ("http://A.EXAMPLE:8080/x", "Basic dXNlcjpwdw=="),
        ("https://b.example/", "Basic YWxsOmFueQ=="), ("https://me:x@a.example/", "Basic bWU6eA=="),
        ("https://user@a.example/", "Basic dXNlcjpwdw=="), ("https://me@a.example/", "Basic bWU6"),
    ])
    func `a host gets its own, or the default`(url: String, field: String) async throws {
        #expect(try await sent(Self.file, to: url) == field)
    }

    @Test func `a host that the file does not name gets nothing`() async throws {
        #expect(try await sent("machine a.example login user", to: "https://b.example/") == nil)
        #expect(try await sent("machine a.example account x", to: "https://a.example/") == nil)
    }

    @Test("BAD-INPUT 21, 34: another origin gets nothing, whatever the file says of it") func foreign() async throws {
        let text = Self.file + "\nmachine b.example login other password secret"
        #expect(try await sent(text, base: "https://a.example", to: "https://b.example/") == nil)
        #expect(try await sent(text, base: "https://a.example", to: "http://a.example/") == nil)
        try await file(text) { path in
            let stub = StubTransport {
                $0.on("https://a.example/go").respond(status: .found, headers: [.location: "https://b.example/"])
                $0.on("*")
            }
            let client = Client(transport: stub) { $0.authentication = .netrc(path) }
            _ = try await client.get(url: "https://a.example/go")
            #expect(stub.requests.map { $0.headers[.authorization] } == ["Basic dXNlcjpwdw==", nil])
        }
    }

    @Test func `it answers a challenge of Digest`() async throws {
        let keeper = DigestGuard()
        try await file("machine 127.0.0.1 login user password s3cret") { path in
            try await serving(.start { keeper.reply(to: $0) }, { $0.authentication = .netrc(path) }) {
                (server, client) async throws in
                for _ in 0..<2 { #expect(try await client.get("a").statusCode == 200) }
                #expect(server.schemes == ["Basic", "Digest", "Digest"])
            }
        }
    }

    @Test func `a file that cannot be understood fails every call, with its line`() async throws {
        try await file("machine a.example\nlogin user password s3cret or two") { path in
            let stub = StubTransport { $0.on("*") }
            let client = Client(transport: stub) { $0.authentication = .netrc(path) }
            for _ in 0..<2 {
                let error = await callError { _ = try await client.get(url: "https://b.example/") }
                #expect(error?.kind == .file && error?.phase == .preparing)
                #expect((error?.underlying as? NetrcError)?.line == 2)
                #expect(error?.reason.hasPrefix("the netrc file \(path) cannot be understood: line 2: ") == true)
                #expect(error.map { "\($0)".contains("s3cret") || "\($0)".contains("two") } == false)
            }
            #expect(stub.requests.isEmpty)
        }
    }

    @Test func `a file that is named and not there fails every call`() async throws {
        let client = Client(transport: StubTransport { $0.on("*") }) { $0.authentication = .netrc("/nowhere/netrc") }
        let error = await callError { _ = try await client.get(url: "https://a.example/") }
        #expect(error?.kind == .file && error?.reason == "the netrc file /nowhere/netrc cannot be read")
    }

    @Test func `what cannot be sent is refused`() async throws {
        try await file(#"machine a.example login user password "s3cret\n""#) { path in
            let client = Client(transport: StubTransport { $0.on("*") }) { $0.authentication = .netrc(path) }
            let error = await callError { _ = try await client.get(url: "https://a.example/") }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.reason == "the netrc file's name or password holds a control character")
        }
    }

    @Test("BAD-INPUT 20: the file's content is in no text") func texts() async throws {
        try await file("machine a.example login user password s3cret") { path in
            var configuration = Configuration()
            configuration.authentication = .netrc(path)
            var text = "\(configuration)\(String(reflecting: configuration))"
            dump(configuration, to: &text)
            #expect(!text.contains("s3cret"))
        }
    }
}

// HostileRequestTests: what a caller or a redirect puts into a request reaches a real server unchanged or not at all.
#if TestServer
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HostileRequestTests {
    private static let invalid: [(name: String, make: @Sendable (_ url: String) -> Request)] = [
        ("a line end in the path", { Request(.get, url: "\($0)/a\r\nX: y") }),
        ("a NUL in the query", { Request(.get, url: "\($0)/?a=\u{0}") }),
        ("a tab in the host", { Request(.get, url: $0.replacing("127", with: "12\t7")) }),
        ("a line end in the userinfo", { Request(.get, url: $0.replacing("//", with: "//me:\r\n@")) }),
        ("a line end in a value", { Request(.get, url: $0, headers: ["X-A": "a\r\nX-B: c"]) }),
        ("a line end in a name", { Request(.get, url: $0, headers: ["X-A\r\nX-B": "c"]) }),
        ("a pseudo-field", { Request(.get, url: $0, headers: [":path": "/"]) }),
        (
            "a line end in a content type",
            { Request(.post, url: $0, body: .text("x", contentType: "text/plain\r\nX-B: c")) }
        ),
        ("Content-Length", { Request(.post, url: $0, headers: ["Content-Length": "3"], body: .text("x")) }),
        ("Transfer-Encoding", { Request(.post, url: $0, headers: ["Transfer-Encoding": "gzip"], body: .text("x")) }),
    ]

    @Test(arguments: invalid.indices)
    func `BAD-INPUT 17 and 19: an invalid request is an error, and nothing is sent`(_ index: Int) async throws {
        let server = try await ScriptedServer.start { _ in .ok() }
        try await withClient(server.url) { api in
            let error = await #expect(throws: CallError.self) {
                _ = try await api.send(Self.invalid[index].make(server.url))
            }
            #expect(error?.kind == .invalidRequest, "\(Self.invalid[index].name): \(String(describing: error))")
        }
        #expect(server.acceptedConnections == 0)
        await server.stop()
    }

    @Test func `BAD-INPUT 17: a line end in an HTTPField arrives as spaces`() async throws {
        let server = try await ScriptedServer.start { _ in .ok() }
        try await withClient(server.url) { api in
            var request = Request(.get, "x")
            request.headers.append(HTTPField(name: .from, value: "a\r\nX-B: c\u{0}"))
            _ = try await api.send(request)
            let received = try await server.request(0)
            let values = received.values("From")
            #expect(values.map { $0.trimmingPrefix("a  ").hasPrefix("X-B: c") } == [true], "\(values)")
            #expect(received["X-B"] == nil)
        }
        await server.stop()
    }

    @Test func `BAD-INPUT 18: names of a form cannot add a field or a part`() async throws {
        let server = try await ScriptedServer.start { _ in .ok() }
        try await withClient(server.url) { api in
            let name = "a\"; filename=\"evil\"\r\nX-Evil: yes\r\n\r\nb"
            for _ in 1...2 {
                let form = RequestBody.multipart {
                    $0.field(name, "one")
                    $0.bytes("file", Bytes("two"), filename: name, contentType: "text/plain")
                }
                _ = try await api.post("form", body: form)
            }
            let bodies = server.requests.map(\.text)
            try #require(bodies.count == 2)
            let lines = bodies[0].split(separator: "\r\n")
            #expect(lines.filter { $0.hasPrefix("Content-Disposition:") }.count == 2)
            #expect(!lines.contains { $0.hasPrefix("X-Evil") } && !bodies[0].contains("\"evil\""))
            // Each body has a boundary of its own.
            #expect(lines.first != bodies[1].split(separator: "\r\n").first)
        }
        await server.stop()
    }

    @Test(arguments: [
        ("c", "/a/c"), ("./c", "/a/c"), ("../c", "/c"), ("../../../c", "/c"), ("/c/./d/../e", "/c/e"),
        ("?y=2", "/a/b?y=2"),
        ("c?y=2", "/a/c?y=2"),
    ])
    func `BAD-INPUT 25: a relative Location is resolved, and the fragment inherited`(
        _ location: String, _ target: String
    ) async throws {
        let server = try await ScriptedServer.start { request in
            request.index == 0 ? .redirect(to: location) : .ok("there")
        }
        try await withClient(server.url) { api in
            let response = try await api.get(url: "\(server.url)/a/b?x=1#part")
            #expect(response.request.uri?.string == "\(server.url)\(target)#part")
            #expect(server.requests.map(\.target) == ["/a/b?x=1", target])
        }
        await server.stop()
    }

    @Test(arguments: [
        "http://a\\@evil/", "http://a\tb/", "http://a\nb/", "http://a@b@c/", "http://[::1%25eth0]/", "http://a%2Fb/",
        "http://a:0/", "http://a:65536/", "http://a:99999999999999999999/", "http:///x", "http://", "http://?x",
    ])
    func `BAD-INPUT 26: a URL that can be read in two ways is an error`(_ url: String) async {
        let api = Client()
        let error = await #expect(throws: CallError.self) { _ = try await api.get(url: url) }
        #expect(error?.kind == .invalidRequest, "\(String(describing: error))")
        await api.close()
    }

    @Test func `BAD-INPUT 26: the host ends at the fragment`() async throws {
        let server = try await ScriptedServer.start { _ in .ok() }
        try await withClient(server.url, { $0.connection.resolve = ["a.test": "127.0.0.1"] }) { api in
            let url = "http://a.test:\(server.port)#@evil.test/"
            _ = try await api.get(url: url)
            let received = try await server.request(0)
            #expect(received["Host"] == "a.test:\(server.port)")
            #expect(received.target == "/")
        }
        await server.stop()
    }
}
#endif

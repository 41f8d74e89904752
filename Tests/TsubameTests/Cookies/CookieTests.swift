// CookieTests: cookies through a client: the cookies that it keeps, and the requests that carry them (RFC 6265bis).

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CookieTests {
    /// A stub whose responses to `/set` carry these Set-Cookie fields.
    private static func stub(setting fields: String...) -> StubTransport {
        StubTransport {
            var headers = HTTPFields()
            for field in fields { headers.append(HTTPField(name: .setCookie, value: field)) }
            $0.on("*")
            $0.on("/set").respond(headers: RequestHeaders(headers))
            $0.on("/dir/set").respond(headers: RequestHeaders(headers))
        }
    }

    /// The Cookie field of a GET of `url` after a GET of `setter`.
    private static func cookie(
        _ fields: String, from setter: String = "https://a.example/set", to url: String
    ) async throws -> String? {
        let stub = stub(setting: fields)
        let client = Client(transport: stub) { $0.cookies = .memory }
        _ = try await client.get(url: setter)
        _ = try await client.get(url: url)
        return stub.requests.last?.headers[.cookie]
    }

    @Test func `a login's cookie opens the page behind it`() async throws {
        let server = try await ScriptedServer.start { request in
            if request.path == "/login", request.text == "name=me&password=pw" {
                return [
                    .bytes("HTTP/1.1 303 See Other\r\nLocation: /me\r\nSet-Cookie: session=1; Path=/; HttpOnly\r\n"),
                    .bytes("Content-Length: 0\r\n\r\n"),
                ]
            }
            return request["cookie"] == "session=1" ? .ok("hello me") : .status(.unauthorized)
        }
        try await serving(server) {
            $0.cookies = .memory
        } _: { server, client in
            let before = try await client.get("me")
            #expect(before.status == .unauthorized)
            // The cookie of the redirect is sent in the next hop.
            let login = try await client.post("login", form: ["name": "me", "password": "pw"])
            #expect(login.history.count == 1)
            let text = try await client.get("me").text()
            #expect(text == "hello me")

            let view = client.with { $0.timeouts.total = .seconds(30) }
            let shared = try await view.get("me").text()
            #expect(shared == "hello me")
            let other = Client(server.url)
            let stranger = try await other.get("me")
            #expect(stranger.status == .unauthorized)
            await other.close()
        }
    }

    @Test func `the shared client keeps no cookies, nor does one that was not told to`() async throws {
        guard case .off = CookieMode(Client.shared) else {
            Issue.record("Client.shared has a jar")
            return
        }
        let stub = Self.stub(setting: "a=b")
        let client = Client(transport: stub)
        _ = try await client.get(url: "https://a.example/set")
        _ = try await client.get(url: "https://a.example/")
        #expect(stub.requests.last?.headers[.cookie] == nil)
    }

    @Test func `a jar of one's own can be looked into, shared and cleared`() async throws {
        let jar = CookieJar()
        let stub = Self.stub(setting: "a=b; Path=/; HttpOnly", "c=d")
        let first = Client("https://a.example", transport: stub) { $0.cookies = .jar(jar) }
        let second = Client("https://a.example", transport: stub) { $0.cookies = .jar(jar) }
        _ = try await first.get("set")
        #expect(jar.cookies.map(\.name) == ["a", "c"])
        #expect(jar.cookies.map(\.value) == ["b", "d"])
        #expect(jar.cookies.first?.isHTTPOnly == true)
        _ = try await second.get("x")
        #expect(stub.requests.last?.headers[.cookie] == "a=b; c=d")
        try jar.clear()
        _ = try await second.get("x")
        #expect(stub.requests.last?.headers[.cookie] == nil)
    }

    @Test(
        arguments: [
            // Without Domain for the host alone, with Domain for its subdomains too.
            ("a=b", "https://a.example/", true), ("a=b", "https://www.a.example/", false),
            ("a=b; Domain=a.example", "https://www.a.example/", true),
            ("a=b; Domain=a.example", "https://b.example/", false),
            ("a=b; Domain=a.example", "https://ba.example/", false),
            ("a=b; Domain=b.example", "https://b.example/", false),
            ("a=b; Domain=example", "https://b.example/", false),
            // Another port is the same host for cookies.
            ("a=b", "https://a.example:8443/", true),
            ("a=b; Path=/x", "https://a.example/x", true), ("a=b; Path=/x", "https://a.example/x/y", true),
            ("a=b; Path=/x", "https://a.example/xy", false), ("a=b; Path=/x", "https://a.example/", false),
            ("a=b; Secure", "https://a.example/", true), ("a=b; Secure", "http://a.example/", false),
            ("a=b", "http://a.example/", true),
            ("a=b; Max-Age=0", "https://a.example/", false), ("a=b; Max-Age=-1", "https://a.example/", false),
            ("a=b; Max-Age=60", "https://a.example/", true),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://a.example/", false),
            ("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "https://a.example/", true),
            ("a=b; Expires=garbage", "https://a.example/", true),
        ])
    func `a cookie goes where it belongs`(field: String, url: String, goes: Bool) async throws {
        let cookie = try await Self.cookie(field, to: url)
        #expect(cookie == (goes ? "a=b" : nil))
    }

    @Test func `the default path is that of the request`() async throws {
        let setter = "https://a.example/dir/set"
        let below = try await Self.cookie("a=b", from: setter, to: "https://a.example/dir/x")
        let above = try await Self.cookie("a=b", from: setter, to: "https://a.example/x")
        #expect(below == "a=b" && above == nil)
    }

    @Test("BAD-INPUT 30: a Secure cookie is neither set nor overwritten over http") func secure() async throws {
        let set = try await Self.cookie("a=b; Secure", from: "http://a.example/set", to: "https://a.example/")
        #expect(set == nil)
        let jar = CookieJar()
        let stub = StubTransport {
            $0.on("https://a.example/set").respond(headers: [.setCookie: "a=safe; Secure"])
            $0.on("http://a.example/set").respond(headers: [.setCookie: "a=evil"])
        }
        let client = Client(transport: stub) { $0.cookies = .jar(jar) }
        _ = try await client.get(url: "https://a.example/set")
        _ = try await client.get(url: "http://a.example/set")
        #expect(jar.cookies.map(\.value) == ["safe"])
    }

    @Test func `a cookie that has ended is gone from the jar`() async throws {
        let jar = CookieJar()
        let stub = StubTransport {
            $0.on("/set").respond(headers: [.setCookie: "a=b"]).respond(headers: [.setCookie: "a=; Max-Age=0"])
        }
        let client = Client("https://a.example", transport: stub) { $0.cookies = .jar(jar) }
        _ = try await client.get("set")
        #expect(jar.cookies.count == 1)
        _ = try await client.get("set")
        #expect(jar.cookies.isEmpty)
    }

    @Test("BAD-INPUT 29: more than 50 cookies in one response are not all taken") func tooMany() async throws {
        let jar = CookieJar()
        let stub = StubTransport {
            var headers = HTTPFields()
            for index in 0..<60 { headers.append(HTTPField(name: .setCookie, value: "c\(index)=x")) }
            $0.on("/set").respond(headers: RequestHeaders(headers))
        }
        _ = try await Client("https://a.example", transport: stub) { $0.cookies = .jar(jar) }.get("set")
        #expect(jar.cookies.count == 50)
    }

    @Test func `cookies set by hand and those of the jar are one Cookie line, the former first`() async throws {
        let server = try await ScriptedServer.start { _ in .ok("", headers: [.setCookie: "jar=1"]) }
        try await serving(server) {
            $0.cookies = .memory
        } _: { server, client in
            _ = try await client.get("x")
            _ = try await client.get("x", headers: [.cookie: "hand=2; other=3"])
            let request = try await server.request(1)
            #expect(request.values("cookie") == ["hand=2; other=3; jar=1"])
        }
    }

    @Test func `every response counts, errors and redirects to elsewhere too`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request["host"] {
            case "a.example":
                .bytes(
                    "HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")
            default: .status(.serviceUnavailable, headers: [.setCookie: "b=2"])
            }
        }
        let jar = CookieJar()
        try await serving(server, base: "http://a.example") {
            $0.cookies = .jar(jar)
            $0.connection.resolve = hosts(["a.example:80", "b.example:80"], at: server)
        } _: { server, client in
            for _ in 0..<2 { _ = try await client.get("x") }
            #expect(jar.cookies.map { "\($0.name)@\($0.domain)" } == ["a@a.example", "b@b.example"])
            // The jar does not belong to the client's own origin: each cookie knows its host.
            #expect(server.requests.map { $0["cookie"] } == [nil, nil, "a=1", "b=2"])
        }
    }
}

/// Whether a client keeps cookies, as its chain shows.
private enum CookieMode {
    case off, on

    init(_ client: Client) { self = "\(client.chain)".contains("Cookies") ? .on : .off }
}

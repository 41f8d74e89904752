// RedactionTests: BAD-INPUT 20: no text shows a credential unless the caller asks for it.

import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite struct RedactionTests {
    private static let secret = "s3cret"

    /// Every text form of a value.
    private static func texts<T>(_ value: T) -> String {
        var text = "\(value)\n" + String(reflecting: value) + "\n" + String(describing: Optional(value)) + "\n"
        dump(value, to: &text)
        text += "\(Mirror(reflecting: value).children.map { "\($0.value)" })"
        return text
    }

    private static func expectNoSecret<T>(in value: T, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = texts(value)
        #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
        // Not in another form either: base64 of `user:s3cret`, or of the secret alone.
        #expect(!text.contains("dXNlcjpzM2NyZXQ"), sourceLocation: sourceLocation)
        #expect(!text.contains("czNjcmV0"), sourceLocation: sourceLocation)
    }

    private static let headers: HTTPFields = {
        var headers: HTTPFields = [
            .authorization: "Bearer s3cret", .proxyAuthorization: "Basic s3cret", .cookie: "session=s3cret",
            .accept: "text/html", .location: "https://user:s3cret@b.example/?code=s3cret",
            .referer: "https://b.example/#access_token=s3cret",
        ]
        for name in ["X-Api-Key", "X-Auth-Token", "X-Signature", "Client-Secret"] {
            if let name = HTTPField.Name(name) { headers[name] = "s3cret" }
        }
        headers.append(HTTPField(name: .setCookie, value: "session=s3cret; Path=/"))
        return headers
    }()

    private static let url = "https://user:s3cret@a.example/x?q=1&token=s3cret&Password=s3cret#key=s3cret"

    private static func request() -> Request {
        Request(.post, url: url, headers: RequestHeaders(headers), body: .form(["password": "s3cret"]))
    }

    @Test("BAD-INPUT 20: a request") func request() {
        Self.expectNoSecret(in: Self.request())
        Self.expectNoSecret(
            in: Request(.get, "x?token=s3cret", query: ["api_key": "s3cret"], headers: RequestHeaders(Self.headers)))
        #expect(
            Self.request().summary
                == "POST https://a.example/x?q=1&token=[redacted]&Password=[redacted]#key=[redacted]")
        #expect("\(Self.request())".contains("Accept: text/html"))
    }

    @Test(
        "BAD-INPUT 20: a URL that is refused",
        arguments: [
            "ftp://user:s3cret@a.example/", "user:s3cret@a.example/x", "https://user:s3cret@a.example:0/?token=s3cret",
            "https://us@er:s3cret@a.example/", "https://user:s3cret@/", "https://user:s3cret@a.example\\x/",
            "https://user:s3cret@a b/", "//user:s3cret@a.example/", "https://user:s3cret@a.example/\u{1}?key=s3cret",
        ])
    func refusedURL(url: String) async {
        let request = Request(.get, url: url)
        Self.expectNoSecret(in: request)
        let error = await callError { _ = try await Client(transport: StubTransport()).send(request) }
        #expect(error?.kind == .invalidRequest)
        if let error { Self.expectNoSecret(in: error) }
        Self.expectNoSecret(in: Client(url))
    }

    @Test("BAD-INPUT 20: a path that is refused", arguments: ["a//b?token=s3cret", "x?key=s3cret", "../?token=s3cret"])
    func refusedPath(path: String) async throws {
        let request = Request(.get, RequestPath(encoded: path))
        Self.expectNoSecret(in: request)
        let error = try #require(await callError { _ = try await Client().send(request) })
        #expect(error.kind == .invalidRequest)
        Self.expectNoSecret(in: error)
    }

    @Test(
        "BAD-INPUT 20: a combining mark hides nothing",
        arguments: [
            "https://user:s3cret@\u{301}host/", "https://\u{301}user:s3cret@host/", "ftp://a/?token=\u{301}s3cret",
            "ftp://a/?token\u{301}=s3cret", "ftp://a/?x=1&\u{301}token=s3cret", "ftp://a/\u{301}?token=s3cret",
            "ftp://a/?\u{301}token=s3cret",
        ])
    func combiningMarks(url: String) async throws {
        Self.expectNoSecret(in: Request(.get, url: url))
        let error = try #require(await callError { _ = try await Client().send(Request(.get, url: url)) })
        Self.expectNoSecret(in: error)
    }

    @Test("a client says which names are secret") func ownSecrets() async throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("/x").respond(status: .forbidden) }) {
            $0.secrets = ["pin"]
        }
        let events = Log<String>()
        let observation = client.observe { events.add("\($0.kind)") }
        defer { observation.cancel() }
        let response = try await client.get("x", query: ["PIN": "s3cret", "token": "shown"])
        let error = try #require(await callError { try response.accepted() })
        #expect("\(error)".contains("PIN=[redacted]&token=shown"), "\(error)")
        Self.expectNoSecret(in: error)
        #expect(!events.all.joined().contains("s3cret"))
    }

    @Test("BAD-INPUT 20: a response, its error and its history") func response() async throws {
        let stub = StubTransport {
            var headers = Self.headers
            headers[.location] = "https://a.example/y?token=s3cret"
            $0.on("/x").respond(status: .seeOther, headers: RequestHeaders(headers))
            $0.on("/y").respond(status: .forbidden, headers: RequestHeaders(headers))
        }
        let response = try await Client(transport: stub).send(Self.request())
        #expect(response.history.count == 1)
        Self.expectNoSecret(in: response)
        Self.expectNoSecret(in: response.headers)
        Self.expectNoSecret(in: response.history)
        Self.expectNoSecret(in: response.request)
        let error = #expect(throws: CallError.self) { try response.accepted() }
        if let error { Self.expectNoSecret(in: error) }
    }

    @Test("BAD-INPUT 20: a client and what it is made of") func client() {
        let jar = CookieJar()
        let client = Client("https://user:s3cret@a.example/v1?key=s3cret") {
            $0.headers = RequestHeaders(Self.headers)
            $0.authentication = .basic(user: "user", password: "s3cret")
            $0.cookies = .jar(jar)
            $0.interceptors = [CommonParameters { ["token": "s3cret"] }, Holder(token: "s3cret")]
        }
        Self.expectNoSecret(in: client)
        Self.expectNoSecret(in: client.configuration)
        Self.expectNoSecret(in: client.chain)
        Self.expectNoSecret(in: client.blocking)
        Self.expectNoSecret(in: client.configuration.authentication)
        #expect("\(client)" == "client of https://a.example/v1?key=[redacted]")
        let description = "\(client.configuration)"
        #expect(description.contains("Accept: text/html") && description.contains("Holder"))
    }

    private struct Holder: MessageHook {
        let token: String
    }

    @Test("BAD-INPUT 20: a cookie and its jar") func cookies() async throws {
        let cookie = Cookie(name: "session", value: "s3cret", domain: "a.example")
        Self.expectNoSecret(in: cookie)
        let jar = CookieJar()
        let stub = StubTransport { $0.on("/x").respond(headers: [.setCookie: "session=s3cret"]) }
        let client = Client("https://a.example", transport: stub) { $0.cookies = .jar(jar) }
        _ = try await client.get("x")
        #expect(jar.cookies.map(\.value) == ["s3cret"])
        Self.expectNoSecret(in: jar)
        Self.expectNoSecret(in: jar.cookies)
        Self.expectNoSecret(in: client.configuration.cookies)
        Self.expectNoSecret(in: client)
    }

    @Test("BAD-INPUT 20: events and calls") func events() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: .found, headers: [.location: "/y?token=s3cret"])
            $0.on("/y").respond(status: .found, headers: [.location: "http://a.example/?token=s3cret"])
        }
        let events = Log<CallEvent>()
        let client = Client(transport: stub)
        let observation = client.observe { events.add($0) }
        _ = try await client.send(Self.request())
        #expect(events.decisions.count == 1 && events.resendings.count == 1)
        for event in events.all { Self.expectNoSecret(in: event) }
        let call = client.makeCall(Self.request())
        Self.expectNoSecret(in: call)
        #expect("\(call)".hasSuffix(": \(Self.request().summary)"))
        call.finish(.cancelled)
        observation.cancel()
    }

    @Test("BAD-INPUT 20: an error that carries all of it") func error() {
        let error = CallError(
            .connectionLost, "gone", underlying: Leaky(), request: Self.request(),
            response: Response(status: .ok, headers: Self.headers, body: Bytes("s3cret"), request: Self.request()))
        Self.expectNoSecret(in: error)
        Self.expectNoSecret(in: Result<Int, CallError>.failure(error))
    }

    private struct Leaky: Error { let password = "s3cret" }
}

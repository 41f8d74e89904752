// CrossOriginFieldsTests: the client's own fields, in requests that hold the same fields before they enter the chain.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct CrossOriginFieldsTests {
    /// `/start` at the client's origin redirects to another origin.
    private static func stub() -> StubTransport {
        StubTransport {
            $0.on("https://a.example/plain")
            $0.on("https://a.example/start").respond(status: .found, headers: [.location: "https://b.example/end"])
            $0.on("https://b.example/end")
        }
    }

    private static func client(_ stub: StubTransport, _ interceptors: [any Interceptor] = []) -> Client {
        Client("https://a.example", transport: stub) {
            $0.headers = ["X-Api-Key": "s3cret", .userAgent: "the client's", .from: "the client's"]
            $0.interceptors = interceptors
            $0.authentication = .token(
                TokenAuthenticator(AccessToken("t0k3n"), scheme: "", field: .token) { _ in AccessToken("t0k3n") })
        }
    }

    /// Checks that the caller's own fields are still there.
    private static func check(_ request: Request?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = try #require(request, sourceLocation: sourceLocation)
        #expect(request.uri?.origin == Origin("https://b.example"), sourceLocation: sourceLocation)
        #expect(request.headers[.apiKey] == nil && request.headers[.token] == nil, sourceLocation: sourceLocation)
        #expect(request.headers[.userAgent] == "Tsubame/\(Client.version)", sourceLocation: sourceLocation)
        #expect(request.headers[.from] == "the caller's", sourceLocation: sourceLocation)
        #expect(request.headers[.accept] == "text/html", sourceLocation: sourceLocation)
    }

    private static let request = Request(
        .get, "start", headers: [.accept: "text/html", .from: "the caller's"])

    @Test("FAULT 10, BAD-INPUT 21: a request of a response leaves the client's fields at home")
    func ofResponse() async throws {
        let stub = Self.stub()
        let client = Self.client(stub)
        let first = try await client.send(Request(.get, "plain", headers: Self.request.headers))
        #expect(first.request.headers[.apiKey] == "s3cret" && first.request.headers[.token] == "t0k3n")
        let uri = try TargetURI(parsing: "https://a.example/start")
        _ = try await client.send(Request(.get, uri: uri, headers: first.request.headers))
        #expect(stub.requests.count == 3)
        #expect(stub.requests[1].headers[.apiKey] == "s3cret")
        try Self.check(stub.requests.last)
    }

    @Test("FAULT 10, BAD-INPUT 21: a request that an interceptor rebuilt leaves the client's fields at home")
    func rebuilt() async throws {
        let stub = Self.stub()
        let interceptor = InterceptorTests.TestInterceptor { request, next in
            let uri = try TargetURI(parsing: "https://a.example/start")
            return try await next(Request(.get, uri: uri, headers: request.headers))
        }
        _ = try await Self.client(stub, [interceptor]).send(Request(.get, "plain", headers: Self.request.headers))
        #expect(stub.requests.map { $0.headers[.apiKey] } == ["s3cret", nil])
        try Self.check(stub.requests.last)
    }

    @Test("FAULT 10, BAD-INPUT 21: nor does one on the wire take the client's credentials along")
    func onTheWire() async throws {
        let stub = Self.stub()
        let interceptor = InterceptorTests.TestInterceptor { request, next in
            let uri = try TargetURI(parsing: "https://b.example/end")
            return try await next(Request(.get, uri: uri, headers: request.headers))
        }
        let client = Client("https://a.example", transport: stub) {
            $0.authentication = .basic(user: "u", password: "p")
            $0.cookies = .memory
            $0.wireInterceptors = [interceptor]
        }
        try client.cookieJar?.set("sid=1", from: "https://a.example")
        _ = try await client.get("plain")
        let only = try #require(stub.requests.first)
        #expect(stub.requests.count == 1 && only.uri?.origin == Origin("https://b.example"))
        #expect(only.headers[.authorization] == nil && only.headers[.cookie] == nil)
    }

    @Test("FAULT 10, BAD-INPUT 21: an interceptor that sends elsewhere takes none of the client's fields along")
    func elsewhere() async throws {
        let stub = Self.stub()
        let interceptor = InterceptorTests.TestInterceptor { request, next in
            let uri = try TargetURI(parsing: "https://b.example/end")
            return try await next(Request(.get, uri: uri, headers: request.headers))
        }
        _ = try await Self.client(stub, [interceptor]).send(Self.request)
        let only = try #require(stub.requests.first)
        #expect(stub.requests.count == 1 && only.headers[.apiKey] == nil && only.headers[.token] == nil)
        #expect(only.headers[.from] == "the caller's" && only.headers[.userAgent] != "the client's")
    }

    @Test(
        "BAD-INPUT 21: a rebuilt request of a call to another origin does not come home",
        arguments: ["https://b.example/end", "https://b.example/other"])
    func rebuiltElsewhere(_ url: String) async throws {
        let stub = StubTransport {
            $0.on("https://b.example/end")
            $0.on("https://b.example/other")
        }
        let interceptor = InterceptorTests.TestInterceptor { request, next in
            let uri = try TargetURI(parsing: url)
            return try await next(Request(.get, uri: uri, headers: request.headers))
        }
        for isOnTheWire in [false, true] {
            let client = Client("https://a.example", transport: stub) {
                $0.authentication = .bearer("t0k3n")
                if isOnTheWire { $0.wireInterceptors = [interceptor] } else { $0.interceptors = [interceptor] }
            }
            _ = try await client.get(url: "https://b.example/end")
            let last = try #require(stub.requests.last)
            #expect(last.uri?.string == url && last.headers[.authorization] == nil)
        }
    }

    @Test("BAD-INPUT 21: fields of the request whose names mean a secret stay at home, too") func named() async throws {
        let stub = Self.stub()
        let client = Client("https://a.example", transport: stub)
        var request = Self.request
        for name in ["X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-Author", "Idempotency-Key"] {
            request.headers[name] = "value"
        }
        _ = try await client.send(request)
        let names = stub.requests.last?.headers.map(\.name.canonicalName) ?? []
        #expect(names.contains("x-author") && names.contains("idempotency-key") && names.contains("from"))
        #expect(!names.contains { $0.hasSuffix("token") || $0.hasSuffix("api-key") }, "\(names)")
        #expect(stub.requests.first?.headers[.apiKey] == "value")
    }

    @Test("FAULT 10: an allowed origin gets the client's fields") func allowed() async throws {
        let stub = Self.stub()
        let client = Self.client(stub).with { $0.allowedOrigins = Set([Origin("https://b.example")].compactMap { $0 }) }
        _ = try await client.send(Self.request)
        #expect(stub.requests.last?.headers[.apiKey] == "s3cret")
    }
}

// ConnectorScenarioTests: API calls as types, after the original APIConnector.
// Every behaviour of the original works here, without its faults.
#if Server
import HTTPBin
import Testing
import Tsubame
import TsubameTesting

@Suite("APIConnector", .timeLimit(.minutes(2)))
struct ConnectorScenarioTests {
    static let original = "!*'();:@&=+$,/?%#[]-._~ "
    static let encoded = "parameterTestKey=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20"

    // MARK: The example

    @Test func httpbinGivesBackWhatItWasSent() async throws {
        let (run, _) = try await runExample()
        #expect(run.status == 0)
        for method in ["GET", "POST"] {
            #expect(run.lines.contains("\(method) \(Self.encoded) (81 bytes)"))
            #expect(run.lines.contains { $0.hasPrefix("\(method) came back as it was") })
        }
    }

    @Test func aGetPutsExactlyThese81BytesIntoItsQuery() async throws {
        let (_, log) = try await runExample()
        let get = try #require(log("GET", "/get").first)
        #expect(get.query.utf8.count == 81)
        #expect(String(decoding: get.head, as: UTF8.self).hasPrefix("GET /get?\(Self.encoded) HTTP/1.1\r\n"))
        #expect(get.bodyByteCount == 0)
        #expect(get["Content-Length"] == nil && get["Content-Type"] == nil && get["Transfer-Encoding"] == nil)
    }

    @Test func aPostCarriesExactlyThese81BytesAsItsBody() async throws {
        let (_, log) = try await runExample()
        let post = try #require(log("POST", "/post").first)
        #expect(post.target == "/post")
        #expect(post.body == Array(Self.encoded.utf8))
        #expect(post.body.count == 81)
        #expect(post["Content-Length"] == "81")
    }

    @Test func theFormIsLabelledAsAForm() async throws {
        let (_, log) = try await runExample()
        #expect(log("POST", "/post").map { $0["Content-Type"] } == ["application/x-www-form-urlencoded"])
    }

    @Test func headerAndCachePolicyOfTheTypeAreOnTheWire() async throws {
        let (_, log) = try await runExample()
        #expect(log.all.count == 2)
        for request in log.all {
            #expect(request.fields.filter { $0.name.lowercased() == "accept" }.map(\.value) == ["application/json"])
            #expect(request["Cache-Control"] == "no-cache")
        }
    }

    @Test(arguments: [
        ("httpbin.org", "does not start with http"), ("http://", "has no host"), ("", "is empty"),
        ("http://exa mple.com", "space"), ("http://127.0.0.1:99999", "port"), ("http://a@b@c/", "two @"),
        ("ftp://example.com", "does not start with http"),
    ])
    func aURLThatIsNoneIsAnErrorWithItsReason(url: String, reason: String) async throws {
        let run = try await runProduct("APIConnector", [url])
        #expect(run.status == 1)
        #expect(run.stdout.contains(reason))
    }

    // MARK: The library

    @Test func theQueryOfTheURLIsNotCopiedIntoTheBody() async throws {
        let request = try await request(Action(.post, "items?page=2", ["b": "2", "a": "1"]))
        #expect(request.target == "/items?page=2")
        #expect(request.text == "a=1&b=2")
    }

    @Test func aGetAddsToTheQueryThatTheURLAlreadyHas() async throws {
        let request = try await request(Action(.get, "items?page=2", ["b": "2", "a": "1"]))
        #expect(request.target == "/items?page=2&a=1&b=2")
        #expect(request.body.isEmpty)
    }

    @Test func parametersAreSortedByName() async throws {
        let request = try await request(Action(.get, "items", ["b": "2", "燕": "4", "a": "1", "B": "0", "a b": "3"]))
        #expect(request.query == "B=0&a=1&a%20b=3&b=2&%E7%87%95=4")
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .delete])
    func everyMethodGoesOutByItsName(method: HTTPRequest.Method) async throws {
        let request = try await request(Action(method, "items", ["id": "7"]))
        #expect(request.headText.hasPrefix("\(method.rawValue) /items"))
        #expect(request.query == (method == .get ? "id=7" : nil))
        #expect(request.text == (method == .get ? "" : "id=7"))
    }

    @Test func onlyUnreservedCharactersStayAsTheyAre() async throws {
        let ascii = String(decoding: UInt8(0x20)...0x7E, as: UTF8.self)
        let request = try await request(Action(.get, "items", ["key": ascii]))
        let unescaped = try #require(request.query).dropFirst("key=".count).replacing(/%[0-9A-F]{2}/, with: "")
        #expect(unescaped == "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
        #expect(Parameters.decoding(request.query ?? "")["key"] == ascii)
    }

    @Test(arguments: [HTTPResponse.Status.ok, .badRequest, .internalServerError])
    func theJSONOfAnyStatusIsDecoded(status: HTTPResponse.Status) async throws {
        try await ScriptedServer.start { _ in .json(#"{"id": 7}"#, status: status) }.use { server in
            try await withClient(server.url) { api in
                let value = try await api.send(Action(.get, "items"))
                #expect(value == ["id": 7])
            }
        }
    }

    @Test func oneValueIsSentTwiceAtOnceAndBothAreAnswered() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            Reply.json(#"{"id": \#(request.index)}"#).after(gate)
        }
        try await server.use { server in
            try await withClient(server.url) { api in
                let action = Action(.get, "items")
                async let first = api.send(action)
                async let second = api.send(action)
                try await gate.waitForArrivals(2)
                gate.open()
                let ids = try await [first["id"], second["id"]]
                #expect(Set(ids) == [0, 1])
            }
        }
    }

    @Test func theTimeoutOfTheTypeEndsTheCall() async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            try await withClient(server.url) { api in
                var action = Action(.post, "items", ["id": "7"])
                action.timeoutInterval = .milliseconds(80)
                let error = try await failure { _ = try await api.send(action) }
                #expect(error.kind == .timeout && error.timeout == .total)
            }
        }
    }

    @Test func cancellingEndsTheCall() async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            try await withClient(server.url) { api in
                let call = Task { try await api.send(Action(.get, "items")) }
                _ = try await server.request(0)
                call.cancel()
                let error = try await failure { _ = try await call.value }
                #expect(error.kind == .cancelled)
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    // MARK: -

    /// Returns the request that an action makes on the wire.
    private func request(_ action: Action) async throws -> ReceivedRequest {
        try await ScriptedServer.start { _ in .json("{}") }.use { server in
            try await withClient(server.url) { api in
                _ = try await api.send(action)
                return try await server.request(0)
            }
        }
    }

    private func failure(of call: () async throws -> Void) async throws -> CallError {
        do {
            try await call()
        } catch let error as CallError {
            return error
        }
        throw ProductError("the call did not fail")
    }

    private func runExample() async throws -> (ProductRun, RequestLog) {
        try await withHTTPBin { url, log in (try await runProduct("APIConnector", [url]), log) }
    }
}

/// A call like the example's.
private struct Action: Endpoint {
    let method: HTTPRequest.Method
    let path: RequestPath
    let parameters: Parameters
    var timeoutInterval = Duration.seconds(30)

    init(_ method: HTTPRequest.Method, _ path: RequestPath, _ parameters: Parameters = [:]) {
        self.method = method
        self.path = path
        self.parameters = parameters
    }

    var query: Parameters { method == .get ? parameters.sorted() : [:] }
    var body: RequestBody { method == .get ? .empty : .form(parameters.sorted()) }
    var acceptedStatuses: StatusSet { .all }
    typealias Value = [String: Int]

    var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = timeoutInterval
        return timeouts
    }
}
#endif

// StubMatcherTests: conditions of routes, counted answers, scenarios, and what is said of unused and nearest routes.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct StubMatcherTests {
    private struct User: Codable {
        var id: Int
        var tags: [String]
    }

    private let user = User(id: 7, tags: ["a", "b"])

    private func client(_ build: (StubTransport) -> Void) -> (Client, StubTransport) {
        let stub = StubTransport(build)
        return (Client("https://api.example.com/v1", transport: stub), stub)
    }

    /// The difference that the error names.
    private func difference(_ client: Client, _ request: Request) async throws -> String {
        do {
            _ = try await client.send(request)
        } catch let error as CallError {
            try #require(error.kind == .misuse)
            return error.reason.split(separator: ": ", maxSplits: 1).dropFirst().joined()
        }
        Issue.record("the stub answered")
        return ""
    }

    // MARK: Matchers

    @Test func `a query is compared by decoded names and values`() async throws {
        let (client, _) = client { $0.on(.get, "/users", .query("q", "a b&c")).respond(text: "yes") }
        #expect(try await client.get("users", query: ["x": 1, "q": "a b&c"]).text() == "yes")
        #expect(try await client.get(path: "users?q=a+b%26c").text() == "yes")
        let other = try await difference(client, Request(.get, "users", query: ["q": "other"]))
        #expect(other == "the parameter q is other, and not a b&c")
        #expect(try await difference(client, Request(.get, "users")) == "the parameter q is missing")
    }

    @Test func `a field is compared, and the value of a secret one is not shown`() async throws {
        let (client, _) = client {
            $0.on(.get, "/a", .header("x-team", "birds")).respond(text: "yes")
            $0.on(.get, "/b", .header("Authorization", "Bearer right"))
        }
        #expect(try await client.get("a", headers: ["X-Team": "birds"]).text() == "yes")
        let team = try await difference(client, Request(.get, "a", headers: ["X-Team": "fish"]))
        #expect(team == "the field x-team is fish, and not birds")
        let secret = try await difference(client, Request(.get, "b", headers: ["Authorization": "Bearer geheim"]))
        #expect(secret == "the field Authorization has another value")
        let whole = await #expect(throws: CallError.self) { _ = try await client.get("b") }
        #expect(whole?.reason.contains("right") == false)
    }

    @Test func `JSON is compared by content, and a difference names its place but no value`() async throws {
        let (client, stub) = client { $0.on(.post, "/users", .json(user)).respond(status: .created) }
        let spaced = RequestBody.text(#"{ "tags" : ["a", "b"] , "id": 7.0 }"#)
        #expect(try await client.post("users", body: spaced).statusCode == 201)
        #expect(try await client.post("users", json: user).statusCode == 201)
        let stream = AsyncStream<Bytes> { continuation in
            continuation.yield(Bytes(#"{"id":7,"tags":["#))
            continuation.yield(Bytes(#""a","b"]}"#))
            continuation.finish()
        }
        #expect(try await client.post("users", body: .stream(once: stream)).statusCode == 201)
        #expect(stub.requests.last?.body.bytes == Bytes(#"{"id":7,"tags":["a","b"]}"#))
        let cases = [
            (#"{"id":8,"tags":["a","b"]}"#, "the JSON of the body differs at id"),
            (#"{"id":7,"tags":["a","c"]}"#, "the JSON of the body differs at tags[1]"),
            (#"{"id":7,"tags":["a"]}"#, "the JSON of the body differs at tags, which has 1 elements, and not 2"),
            (#"{"id":7}"#, "the JSON of the body differs at tags, which is missing"),
            (#"{"id":7,"tags":["a","b"],"x":1}"#, "the JSON of the body differs at x, which is not expected"),
            (#"[]"#, "the JSON of the body differs at its root"), ("{", "the body is not JSON"),
        ]
        for (text, expected) in cases {
            #expect(try await difference(client, Request(.post, "users", body: .text(text))) == expected)
        }
        #expect(try await difference(client, Request(.post, "users")) == "the body is not JSON")
    }

    @Test func `a text is compared byte for byte`() async throws {
        let (client, _) = client {
            $0.on(.put, "/t", .body("hello")).respond(text: "1")
            $0.on(.put, "/t", .body("world")).respond(text: "2")
        }
        #expect(try await client.put("t", body: .text("hello")).text() == "1")
        #expect(try await client.put("t", body: .text("world")).text() == "2")
        let other = try await difference(client, Request(.put, "t", body: .text("other!")))
        #expect(other == "the body differs (6 bytes, and not 5)")
    }

    @Test func `a condition of one's own, and the route with more conditions wins`() async throws {
        let (client, _) = client {
            $0.on(.get, "/a").respond(text: "plain")
            $0.on(.get, "/a", .matching("replayable") { $0.isReplayable }).respond(text: "replayable")
        }
        #expect(try await client.get("a").text() == "plain")
        var request = Request(.get, "a")
        request.isReplayable = true
        #expect(try await client.send(request).text() == "replayable")
    }

    // MARK: Counting

    @Test func `an answer is given as often as it says, and then the route is used up`() async throws {
        let (client, stub) = client {
            $0.on(.get, "/a").respond(text: "1").times(2).respond(text: "2").times(1)
            $0.on("/a*").respond(text: "other")
        }
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await client.get("a").text()) }
        #expect(texts == ["1", "1", "2", "other"])
        try stub.assertAllUsed()
        let (single, _) = self.client { $0.on(.get, "/a").times(1) }
        #expect(try await single.get("a").statusCode == 200)
        #expect(try await difference(single, Request(.get, "a")) == "all its answers have been given")
        let error = await #expect(throws: CallError.self) { _ = try await single.get("a") }
        #expect(error?.advice?.contains("times") == true)
    }

    @Test func `what was not used is listed`() async throws {
        let (client, stub) = client {
            $0.on(.get, "/never").respond(text: "x")
            $0.on(.get, "/half").respond(text: "1").times(3)
            $0.on(.get, "/first").respond(text: "1").respond(text: "2").respond(text: "3")
            $0.on(.get, "/last").respond(text: "1").respond(text: "2")
            $0.on(.get, "/bare")
        }
        for path in ["half", "first", "last", "last", "last", "bare"] { _ = try await client.get("\(path)") }
        let unused = #expect(throws: StubTransport.Unused.self) { try stub.assertAllUsed() }
        #expect(
            unused?.description == """
                GET /never was not called
                GET /half was called 1 of 3 times
                GET /first has 2 answers left to give
                """)
    }

    // MARK: Scenarios

    @Test func `a scenario moves from state to state`() async throws {
        let (client, stub) = client {
            $0.on(.post, "/login").respond().moves(to: "in", of: "login")
            $0.on(.post, "/logout", .state("in", of: "login")).respond().moves(
                to: StubTransport.firstState, of: "login")
            $0.on(.get, "/me", .state("in", of: "login")).respond(text: "swallow")
            $0.on(.get, "/me").respond(status: .unauthorized)
        }
        #expect(stub.state(of: "login") == "start")
        #expect(try await client.get("me").statusCode == 401)
        let early = try await difference(client, Request(.post, "logout"))
        #expect(early == "login is in the state start, and not in")
        for _ in 0..<2 {
            _ = try await client.post("login")
            #expect(stub.state(of: "login") == "in")
            #expect(try await client.get("me").text() == "swallow")
            _ = try await client.post("logout")
            #expect(try await client.get("me").statusCode == 401)
        }
    }

    // MARK: The nearest route

    @Test func `the nearest route is the one that fits in method and path, or whose path is most alike`() async throws {
        let (client, _) = client {
            $0.on(.get, "/users/7/posts").respond(text: "x")
            $0.on(.get, "/teams").respond(text: "x")
            $0.on(.post, "/users", .header("X-A", "1"), .query("p", "2")).respond(text: "x")
        }
        func reason(_ request: Request) async -> String? {
            await #expect(throws: CallError.self) { _ = try await client.send(request) }?.reason
        }
        #expect(
            await reason(Request(.get, "users/7/post"))
                == "no route of the stub fits; the nearest is GET /users/7/posts: the path is /v1/users/7/post")
        #expect(
            await reason(Request(.post, "users", headers: ["X-A": "1"]))
                == "no route of the stub fits; the nearest is POST /users with field X-A=1, query p=2: "
                + "the parameter p is missing")
        // Two conditions that fail weigh less than another method.
        #expect(
            await reason(Request(.post, "users"))
                == "no route of the stub fits; the nearest is POST /users with field X-A=1, query p=2: "
                + "the field X-A is missing; the parameter p is missing")
        #expect(
            await reason(Request(.get, "team"))
                == "no route of the stub fits; the nearest is GET /teams: the path is /v1/team")
    }

    @Test func `a path that fits is nearer than one that begins alike, and an origin does not count`() async throws {
        func reason(_ method: HTTPRequest.Method, _ path: String, _ build: (StubTransport) -> Void) async -> String? {
            let (client, _) = client(build)
            let error = await #expect(throws: CallError.self) { _ = try await client.send(Request(method, path: path)) }
            return error?.reason.split(separator: "the nearest is ").last.map(String.init)
        }
        #expect(
            await reason(.get, "users") {
                $0.on(.get, "/users/7/posts").respond(text: "x")
                $0.on(.post, "/users").respond(text: "x")
            } == "POST /users: the method is GET, and not POST")
        #expect(
            await reason(.get, "users/8") {
                $0.on(.get, "https://api.example.com/v1/a").respond(text: "x")
                $0.on(.get, "/users/7").respond(text: "x")
            } == "GET /users/7: the path is /v1/users/8")
        // Of equal routes, the one with fewer differences.
        #expect(
            await reason(.get, "users") {
                $0.on(.get, "/users", .header("X-A", "1"), .header("X-B", "2")).respond(text: "x")
                $0.on(.get, "/users", .header("X-C", "3")).respond(text: "x")
            } == "GET /users with field X-C=3: the field X-C is missing")
        // A method and a path that fit are nearer than a route without conditions.
        #expect(
            await reason(.post, "users") {
                $0.on(.get, "/users").respond(text: "x")
                $0.on(.post, "/users", .header("X-A", "1"), .header("X-B", "2")).respond(text: "x")
            } == "POST /users with field X-A=1, field X-B=2: the field X-A is missing; the field X-B is missing")
    }

    @Test func `stubs in parallel share nothing`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let (client, stub) = self.client { $0.on(.get, "/a").respond(text: "\(number)").times(3) }
                    for _ in 0..<3 { #expect(try await client.get("a").text() == "\(number)") }
                    try stub.assertAllUsed()
                    #expect(stub.requests.count == 3)
                }
            }
            try await group.waitForAll()
        }
    }
}

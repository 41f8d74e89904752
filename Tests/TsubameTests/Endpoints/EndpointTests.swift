// EndpointTests: endpoints: API calls as types.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct EndpointTests {
    struct Profile: Codable, Sendable, Equatable {
        var name: String
    }

    struct Problem: Decodable, Sendable, Equatable {
        var title: String
    }

    /// The smallest endpoint.
    struct User: Endpoint {
        var path: RequestPath { "users/\(id)" }
        typealias Value = Profile
        let id: Int
    }

    /// An endpoint that sets every member.
    struct Everything: Endpoint {
        var method: HTTPRequest.Method { .put }
        var path: RequestPath { "things/\(name)" }
        var query: Parameters { ["page": 2, "q": "a b"] }
        var headers: RequestHeaders { [.accept: "application/json"] }
        var body: RequestBody { .json(["x": 1]) }
        var timeouts: Timeouts {
            var timeouts = Timeouts()
            timeouts.head = .seconds(3)
            return timeouts
        }
        var cachePolicy: CachePolicy { .reload }
        var acceptedStatuses: StatusSet { .successful.union(409...409) }
        let name: String
        let log: Log<Int>

        typealias Failure = Problem

        func decode(_ response: Response) throws -> String { try "\(response.statusCode) \(response.text())" }
        func afterResponse(_ response: Response) { log.add(response.statusCode) }
    }

    private static func client(_ build: (StubTransport) -> Void) -> (Client, StubTransport) {
        let stub = StubTransport(build)
        return (Client("https://a.example/v1", transport: stub), stub)
    }

    @Test func `three lines are enough`() async throws {
        let (client, stub) = Self.client { $0.on(.get, "users/7").respond(json: Profile(name: "燕")) }
        let profile = try await client.send(User(id: 7))
        #expect(profile == Profile(name: "燕"))
        #expect(stub.requests.first?.uri?.string == "https://a.example/v1/users/7")
    }

    @Test func `everything that it says is in its request`() async throws {
        let (client, stub) = Self.client { $0.on("*").respond(status: .conflict, text: "taken") }
        let log = Log<Int>()
        let value = try await client.send(Everything(name: "a/b", log: log))
        #expect(value == "409 taken")
        #expect(log.all == [409])
        let request = try #require(stub.requests.first)
        #expect(request.method == .put)
        #expect(request.uri?.target == "/v1/things/a%2Fb?page=2&q=a%20b")
        #expect(request.headers[.accept] == "application/json")
        #expect(request.headers[.contentType] == "application/json")
        #expect(request.headers[.cacheControl] == "no-cache")
        #expect(request.body.bytes == Bytes(#"{"x":1}"#))
        #expect(request.timeouts.head == .seconds(3))
    }

    @Test func `the failure in an error's body is decoded into the error`() async throws {
        let (client, _) = Self.client { $0.on("*").respond(status: .badRequest, text: #"{"title":"no"}"#) }
        let log = Log<Int>()
        let error = await callError { _ = try await client.send(Everything(name: "x", log: log)) }
        #expect(error?.kind == .status)
        #expect(error?.failure as? Problem == Problem(title: "no"))
        #expect(error?.response?.status == .badRequest)
        // Called once, for any status.
        #expect(log.all == [400])
    }

    @Test func `an error's body that is no failure leaves none`() async throws {
        let (client, _) = Self.client { $0.on("*").respond(status: .badGateway, text: "<html>") }
        let error = await callError { _ = try await client.send(Everything(name: "x", log: Log())) }
        #expect(error?.kind == .status && error?.failure == nil)
        let plain = await callError { _ = try await client.send(User(id: 1)) }
        #expect(plain?.kind == .status && plain?.failure == nil)
    }

    @Test func `what decode throws is an error of kind decoding that names the endpoint`() async throws {
        struct OwnError: Error {}
        struct Picky: Endpoint {
            var path: RequestPath { "x" }
            func decode(_ response: Response) throws -> Int { throw OwnError() }
        }
        let (client, _) = Self.client { $0.on("*").respond(text: "x") }
        let error = await callError { _ = try await client.send(Picky()) }
        #expect(error?.kind == .decoding)
        #expect(error?.underlying is OwnError)
        #expect(error?.reason.hasPrefix("Picky could not decode the response: ") == true)
        let json = await callError { _ = try await client.send(User(id: 1)) }
        #expect(json?.kind == .decoding && json?.underlying is DecodingError)
        #expect(json?.response?.bytes == Bytes("x"))
    }

    @Test func `Void, the response itself, text and nothing are values too`() async throws {
        struct Delete: Endpoint {
            var method: HTTPRequest.Method { .delete }
            var path: RequestPath { "x" }
            typealias Value = Void
        }
        struct Raw: Endpoint {
            var path: RequestPath { "x" }
            typealias Value = Response
        }
        struct Maybe: Endpoint {
            var path: RequestPath { "none" }
            typealias Value = Profile?
        }
        let (client, _) = Self.client {
            $0.on(.delete, "x").respond(text: "whatever")
            $0.on(.get, "x").respond(text: "raw")
            $0.on(.get, "none").respond(status: .noContent)
        }
        let nothing: Void = try await client.send(Delete())
        #expect(nothing == ())
        let raw = try await client.send(Raw())
        #expect(raw.bytes == Bytes("raw"))
        let maybe = try await client.send(Maybe())
        #expect(maybe == nil)
    }

    @Test @MainActor func `decoding leaves the caller's actor`() async throws {
        struct Watcher: Endpoint {
            var path: RequestPath { "x" }
            func decode(_ response: Response) throws -> Bool { Thread.isMainThread || isOnMainQueue() }
        }
        let (client, _) = Self.client { $0.on("*").respond(text: "x") }
        let isOnMain = try await client.send(Watcher())
        #expect(!isOnMain)
    }

    @Test func `an endpoint need not be sendable`() async throws {
        final class Counter {
            var count = 0
        }
        struct Counting: Endpoint {
            var path: RequestPath { "x" }
            let counter: Counter
            func decode(_ response: Response) throws -> Int {
                counter.count += 1
                return counter.count
            }
        }
        let (client, _) = Self.client { $0.on("*") }
        let count = try await client.send(Counting(counter: Counter()))
        #expect(count == 1)
    }

    // MARK: Classes

    class API<Value>: EndpointClass<Value> {
        override var headers: RequestHeaders { [.from: "the base class"] }
        override var timeouts: Timeouts {
            var timeouts = Timeouts()
            timeouts.total = .seconds(9)
            return timeouts
        }
    }

    final class Greeting: API<String> {
        let who: String
        let log: Log<Int>

        init(_ who: String, _ log: Log<Int>) {
            self.who = who
            self.log = log
        }

        override var method: HTTPRequest.Method { .post }
        override var path: RequestPath { "greet" }
        override var query: Parameters { ["who": who] }
        override var body: RequestBody { .text("hi") }
        override var cachePolicy: CachePolicy { .reload }
        override var acceptedStatuses: StatusSet { StatusSet(200...200) }
        override func decode(_ response: Response) throws -> String { try response.text() }
        override func afterResponse(_ response: Response) { log.add(response.statusCode) }
    }

    @Test func `what a subclass overrides is what is sent, also to generic code`() async throws {
        let (client, stub) = Self.client { $0.on(.post, "greet").respond(text: "hello").respond(status: .created) }
        let log = Log<Int>()
        let text = try await client.send(Greeting("me", log))
        #expect(text == "hello")
        let request = try #require(stub.requests.first)
        #expect(request.uri?.target == "/v1/greet?who=me")
        #expect(request.headers[.from] == "the base class" && request.headers[.cacheControl] == "no-cache")
        #expect(request.body.bytes == Bytes("hi"))
        #expect(request.timeouts.total == .seconds(9))
        let error = await callError { _ = try await client.send(Greeting("me", log)) }
        #expect(error?.kind == .status && error?.response?.status == .created)
        #expect(log.all == [200, 201])
    }

    @Test func `a subclass without decode decodes JSON, or says that it cannot`() async throws {
        struct Opaque: Sendable {}
        let (client, _) = Self.client { $0.on("*").respond(text: "42") }
        #expect(try await client.send(API<Int>()) == 42)
        #expect(try await client.send(API<Response>()).bytes == Bytes("42"))
        try await client.send(API<Void>())
        let error = await callError { _ = try await client.send(API<Opaque>()) }
        #expect(error?.kind == .misuse)
        #expect(error?.reason == "API<Opaque> does not override decode(_:), and Opaque is not Decodable")
    }

    @Test func `the same request and decoding serve every way to wait`() async throws {
        let (client, _) = Self.client { $0.on(.get, "users/7").respond(json: Profile(name: "燕")) }
        let blocking = try await onThread { try client.blocking.send(User(id: 7)) }
        let endpoint = User(id: 7)
        let result = await withCheckedContinuation { continuation in
            client.start(endpoint.request) { continuation.resume(returning: $0) }
        }
        let started = try endpoint.value(of: result.get())
        #expect(blocking == Profile(name: "燕") && started == blocking)
    }
}

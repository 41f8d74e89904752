// VerbTests: every verb has the same shape.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct VerbTests {
    private let stub = StubTransport { $0.on("*") }
    private var client: Client { Client("https://a.example/v1", transport: stub) }

    private func check(
        _ method: HTTPRequest.Method, _ target: String = "/v1/x?a=1", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sent = try #require(stub.requests.last)
        #expect(sent.method == method && sent.uri?.target == target, "\(sent)", sourceLocation: sourceLocation)
        #expect(sent.headers["X-Key"] == "k" && sent.timeouts.total == .seconds(5), sourceLocation: sourceLocation)
    }

    @Test func `the verbs without content go by path, by text and by URL`() async throws {
        let (headers, time): (RequestHeaders, Duration) = (["X-Key": "k"], .seconds(5))
        let url = try #require(URL(string: "https://a.example/v1/x"))
        let text = "x"
        _ = try await client.get("x", query: ["a": 1], headers: headers, timeout: time)
        try check(.get)
        _ = try await client.get(path: text, query: ["a": 1], headers: headers, timeout: time)
        try check(.get)
        _ = try await client.get(url: "https://a.example/v1/x", query: ["a": 1], headers: headers, timeout: time)
        try check(.get)
        _ = try await client.get(url: url, query: ["a": 1], headers: headers, timeout: time)
        try check(.get)
        _ = try await client.head("x", query: ["a": 1], headers: headers, timeout: time)
        try check(.head)
        _ = try await client.head(path: text, query: ["a": 1], headers: headers, timeout: time)
        try check(.head)
        _ = try await client.head(url: "https://a.example/v1/x", query: ["a": 1], headers: headers, timeout: time)
        try check(.head)
        _ = try await client.head(url: url, query: ["a": 1], headers: headers, timeout: time)
        try check(.head)
    }

    /// A verb that may have content, by each of its four ways to name the target.
    struct Verb: Sendable, CustomTestStringConvertible {
        typealias Send = @Sendable (Client, RequestHeaders) async throws -> Response

        let method: HTTPRequest.Method
        let all: [Send]

        var testDescription: String { method.rawValue }
    }

    private static let url = URL(string: "https://a.example/v1/x")
    private static let text = "https://a.example/v1/x"

    static let verbs: [Verb] = [
        Verb(
            method: .post,
            all: [
                { try await $0.post("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.post(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.post(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.post(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
        Verb(
            method: .put,
            all: [
                { try await $0.put("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.put(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.put(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.put(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
        Verb(
            method: .patch,
            all: [
                { try await $0.patch("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.patch(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.patch(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.patch(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
        Verb(
            method: .delete,
            all: [
                { try await $0.delete("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.delete(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.delete(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.delete(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
        Verb(
            method: .options,
            all: [
                { try await $0.options("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.options(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.options(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.options(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
        Verb(
            method: .query,
            all: [
                { try await $0.query("x", query: ["a": 1], headers: $1, json: ["n": 1], timeout: .seconds(5)) },
                { try await $0.query(path: "x", query: ["a": 1], headers: $1, form: ["n": 1], timeout: .seconds(5)) },
                {
                    try await $0.query(
                        url: text, query: ["a": 1], headers: $1, multipart: { $0.field("n", "1") }, timeout: .seconds(5)
                    )
                },
                {
                    try await $0.query(
                        url: #require(url), query: ["a": 1], headers: $1, body: .text("n"), timeout: .seconds(5))
                },
            ]),
    ]

    @Test(arguments: verbs)
    func `the verbs with content take it as a value, a form, parts or a body`(_ verb: Verb) async throws {
        for send in verb.all {
            _ = try await send(client, ["X-Key": "k"])
            try check(verb.method)
        }
        let types = stub.requests.map { $0.headers[.contentType]?.prefix { $0 != ";" } }
        #expect(
            types == ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"])
        #expect(stub.requests[0].body.bytes == Bytes(#"{"n":1}"#) && stub.requests[1].body.bytes == Bytes("n=1"))
    }

    @Test func `two contents are an error before anything is sent`() async throws {
        let error = await callError { _ = try await client.post("x", body: .text("a"), json: 1) }
        #expect(error?.kind == .misuse && error?.reason.contains("one content") == true)
        let other = await callError { _ = try await client.put("x", form: ["a": 1], multipart: { $0.field("a", "1") }) }
        #expect(other?.kind == .misuse && stub.requests.isEmpty)
    }

    @Test func `nil as a value is sent as null`() async throws {
        let nothing: String? = nil
        _ = try await client.post("x", json: nothing)
        #expect(stub.requests.last?.body.bytes == Bytes("null"))
        _ = try await client.post("x")
        #expect(stub.requests.last?.body.isEmpty == true)
    }

    @Test func `a value is encoded as the client says, and a text that cannot be is an error`() async throws {
        struct Entry: Encodable { let firstName: String, at: Date }
        let iso = client.with {
            $0.json = .iso8601
            $0.json.keys = .snakeCase
        }
        _ = try await iso.post("x", json: Entry(firstName: "a", at: Date(timeIntervalSince1970: 0)))
        let text = stub.requests.last?.body.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(text.contains(#""first_name":"a""#) && text.contains(#""at":"1970-01-01T00:00:00Z""#))
        let error = await callError { _ = try await client.post("x", json: Double.nan) }
        #expect(error?.kind == .invalidRequest)
    }

    @Test func `a client may be made of a URL`() async throws {
        let base = try #require(URL(string: "https://a.example/v1"))
        _ = try await Client(base, transport: stub).get("x")
        #expect(stub.requests.last?.uri?.string == "https://a.example/v1/x")
    }

    @Test func `an invalid header is thrown by every verb before anything is sent`() async throws {
        for headers: RequestHeaders in [["a b": "c"], ["X-A": "b\nc"]] {
            for verb in Self.verbs {
                for send in verb.all {
                    let error = await callError { _ = try await send(client, headers) }
                    #expect(error?.kind == .invalidRequest && error?.phase == .preparing)
                }
            }
        }
        let error = await callError { _ = try await client.with { $0.headers["a b"] = "c" }.get("x") }
        #expect(error?.kind == .invalidRequest && stub.requests.isEmpty)
    }
}

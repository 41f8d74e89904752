// CodingTests: how a client encodes and decodes JSON and forms.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CodingTests {
    struct Event: Codable, Sendable, Equatable {
        var at: Date
        var nextAt: Date?
    }

    struct Latest: Endpoint {
        typealias Value = Event
        var path: RequestPath { "latest" }
    }

    /// An endpoint whose body and value are the same JSON.
    struct Store: Endpoint {
        typealias Value = Event
        let event: Event
        var method: HTTPRequest.Method { .put }
        var path: RequestPath { "store" }
        var body: RequestBody { .json(event) }
    }

    private static let event = Event(at: Date(timeIntervalSince1970: 1_795_235_747))
    private static let text = #"{"at":"2026-11-21T04:35:47Z"}"#

    @Test func `a client's coding of JSON is used wherever it writes or reads JSON`() async throws {
        let server = try await ScriptedServer.start { _ in .ok(Self.text, headers: [.contentType: "application/json"]) }
        try await serving(server, { $0.json = .iso8601 }) { server, client in
            for send in [
                { try await client.post("e", json: Self.event) }, { try await client.put("e", json: Self.event) },
                { try await client.patch("e", json: Self.event) },
                { try await client.post("e", body: .json(Self.event, by: .iso8601)) },
            ] as [@Sendable () async throws -> Response] {
                let response = try await send()
                let received = try #require(server.requests.last)
                #expect(received.text == Self.text)
                let event = try await response.json(Event.self)
                #expect(event == Self.event)
            }
            let endpoint = try await client.send(Latest())
            #expect(endpoint == Self.event)
            let streamed = try await client.stream(Request(.get, "e")) { try await $0.json(Event.self) }
            #expect(streamed == Self.event)
            let blocking = try await onThread { () throws(CallError) in
                try client.blocking.send(Request(.get, "e")).json(Event.self)
            }
            #expect(blocking == Self.event)
            // A caller can use another decoder than the client's.
            let error = await callError { _ = try await client.get("e").json(Event.self, decoder: JSONDecoder()) }
            #expect(error?.kind == .decoding)
        }
    }

    /// Gives every PATCH a body.
    private struct Replacing: MessageHook {
        func willSend(_ request: inout Request) {
            if request.method == .patch { request.body = .json(CodingTests.event) }
        }
    }

    @Test func `FAULT 31: a body of JSON is encoded by the client that sends it`() async throws {
        try await serving(.start { .ok($0.text) }, { $0.json = .iso8601 }) { server, client in
            let stored = try await client.send(Store(event: Self.event))
            #expect(stored == Self.event)
            let request = Request(.post, "e", body: .json(Self.event))
            #expect(request.body.bytes == nil && request.curl.contains(#"{"at":816928547}"#), "\(request.curl)")
            var texts = [try await client.send(request).text()]
            texts.append(try await client.stream(request) { try await $0.text() })
            texts.append(try await onThread { try client.blocking.send(request).text() })
            texts.append(try await client.upload(request).text())
            let patching = client.with { $0.interceptors = [Replacing()] }
            texts.append(try await patching.patch("e", body: .empty).text())
            #expect(texts == Array(repeating: Self.text, count: 5))
            let other = try await client.with { $0.json = .standard }.send(request).text()
            #expect(other == #"{"at":816928547}"#)
        }
    }

    @Test func `FAULT 31: so are a part of a form and what is compressed`() async throws {
        try await serving(.start(), { $0.json = .iso8601 }) { server, client in
            let form = RequestBody.multipart {
                $0.field("a", "b")
                $0.part("event", .json(Self.event))
            }
            _ = try await client.post("form", body: form)
            let whole = try await server.request(0)
            #expect(whole.text.contains("\r\nContent-Type: application/json\r\n\r\n\(Self.text)\r\n"), "\(whole.text)")
            #expect(whole["content-type"] == form.contentType && whole["content-length"] == "\(whole.body.count)")
            _ = try await client.post("e", body: .json(Self.event).compressed())
            let compressed = try await server.request(1)
            #expect(compressed["content-encoding"] == "gzip" && compressed["content-type"] == "application/json")
            #expect(RequestBody.text(Self.text).compressed().bytes == Bytes(compressed.body))
            _ = try await client.post("e", body: .json(Self.event).chunked())
            let chunked = try await server.request(2)
            #expect(chunked.isChunked && chunked.text == Self.text)
        }
    }

    @Test func `without one JSON is Foundation's`() {
        let response = Response(status: .ok, body: Bytes(Self.text))
        #expect(throws: CallError.self) { try Self.decode(response) }
    }

    private static func decode(_ response: Response) throws(CallError) -> Event { try response.json() }

    @Test func `a form is read as a type, by the coding of the server`() async throws {
        struct Answer: Decodable, Sendable, Equatable {
            let userName: String
            let tags: [String]
            let at: Date
        }
        let coding = ParameterCoding(arrays: .repeated, keys: .snakeCase, dates: .secondsSince1970)
        let response = Response(status: .ok, body: Bytes("user_name=a+b%21&tags=x&tags=y&at=1795235747"))
        let answer = try await response.form(Answer.self, by: coding)
        #expect(answer == Answer(userName: "a b!", tags: ["x", "y"], at: Self.event.at))
        let error = await callError { _ = try await response.form(Answer.self) }
        #expect(error?.kind == .decoding)
        #expect(error?.underlying is DecodingError)
        #expect(error?.reason.contains("userName") == true)
    }

    @Test func `an empty form has no parameters, which may be all that is wanted`() async throws {
        struct Options: Decodable, Sendable, Equatable {
            let page: Int?
            let tags: [String]
        }
        let options = try await Response(status: .ok).form(Options.self)
        #expect(options == Options(page: nil, tags: []))
    }

    @Test func `query and form are sent as their coding says`() async throws {
        struct Search: Encodable, Sendable {
            let text = "a b"
            let tags = ["x", "y"]
        }
        try await serving(.start()) { server, client in
            let parameters = Parameters(encoding: Search(), by: ParameterCoding(arrays: .repeated, spaces: .plus))
            _ = try await client.get("s", query: parameters)
            _ = try await client.post("s", form: parameters)
            #expect(server.requests.map(\.target) == ["/s?text=a+b&tags=x&tags=y", "/s"])
            #expect(server.requests.last?.text == "text=a+b&tags=x&tags=y")
        }
    }
}

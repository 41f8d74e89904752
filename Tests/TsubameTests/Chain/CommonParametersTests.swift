// CommonParametersTests: CommonParameters: the parameters that an API expects with every call.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct CommonParametersTests {
    /// The last request of a client whose calls carry `app=1` and `name=a b`.
    private static func sent(_ request: Request, base: String = "https://a.example/v1") async throws -> Request? {
        let stub = StubTransport { $0.on("*") }
        let client = Client(base, transport: stub) {
            $0.interceptors = [CommonParameters { ["app": 1, "name": "a b"] }]
        }
        _ = try await client.send(request)
        return stub.requests.last
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .delete, .options])
    func `they go into the query, behind what is there`(method: HTTPRequest.Method) async throws {
        let request = try await Self.sent(Request(method, "x", query: ["q": 1]))
        #expect(request?.uri?.target == "/v1/x?q=1&app=1&name=a%20b")
        let bare = try await Self.sent(Request(method, "x"))
        #expect(bare?.uri?.target == "/v1/x?app=1&name=a%20b")
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func `they go into a form`(method: HTTPRequest.Method) async throws {
        let request = try await Self.sent(Request(method, "x", query: ["q": 1], body: .form(["f": 2])))
        #expect(request?.uri?.target == "/v1/x?q=1")
        #expect(request?.body.bytes == Bytes("f=2&app=1&name=a%20b"))
        #expect(request?.headers[.contentType] == "application/x-www-form-urlencoded")
        let empty = try await Self.sent(Request(method, "x", body: .form([:])))
        #expect(empty?.body.bytes == Bytes("app=1&name=a%20b"))
    }

    @Test(arguments: [
        "Application/X-WWW-Form-URLencoded", "application/x-www-form-urlencoded; charset=utf-8",
        "application/x-www-form-urlencoded ;x=y",
    ])
    func `a form is one however its type is written`(type: String) async throws {
        let form = RequestBody.form(["f": 2])
        let ofBody = try await Self.sent(Request(.post, "x", body: form.with(contentType: type)))
        #expect(ofBody?.body.bytes == Bytes("f=2&app=1&name=a%20b"))
        #expect(ofBody?.uri?.query == nil)
        let ofField = try await Self.sent(Request(.post, "x", headers: [.contentType: type], body: form))
        #expect(ofField?.body.bytes == Bytes("f=2&app=1&name=a%20b"))
    }

    @Test func `a type that only begins like a form's is none`() async throws {
        let type = "application/x-www-form-urlencoded-not"
        let request = try await Self.sent(Request(.post, "x", body: .text("f=2", contentType: type)))
        #expect(request?.body.bytes == Bytes("f=2"))
        #expect(request?.uri?.query == "app=1&name=a%20b")
    }

    @Test func `a compressed form stays as it is, and they go into the query`() async throws {
        let body = RequestBody.form(["f": 2]).compressed()
        let request = try await Self.sent(Request(.post, "x", body: body))
        #expect(request?.uri?.query == "app=1&name=a%20b" && request?.headers[.contentEncoding] == "gzip")
        let coded = try #require(request?.body.bytes)
        let decoded = try await DecodedContent.decode(coded, codings: "gzip", upTo: 100)
        #expect(decoded == Bytes("f=2"))
    }

    @Test func `a form that is not in UTF-8 keeps its bytes`() async throws {
        let form = RequestBody.bytes([0x66, 0x3D, 0xE4], contentType: "application/x-www-form-urlencoded")
        let request = try await Self.sent(Request(.post, "x", body: form))
        #expect(request?.body.bytes == Bytes([0x66, 0x3D, 0xE4] + Array("&app=1&name=a%20b".utf8)))
    }

    @Test func `a body that is no form is left alone`() async throws {
        let json = try await Self.sent(Request(.post, "x", body: .json(["f": 2])))
        #expect(json?.uri?.query == "app=1&name=a%20b")
        #expect(json?.body.bytes == Bytes(#"{"f":2}"#))
        let none = try await Self.sent(Request(.post, "x"))
        #expect(none?.uri?.query == "app=1&name=a%20b")
        #expect(none?.body.isEmpty == true)
    }

    @Test("BAD-INPUT 21: they stay at home") func foreign() async throws {
        let request = try await Self.sent(Request(.get, url: "https://b.example/x"))
        #expect(request?.uri?.target == "/x")
        let stub = StubTransport {
            $0.on("https://a.example/x").respond(
                status: .temporaryRedirect, headers: [.location: "https://b.example/y"])
            $0.on("https://b.example/y")
        }
        let client = Client("https://a.example", transport: stub) {
            $0.interceptors = [CommonParameters { ["deviceId": "device"] }]
        }
        _ = try await client.post("x", form: ["f": 2])
        #expect(stub.requests.map(\.body.bytes) == [Bytes("f=2&deviceId=device"), Bytes("f=2")])
        #expect(stub.requests.allSatisfy { $0.uri?.query == nil })
    }

    @Test func `what cannot be encoded is an invalid request`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub) {
            $0.interceptors = [CommonParameters { ["x": Double.nan] }]
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .invalidRequest)
        #expect(stub.requests.isEmpty)
    }

    @Test func `they are asked for once a call, redirects included`() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: .temporaryRedirect, headers: [.location: "/y"])
            $0.on("/y")
        }
        let log = Log<Int>()
        let client = Client("https://a.example", transport: stub) {
            $0.interceptors = [
                CommonParameters {
                    log.add(1)
                    return ["app": 1]
                }
            ]
        }
        _ = try await client.post("x", form: [:])
        #expect(log.all.count == 1)
        #expect(stub.requests.map(\.body.bytes) == [Bytes("app=1"), Bytes("app=1")])
    }

    @Test func `a parameter that the request has by itself is left out, and the closure sees the request`() async throws
    {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub) {
            $0.interceptors = [CommonParameters { request in ["app": 1, "verb": request.method.rawValue] }]
        }
        _ = try await client.get("x", query: ["app": 2])
        #expect(stub.requests.last?.uri?.target == "/x?app=2&verb=GET")
        _ = try await client.post("x", form: ["verb": "mine", "a": 1])
        #expect(stub.requests.last?.body.bytes == Bytes("verb=mine&a=1&app=1"))
    }
}

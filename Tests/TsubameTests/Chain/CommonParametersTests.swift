// CommonParametersTests: CommonParameters: the parameters that an API expects with every call.

import Foundation
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

    @Test func `the classic set is in its order, with the time of the clock in the zone given`() async throws {
        let stub = StubTransport { $0.on("*") }
        let zones = [0, 9 * 3600, -(9 * 3600 + 1800)].compactMap { TimeZone(secondsFromGMT: $0) }
        for zone in zones {
            let client = Client("https://a.example", transport: stub) {
                $0.interceptors = [
                    CommonParameters(
                        messageType: "viewer", installation: InstallationID(value: "id"), timeZone: zone,
                        now: { Date(timeIntervalSince1970: 1_078_012_799) }, others: ["v": 2])
                ]
            }
            _ = try await client.get("x")
        }
        let queries = ["20040228235959", "20040229085959", "20040228142959"]
            .map { "deviceId=id&messageType=viewer&dateTime=\($0)&v=2" }
        #expect(stub.requests.map { $0.uri?.query } == queries)
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

    // MARK: The installation's id

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func `the installation's id is made once, however many make it at once`() async throws {
        try await Self.withFolder { folder in
            let folder = folder.appending(path: "deeper")
            let ids = try await withThrowingTaskGroup(of: InstallationID.self) { group in
                for _ in 0..<64 { group.addTask { try InstallationID.stored(in: folder) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(ids).count == 1)
            #expect(ids.first.flatMap { UUID(uuidString: $0.value) } != nil)
            let again = try InstallationID.stored(in: folder)
            #expect(again == ids.first)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files == ["installation-id"])
        }
    }

    @Test func `two installations have two ids`() async throws {
        try await Self.withFolder { folder in
            let one = try InstallationID.stored(in: folder.appending(path: "one"))
            let other = try InstallationID.stored(in: folder.appending(path: "other"))
            #expect(one != other)
        }
    }

    @Test func `a file that holds no id is replaced`() async throws {
        try await Self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("garbage".utf8).write(to: folder.appending(path: "installation-id"))
            let id = try InstallationID.stored(in: folder)
            let again = try InstallationID.stored(in: folder)
            #expect(id == again && UUID(uuidString: id.value) != nil)
        }
    }

    @Test func `a folder that cannot be made throws`() {
        #expect(throws: (any Error).self) { try InstallationID.stored(in: URL(filePath: "/dev/null/folder")) }
    }
}

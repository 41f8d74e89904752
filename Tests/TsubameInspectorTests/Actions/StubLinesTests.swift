// StubLinesTests: a call as lines of a stub, and the stub that these lines make.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct StubLinesTests {
    @Test func `the lines give the answers of a call with a redirect and a retry`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/old": .redirect(to: "/new?page=2")
            case "/new" where request.index == 1: .status(.serviceUnavailable, headers: [.retryAfter: "0"])
            default: .json("{\"a\":\"\\\"b\\\"\"}")
            }
        }
        let client = Client(server.url) { $0.retry = .standard }
        let log = TrafficLog()
        log.add(client)
        log.keepBodies()
        #expect(try await client.get("old").statusCode == 200)
        let entries = try await HTTPArchive(json: log.har()).entries
        let lines = LoggedCall.stub(of: entries, failure: nil)
        #expect(
            lines == """
                stub.on(.get, "/old")
                    .respond(status: .init(code: 302), headers: ["Location": "/new?page=2"])
                stub.on(.get, "/new?page=2")
                    .respond(status: .init(code: 503), headers: ["Retry-After": "0"])
                    .respond(headers: ["Content-Type": "application/json"], body: Bytes("{\\"a\\":\\"\\\\\\"b\\\\\\"\\"}"))
                """)
        // The same lines, compiled.
        let stub = StubTransport { stub in
            stub.on(.get, "/old")
                .respond(status: .init(code: 302), headers: ["Location": "/new?page=2"])
            stub.on(.get, "/new?page=2")
                .respond(status: .init(code: 503), headers: ["Retry-After": "0"])
                .respond(headers: ["Content-Type": "application/json"], body: Bytes("{\"a\":\"\\\"b\\\"\"}"))
        }
        let stubbed = Client("http://example.com", transport: stub) { $0.retry = .standard }
        #expect(try await stubbed.get("old").text() == "{\"a\":\"\\\"b\\\"\"}")
        try stub.assertAllUsed()
        await client.close()
    }

    @Test func `a failure, secrets and binary bodies`() {
        var entry = HTTPArchive.Entry(
            startedDateTime: "",
            request: HTTPArchive.Request(method: "POST", url: "http://example.com/a?token=[redacted]"),
            response: HTTPArchive.Response(status: 0))
        let error = CallError(.connectionLost, "it is gone")
        #expect(
            LoggedCall.stub(of: [entry], failure: error)
                == "stub.on(.post, \"/a\")\n    .fail(CallError(.connectionLost, \"it is gone\"))")
        #expect(LoggedCall.stub(of: [entry], failure: nil) == "")
        entry.response = HTTPArchive.Response(
            status: 200, content: HTTPArchive.Content(size: 2, text: "//4=", encoding: "base64"))
        #expect(
            LoggedCall.stub(of: [entry], failure: nil)
                == "stub.on(.post, \"/a\")\n    .respond(body: Bytes(Data(base64Encoded: \"//4=\") ?? Data()))")
    }
}

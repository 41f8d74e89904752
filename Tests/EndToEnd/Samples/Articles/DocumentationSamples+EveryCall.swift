// DocumentationSamples: the samples of EveryCall.md.

import Foundation
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

private struct RequestID: MessageHook {
    func willSend(_ request: inout Request) throws(CallError) {
        request.headers["X-Request-ID"] = UUID().uuidString
    }
}

private struct Signature: Interceptor {
    let sign: @Sendable (Bytes) -> String

    func intercept(_ request: Request, next: Next) async throws -> Response {
        var request = request
        request.headers["X-Signature"] = sign(try await request.body.collect())
        return try await next(request)
    }
}

private struct OnceMore: Interceptor {
    func intercept(_ request: Request, next: Next) async throws -> Response {
        let response = try await next(request)
        let isBusy = response.status == .serviceUnavailable && request.method == .get
        guard isBusy else { return response }
        return try await next(request)
    }
}

extension DocumentationSamples {
    @Test func settings() async throws {
        let server = try await ScriptedServer.start { _ in
            .ok("hello", headers: [.setCookie: "session=17"])
        }
        let token = "token-1"
        let api = Client(server.url) {
            $0.headers[.userAgent] = "Viewer/2.0"
            $0.authentication = .bearer(token)
            $0.cookies = .memory
            $0.redirects = .follow(max: 5)
            $0.limits.bufferedBody = 8 << 20
        }
        let patient = api.with { $0.timeouts.total = .seconds(300) }
        try await api.get("first").accepted()
        try await patient.get("second").accepted()
        let second = try await server.request(1)
        #expect(second["user-agent"] == "Viewer/2.0" && second["authorization"] == "Bearer token-1")
        // A view shares the client's cookies and connections.
        #expect(second["cookie"] == "session=17" && second.connection == 0)

        var traced = Request(.get, "hello")
        traced.options { $0.interceptors += [RequestID()] }
        try await api.send(traced).accepted()
        #expect(try await server.request(2)["x-request-id"] != nil)

        // Another origin gets none of the client's fields.
        let other = try await ScriptedServer.start { _ in .ok() }
        try await api.get(url: other.url).accepted()
        let elsewhere = try await other.request(0)
        #expect(elsewhere["authorization"] == nil && elsewhere["user-agent"]?.hasPrefix("Tsubame/") == true)
        #expect(!String(reflecting: api).contains("token-1"))
        try await close(api)
        await server.stop()
        await other.stop()
    }

    @Test func interceptors() async throws {
        let server = try await ScriptedServer.start(replies: [.status(.serviceUnavailable), .ok("at last")])
        let api = Client(server.url) {
            $0.interceptors += [CommonParameters { ["app": "viewer"] }, RequestID(), OnceMore()]
        }
        print(api.chain)
        let chain = """
            1. CommonParameters (hook)
            2. RequestID (hook)
            3. OnceMore (interceptor)
            4. Redirects (follow-up)
            5. HSTSUpgrade (hook)
            6. Credentials (follow-up)
            7. ContentDecoding (hook)
            8. CacheDirectives (hook)
            9. Retries (follow-up)
            10. Engine (HTTP/1.1, HTTP/2) (transport)
            """
        #expect(api.chain.description == chain)
        #expect(try await api.get("news").text() == "at last")
        let first = try await server.request(0)
        #expect(first.query == "app=viewer")
        #expect(first["x-request-id"] != nil && first["x-request-id"] == server.requests[1]["x-request-id"])
        try await close(api)
        await server.stop()
    }

    @Test func signing() async throws {
        let server = try await ScriptedServer.start(replies: [.status(.serviceUnavailable), .ok()])
        let api = Client(server.url) {
            $0.retry = .standard { $0.delay = .zero }
            $0.wireInterceptors += [Signature { "\($0.count) bytes" }]
        }
        try await api.put("notes", json: ["text": "燕"]).accepted()
        #expect(server.requests.map { $0["x-signature"] } == ["14 bytes", "14 bytes"])
        #expect(server.requests.map(\.bodyByteCount) == [14, 14])
        try await close(api)
        await server.stop()
    }

    @Test func observing() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url)
        let texts = Mutex<[String]>([])
        @Sendable func log(_ text: String) { texts.withLock { $0.append(text) } }
        let observation = api.observe { event in
            switch event.kind {
            case .finished(let response): log("\(response.request.summary): \(response.statusCode)")
            case .failed(let error): log("\(error)")
            default: break
            }
        }
        try await api.get("hello", query: ["page": 2, "token": "17"]).accepted()
        observation.cancel()
        try await api.get("hello").accepted()
        let logged = """
            GET \(server.url)/hello?page=2&token=[redacted]: 200
            """
        #expect(texts.withLock { $0 } == [logged])
        try await close(api)
        await server.stop()
    }
}

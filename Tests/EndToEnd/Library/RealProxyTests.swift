// RealProxyTests: the client through third-party proxies.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

/// The properties that every proxy must have.
private struct RealProxyCheck {
    let program: ProxyProgram

    /// Runs `body` with an origin, the proxy, and a client with the proxy's credentials or others.
    func run(
        secure isSecure: Bool, userinfo: String? = "\(ProxyProcess.user):\(ProxyProcess.password)",
        _ reply: @escaping @Sendable (ReceivedRequest) -> Reply = { .ok("\($0.method) \($0.target) \($0.text)") },
        _ body: (ScriptedServer, ProxyProcess, Client) async throws -> Void
    ) async throws {
        try await ProxyProcess.run(program) { proxy in
            try await ScriptedServer.start(tls: isSecure ? .localhost : nil, reply).use { server in
                let base = "\(isSecure ? "https" : "http")://\(Loopback.name):\(server.port)"
                try await withClient(
                    base,
                    {
                        $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
                        $0.connection.proxy = .url(proxy.url(userinfo))
                    }
                ) { try await body(server, proxy, $0) }
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    func requestsAndAnswers(secure isSecure: Bool) async throws {
        try await run(secure: isSecure) { server, proxy, client in
            let got = try await client.get("x", query: ["q": "燕"])
            #expect(got.bytes == Bytes("GET /x?q=%E7%87%95 "))
            #expect(got.connection?.proxy == proxy.url())
            #expect(got.connection?.tls?.version == (isSecure ? "TLS 1.3" : nil))
            // tinyproxy closes after each forwarded request without announcing it. A request that may not be sent again
            // could meet that.
            let posted = try await client.post("y", headers: ["Idempotency-Key": "1"], body: .text("hello"))
            #expect(posted.bytes == Bytes("POST /y hello"))
            let isForwarded = program == .tinyproxy && !isSecure
            #expect(posted.connection?.isReused == !isForwarded)
            #expect(server.acceptedConnections == (isForwarded ? 2 : 1))
            for request in server.requests {
                #expect(request["host"] == "\(Loopback.name):\(server.port)")
                #expect(request["proxy-authorization"] == nil)
                #expect(!request.headText.contains(ProxyProcess.password))
            }
        }
    }

    func bodies(secure isSecure: Bool) async throws {
        let size = 4 << 20
        try await run(secure: isSecure) { _ in
            .stream(size)
        } _: { server, _, client in
            let body = RequestBody.bytes(Bytes([UInt8](repeating: 0x61, count: size)))
            let response = try await client.post("x", body: body)
            #expect(response.bytes.count == size)
            #expect(try await server.request(0).bodyByteCount == size)
        }
    }

    func manyAtOnce(secure isSecure: Bool) async throws {
        try await run(secure: isSecure) { _, _, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<16 {
                    group.addTask { try await client.get("\(index)").bytes == Bytes("GET /\(index) ") }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    func blockingCall() async throws {
        try await run(secure: true) { _, _, client in
            let bytes = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: try? client.blocking.send(Request(.get, "x")).bytes)
                }
            }
            #expect(bytes == Bytes("GET /x "))
        }
    }

    /// The text of the tunnel's refusal, for credentials that the proxy rejects.
    func refusal(of userinfo: String?) async throws -> String {
        var text = ""
        try await run(secure: true, userinfo: userinfo) { server, proxy, client in
            let error = await #expect(throws: CallError.self) { try await client.get("x") }
            #expect(error?.kind == .proxy, "\(String(describing: error))")
            text = error.map { "\($0)" } ?? ""
            #expect(text.contains("127.0.0.1:\(proxy.port)"))
            #expect(!text.contains("wrong") && !text.contains(ProxyProcess.password))
            #expect(server.acceptedConnections == 0)
        }
        return text
    }

    /// No server listens at the tunnel's target.
    func deadTarget() async throws {
        let dead = try DeadPort()
        try await run(secure: true) { _, proxy, client in
            let url = "https://127.0.0.1:\(dead.number)/"
            let error = await #expect(throws: CallError.self) { try await client.get(url: url) }
            #expect(error?.kind == .proxy, "\(String(describing: error))")
            #expect(error.map { "\($0)".contains("127.0.0.1:\(proxy.port)") } == true)
            // The proxy still works and leads to other targets.
            let response = try await client.get("x")
            #expect(response.statusCode == 200)
        }
    }
}

@Suite(
    .enabled(if: ProxyProgram.tinyproxy.isThere, "tinyproxy is not installed: nothing was sent through it"),
    .timeLimit(.minutes(2)))
struct RealHTTPProxyTests {
    private let check = RealProxyCheck(program: .tinyproxy)

    @Test(arguments: [false, true]) func requestsAndAnswersGoThrough(isSecure: Bool) async throws {
        try await check.requestsAndAnswers(secure: isSecure)
    }

    @Test(arguments: [false, true]) func bodiesOfMebibytesGoThrough(isSecure: Bool) async throws {
        try await check.bodies(secure: isSecure)
    }

    @Test(arguments: [false, true]) func manyCallsAtOnceGetTheirOwnAnswers(isSecure: Bool) async throws {
        try await check.manyAtOnce(secure: isSecure)
    }

    @Test func aBlockingCallGoesThrough() async throws { try await check.blockingCall() }

    @Test func aTunnelWithoutCredentialsIsRefused() async throws {
        #expect(try await check.refusal(of: nil).contains("407"))
    }

    // This proxy answers 401 where the standard asks for 407.
    @Test func aTunnelWithWrongCredentialsIsRefused() async throws {
        #expect(try await check.refusal(of: "user:wrong").contains("401"))
    }

    @Test func whatItAnswersToAForwardedRequestIsAResponse() async throws {
        try await check.run(secure: false, userinfo: nil) { server, _, client in
            let response = try await client.get("x")
            #expect(response.statusCode == 407)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func aTargetThatIsDeadIsAnErrorOfTheProxys() async throws { try await check.deadTarget() }
}

@Suite(
    .enabled(if: ProxyProgram.microsocks.isThere, "microsocks is not installed: nothing was sent through it"),
    .timeLimit(.minutes(2)))
struct RealSOCKSProxyTests {
    private let check = RealProxyCheck(program: .microsocks)

    @Test(arguments: [false, true]) func requestsAndAnswersGoThrough(isSecure: Bool) async throws {
        try await check.requestsAndAnswers(secure: isSecure)
    }

    @Test(arguments: [false, true]) func bodiesOfMebibytesGoThrough(isSecure: Bool) async throws {
        try await check.bodies(secure: isSecure)
    }

    @Test(arguments: [false, true]) func manyCallsAtOnceGetTheirOwnAnswers(isSecure: Bool) async throws {
        try await check.manyAtOnce(secure: isSecure)
    }

    @Test func aBlockingCallGoesThrough() async throws { try await check.blockingCall() }

    @Test(arguments: [nil, "user:wrong"]) func credentialsThatItDoesNotTakeAreRefused(userinfo: String?) async throws {
        #expect(try await check.refusal(of: userinfo).contains("password"))
    }

    @Test func aTargetThatIsDeadIsAnErrorOfTheProxys() async throws { try await check.deadTarget() }
}

// StubTransportTests: the answers of a stub, the requests that they match, and the ends of its delays.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameCore

@testable import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct StubTransportTests {
    private struct User: Codable {
        var name: String
    }

    private func request(
        _ method: HTTPRequest.Method = .get, _ url: String = "https://api.example.com/v1/users"
    ) throws -> Request {
        Request(method, uri: try TargetURI(parsing: url))
    }

    private func call(
        _ request: Request, total: Duration? = nil, head: Duration? = nil,
        observer: (@Sendable (CallEvent) -> Void)? = nil
    ) -> Call {
        var timeouts = Timeouts()
        timeouts.total = total
        timeouts.head = head
        return Call(
            request, CallOptions(timeouts: timeouts), observers: ObserverList(),
            observer: observer)
    }

    private func send(_ request: Request, to stub: StubTransport) async throws(CallError) -> Response {
        try await send(request, call(request), to: stub)
    }

    /// Sends the request as the client does.
    private func send(
        _ request: Request, _ call: Call, to stub: StubTransport
    ) async throws(CallError) -> Response {
        try await TransportExchange(request, call: call, support: ExchangeSupport()).run(stub)
    }

    /// The request as a call makes it and as the client sends it.
    private func sendBelow(_ path: RequestPath, base: String, to stub: StubTransport) async throws -> Response {
        let original = Request(.get, path, encodedQuery: "", headers: [:], body: .empty)
        let uri = try TargetURI(parsing: base).appending(path: path.encoded)
        return try await send(Request(.get, uri: uri), call(original), to: stub)
    }

    // MARK: Answers

    @Test func `a request that can never come is waited for until the task is cancelled`() async throws {
        let stub = StubTransport()
        let waiting = Task { try await stub.request(-1) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `answers with JSON, text, bytes and status`() async throws {
        let stub = StubTransport {
            $0.on(.get, "/json").respond(json: [User(name: "Ann")])
            $0.on(.get, "/text").respond(status: .created, text: "hé")
            $0.on(.get, "/bytes").respond(status: 418, headers: [.eTag: "x"], body: Bytes([1, 2]))
            $0.on(.get, "/empty")
        }
        let json = try await send(request(.get, "https://h/json"), to: stub)
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"[{"name":"Ann"}]"#)
        #expect(json.headers[.contentType] == "application/json")
        #expect(json.statusCode == 200)
        #expect(json.request.uri?.string == "https://h/json")
        let text = try await send(request(.get, "https://h/text"), to: stub)
        #expect(text.statusCode == 201)
        #expect(text.bytes == Bytes("hé"))
        #expect(text.headers[.contentType] == "text/plain; charset=utf-8")
        let bytes = try await send(request(.get, "https://h/bytes"), to: stub)
        #expect(bytes.statusCode == 418)
        #expect(Array(bytes.bytes) == [1, 2])
        #expect(bytes.headers[.eTag] == "x")
        let empty = try await send(request(.get, "https://h/empty"), to: stub)
        #expect(empty.statusCode == 200 && empty.bytes.isEmpty)
        #expect(stub.requests.compactMap(\.uri?.path) == ["/json", "/text", "/bytes", "/empty"])
    }

    @Test func `gives several answers in order and the last for ever`() async throws {
        let stub = StubTransport {
            $0.on(.get, "/v1/users").fail(CallError(.connectionLost, "gone"))
                .respond(status: .serviceUnavailable).respond(text: "ready")
        }
        let request = try request()
        let error = await #expect(throws: CallError.self) { try await send(request, to: stub) }
        #expect(error?.kind == .connectionLost)
        #expect(error?.request?.uri == request.uri)
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await send(request, to: stub).statusCode) }
        #expect(statuses == [503, 200, 200])
    }

    @Test func `answers with what a closure makes, for the request as sent`() async throws {
        struct Problem: Error {}
        let stub = StubTransport {
            $0.on("/echo").respond { Response(status: .ok, body: Bytes($0.method.rawValue)) }
            $0.on("/throw").respond { _ in throw Problem() }
        }
        let echo = try await send(request(.put, "https://h/echo"), to: stub)
        #expect(echo.bytes == Bytes("PUT"))
        #expect(echo.request.uri?.path == "/echo")
        let failing = try request(.get, "https://h/throw")
        let error = await #expect(throws: CallError.self) { try await send(failing, to: stub) }
        #expect(error?.kind == .interceptor)
        #expect(error?.underlying is Problem)
    }

    @Test func `answers HEAD without a body`() async throws {
        let stub = StubTransport { $0.on("/v1/users").respond(text: "body") }
        let response = try await send(request(.head), to: stub)
        #expect(response.bytes.isEmpty)
        #expect(response.headers.contains(.contentType))
    }

    @Test func `tells of what a transport tells of`() async throws {
        let events = Mutex<[String]>([])
        let stub = StubTransport { $0.on("/v1/users").respond(text: "body") }
        let request = try request()
        let call = call(request) { event in
            switch event.kind {
            case .sent: events.withLock { $0.append("sent") }
            case .headReceived: events.withLock { $0.append("head") }
            case .receiving(let progress): events.withLock { $0.append("\(progress.bytes) bytes") }
            default: events.withLock { $0.append("other") }
            }
        }
        let response = try await send(request, call, to: stub)
        #expect(events.withLock { $0 } == ["sent", "head", "4 bytes"])
        #expect(response.timings.head != nil && response.timings.total != nil)
    }

    @Test func `refuses what comes after close`() async throws {
        let stub = StubTransport { $0.on("/v1/users") }
        await stub.close()
        let request = try request()
        let error = await #expect(throws: CallError.self) { try await send(request, to: stub) }
        #expect(error?.kind == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    @Test func `a request can be waited for`() async throws {
        let stub = StubTransport { $0.on("/v1/users") }
        let second = Task { try await stub.request(1) }
        _ = try await send(request(.get), to: stub)
        _ = try await send(request(.delete), to: stub)
        #expect(try await second.value.method == .delete)
    }

    // MARK: Routes

    @Test func `the most exact route wins`() async throws {
        let stub = StubTransport {
            $0.on(.get, "/a*").respond(text: "prefix")
            $0.on(.get, "/a/b*").respond(text: "longer prefix")
            $0.on("/a/b/c").respond(text: "any method")
            $0.on(.post, "/a/b/c").respond(text: "post")
            $0.on(.get, "/a?x=1").respond(text: "query")
            $0.on(.get, "https://other/a").respond(text: "origin")
            $0.on("*").respond(text: "all")
        }
        func text(_ method: HTTPRequest.Method, _ url: String) async throws -> String {
            String(decoding: try await send(request(method, url), to: stub).bytes, as: UTF8.self)
        }
        #expect(try await text(.get, "https://h/ax") == "prefix")
        #expect(try await text(.get, "https://h/a/bx?q") == "longer prefix")
        #expect(try await text(.get, "https://h/a/b/c?q=1") == "any method")
        #expect(try await text(.post, "https://h/a/b/c") == "post")
        #expect(try await text(.get, "https://h/a?x=1") == "query")
        #expect(try await text(.get, "https://h/a?x=2") == "prefix")
        #expect(try await text(.get, "https://other/a") == "origin")
        #expect(try await text(.delete, "https://h/zzz") == "all")
    }

    @Test func `a path can be written below the base, or whole`() async throws {
        let stub = StubTransport {
            $0.on(.get, "/users").respond(text: "below")
            $0.on(.get, "orders*").respond(text: "prefix")
            $0.on(.get, "/v1/whole").respond(text: "whole")
        }
        let base = "https://api.example.com/v1"
        #expect(try await sendBelow("users", base: base, to: stub).bytes == Bytes("below"))
        #expect(try await sendBelow("/users?page=2", base: base, to: stub).bytes == Bytes("below"))
        #expect(try await sendBelow("orders/7", base: base, to: stub).bytes == Bytes("prefix"))
        #expect(try await sendBelow("whole", base: base, to: stub).bytes == Bytes("whole"))
        // The request after a redirect, whose target differs from the original.
        let original = Request(.get, "users", encodedQuery: "", headers: [:], body: .empty)
        let elsewhere = try request(.get, "https://api.example.com/elsewhere")
        await #expect(throws: CallError.self) { try await send(elsewhere, call(original), to: stub) }
    }

    @Test func `a request without a route fails, with the nearest route and the difference`() async throws {
        let stub = StubTransport {
            $0.on(.get, "/users").respond(text: "x")
            $0.on("/all*").respond(text: "x")
        }
        let request = try request(.post, "https://h/users?token=geheim")
        let error = await #expect(throws: CallError.self) { try await send(request, to: stub) }
        #expect(error?.kind == .misuse)
        #expect(
            error?.reason
                == "no route of the stub fits; the nearest is GET /users: the method is POST, and not GET")
        #expect(error?.description.contains("POST https://h/users") == true)
        #expect(error?.description.contains("geheim") == false)
        #expect(stub.requests.count == 1)
        let none = await #expect(throws: CallError.self) { try await send(request, to: StubTransport()) }
        #expect(none?.reason == "the stub has no routes")
    }

    @Test func `routes can be added later, and answers to a route there is`() async throws {
        let stub = StubTransport()
        let request = try request()
        await #expect(throws: CallError.self) { try await send(request, to: stub) }
        stub.on(.get, "/v1/users").respond(text: "1")
        stub.on(.get, "/v1/users").respond(text: "2")
        #expect(try await send(request, to: stub).bytes == Bytes("1"))
        #expect(try await send(request, to: stub).bytes == Bytes("2"))
    }

    // MARK: Delays

    @Test func `a delay is counted on the stub's clock`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock) { $0.on("/v1/users").respond(text: "late").delay(.seconds(60)) }
        let request = try request()
        let task = Task { try await send(request, to: stub) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(59))
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(1))
        #expect(try await task.value.bytes == Bytes("late"))
    }

    @Test func `a delay belongs to the answer before it, or to all if it comes first`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock) {
            $0.on("/one").respond(text: "1").delay(.seconds(5)).respond(text: "2")
            $0.on("/all").delay(.seconds(5)).respond(text: "1").respond(text: "2")
            $0.on("/bare").delay(.seconds(5))
        }
        for (path, delays) in [("/one", [true, false]), ("/all", [true, true]), ("/bare", [true, true])] {
            let request = try request(.get, "https://h\(path)")
            for isDelayed in delays {
                let task = Task { try await send(request, to: stub) }
                if isDelayed {
                    try await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(5))
                }
                #expect(try await task.value.statusCode == 200)
            }
        }
    }

    @Test func `cancelling the task ends a delay`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock) { $0.on("/v1/users").respond(text: "late").delay(.seconds(60)) }
        let request = try request()
        let task = Task { try await send(request, to: stub) }
        try await clock.waitForSleepers(1)
        task.cancel()
        let error = await #expect(throws: CallError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        #expect(error?.phase == .waitingForHead)
    }

    @Test func `cancelling the call ends a delay`() async throws {
        let clock = ManualClock()
        let stub = StubTransport(clock: clock) { $0.on("/v1/users").respond(text: "late").delay(.seconds(60)) }
        let request = try request()
        let call = call(request)
        let task = Task { try await send(request, call, to: stub) }
        try await clock.waitForSleepers(1)
        call.cancel()
        let error = await #expect(throws: CallError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        let again = await #expect(throws: CallError.self) { try await send(request, call, to: stub) }
        #expect(again?.kind == .cancelled)
        #expect(stub.requests.count == 1)
    }

    @Test(arguments: [Timeouts.Name.total, .head])
    func `a deadline ends a closure that never returns`(name: Timeouts.Name) async throws {
        let never = Gate()
        let stub = StubTransport {
            $0.on("/v1/users").respond { _ in
                try await never.wait()
                throw CallError(.misuse, "the gate was opened")
            }
        }
        let request = try request()
        let limit = Duration.milliseconds(100)
        let call = name == .total ? call(request, total: limit) : call(request, total: .seconds(60), head: limit)
        let clock = ContinuousClock()
        let start = clock.now
        let error = await #expect(throws: CallError.self) { try await send(request, call, to: stub) }
        #expect(clock.now - start >= limit - .milliseconds(1))
        #expect(error?.kind == .timeout && error?.timeout == name)
    }

    @Test func `cancelling the call, or its task, ends a closure that never returns`() async throws {
        let request = try request()
        for isTask in [false, true] {
            let never = Gate()
            let stub = StubTransport {
                $0.on("/v1/users").respond { _ in
                    // This closure ignores its cancellation.
                    await withCheckedContinuation { continuation in _ = never.whenOpen { continuation.resume() } }
                    throw CallError(.misuse, "the gate was opened")
                }
            }
            let call = call(request)
            let task = Task { try await send(request, call, to: stub) }
            try await never.waitForArrivals(1)
            if isTask { task.cancel() } else { call.cancel() }
            let error = await #expect(throws: CallError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            never.open()
        }
    }

    @Test(arguments: [Timeouts.Name.total, .head])
    func `a deadline ends a delay, not before its time`(name: Timeouts.Name) async throws {
        let stub = StubTransport(clock: ManualClock()) { $0.on("/v1/users").delay(.seconds(60)) }
        let request = try request()
        let limit = Duration.milliseconds(30)
        let call = name == .total ? call(request, total: limit) : call(request, total: .seconds(60), head: limit)
        let clock = ContinuousClock()
        let start = clock.now
        let error = await #expect(throws: CallError.self) { try await send(request, call, to: stub) }
        #expect(clock.now - start >= limit - .milliseconds(1))
        #expect(error?.kind == .timeout)
        #expect(error?.timeout == name)
        #expect(error?.phase == .waitingForHead)
    }
}

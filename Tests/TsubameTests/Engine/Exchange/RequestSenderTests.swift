// RequestSenderTests: how a request is brought to a connection, with a framing that takes notes.

import HTTPTypes
import NIOCore
import Testing
import Tsubame
import TsubameCore
import TsubamePlatform
import TsubameTesting

@testable import TsubameEngine

/// Notes what it is told to send.
// Confined to the loop of its test; `calls` may be read from anywhere.
private final class NotedFraming: RequestFraming, @unchecked Sendable {
    enum Call: Equatable, Sendable {
        case head(body: String?), held(String), pieces(String), end(String?), deadline(Timeouts.Name?)
    }

    let calls = Log<Call>()
    let hasEnded = Gate()
    var takesBody = true
    var isBroken = false

    func sendHead(_ plan: SendingPlan) -> Bool {
        calls.add(.head(body: plan.bodyWithHead.map { "\($0.text)" }))
        return !isBroken
    }

    func sendHeldBody(_ body: Bytes) { calls.add(.held("\(body.text)")) }

    func send(_ pieces: [Bytes], promise: EventLoopPromise<Void>) {
        calls.add(.pieces(pieces.map { "\($0.text)" }.joined()))
        promise.succeed()
    }

    func send(_ end: BodySender.End, promise: EventLoopPromise<Void>) {
        calls.add(.end(end.last.map { "\($0.text)" }))
        promise.succeed()
        hasEnded.open()
    }

    func bodyMoved(at now: MonotonicTime) {}
    func bodyEnded(at now: MonotonicTime) {}
    func setDeadline(_ name: Timeouts.Name?, from now: MonotonicTime) { calls.add(.deadline(name)) }
    func flush() {}
}

extension Bytes {
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

@Suite(.timeLimit(.minutes(1))) struct RequestSenderTests {
    /// Sends a request on a loop, does more there, and says what was sent and whether that is all of the request.
    private func send(
        _ request: Request, then more: @escaping @Sendable (RequestSender, NotedFraming) -> Void = { _, _ in }
    ) async throws -> (calls: [NotedFraming.Call], isComplete: Bool) {
        let framing = NotedFraming()
        var isComplete = false
        try await EngineParts.withLoopPool { loopPool in
            let exchange = try EngineParts.exchange(request, on: loopPool)
            isComplete = try await loopPool.loop.submit {
                let sender = RequestSender()
                try sender.send(exchange, exchange.sendingPlan, on: framing)
                more(sender, framing)
                defer { sender.stop() }
                return sender.isComplete
            }.get()
        }
        return (framing.calls.all, isComplete)
    }

    private func put(_ body: RequestBody, asksFirst: Bool) -> Request {
        var request = Request(.put, url: "http://localhost/", body: body)
        if asksFirst { request.headers[.expect] = "100-continue" }
        return request
    }

    @Test func `a request without a body is its head`() async throws {
        let (calls, isComplete) = try await send(Request(.get, url: "http://localhost/"))
        #expect(calls == [.head(body: nil), .deadline(.head)])
        #expect(isComplete)
    }

    @Test func `a small body goes with its head`() async throws {
        let (calls, isComplete) = try await send(put(.text("hi"), asksFirst: false))
        #expect(calls == [.head(body: "hi"), .deadline(.head)])
        #expect(isComplete)
    }

    @Test func `a body that is to be asked for waits, and goes out once`() async throws {
        let waiting = try await send(put(.text("hi"), asksFirst: true))
        #expect(waiting.calls == [.head(body: nil), .deadline(.head)])
        #expect(!waiting.isComplete)
        let asked = try await send(put(.text("hi"), asksFirst: true)) { sender, _ in
            sender.continueReceived()
            sender.continueReceived()
        }
        #expect(asked.calls == [.head(body: nil), .deadline(.head), .deadline(.head), .held("hi")])
        #expect(asked.isComplete)
    }

    @Test func `a body that the final answer makes needless stays here`() async throws {
        let (calls, isComplete) = try await send(put(.text("hi"), asksFirst: true)) { sender, _ in
            sender.finalHeadReceived()
            sender.continueReceived()
        }
        #expect(calls == [.head(body: nil), .deadline(.head)])
        #expect(!isComplete)
    }

    @Test func `a body that nobody asks for goes out after a second`() async throws {
        let framing = NotedFraming()
        try await EngineParts.withLoopPool { loopPool in
            let exchange = try EngineParts.exchange(put(.text("hi"), asksFirst: true), on: loopPool)
            let start = ContinuousClock.now
            let sender = RequestSender()
            try await loopPool.loop.submit {
                try sender.send(exchange, exchange.sendingPlan, on: framing)
            }.get()
            while framing.calls.all.last != .held("hi") { try await loopPool.loop.submit {}.get() }
            #expect(ContinuousClock.now - start >= .milliseconds(999))
            #expect(try await loopPool.loop.submit { sender.isComplete }.get())
        }
    }

    @Test func `a body is not asked for when the connection has broken`() async throws {
        let framing = NotedFraming()
        try await EngineParts.withLoopPool { loopPool in
            let body = RequestBody.stream(length: 3) { AsyncStream<Bytes> { $0.finish() } }
            let exchange = try EngineParts.exchange(put(body, asksFirst: false), on: loopPool)
            let sender = RequestSender()
            try await loopPool.loop.submit {
                framing.isBroken = true
                try sender.send(exchange, exchange.sendingPlan, on: framing)
                #expect(!sender.isSendingBody)
            }.get()
            // The deadline runs, in case the connection never says that it has broken.
            #expect(framing.calls.all == [.head(body: nil), .deadline(.head)])
        }
    }

    @Test func `pieces follow the head in their order, and only while the connection takes them`() async throws {
        let framing = NotedFraming()
        try await EngineParts.withLoopPool { loopPool in
            let body = RequestBody.stream(length: 6) {
                AsyncStream { stream in
                    for piece in ["one", "two"] { stream.yield(Bytes(piece)) }
                    stream.finish()
                }
            }
            let exchange = try EngineParts.exchange(put(body, asksFirst: false), on: loopPool)
            let sender = RequestSender()
            try await loopPool.loop.submit {
                framing.takesBody = false
                try sender.send(exchange, exchange.sendingPlan, on: framing)
            }.get()
            #expect(framing.calls.all == [.head(body: nil)])
            try await loopPool.loop.submit {
                #expect(!sender.isComplete)
                framing.takesBody = true
                sender.becameWritable()
            }.get()
            try await framing.hasEnded.wait()
            try await loopPool.loop.submit { #expect(sender.isComplete) }.get()
            var sent = ""
            for call in framing.calls.all {
                switch call {
                case .pieces(let text): sent += text
                case .end(let last): sent += last ?? ""
                default: break
                }
            }
            #expect(sent == "onetwo")
            #expect(framing.calls.all.last == .deadline(.head))
        }
    }
}

// DocumentationSamples: the samples of WritingATransport.md.

import Synchronization
import Testing
import Tsubame
import TsubameTesting

private struct InProcess: Transport {
    let handle: @Sendable (_ target: String, _ body: [UInt8]) async -> String

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        var content: [UInt8] = []
        if let body = try await exchange.openBody() {
            while let piece = try await body.next() { content += piece }
        }
        let answer = await handle(request.uri?.target ?? "/", content)
        return Response(status: .ok, headers: [.contentType: "text/plain"], body: Bytes(answer))
    }
}

private struct Ticking: Transport {
    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        let ticks = AsyncStream<Bytes> { continuation in
            for number in 1...3 { continuation.yield(Bytes("tick \(number)\n")) }
            continuation.finish()
        }
        return Response(status: .ok, body: ResponseBody(pieces: ticks))
    }
}

/// A networking stack that calls its user.
private final class Connection: Sendable {
    private struct State: Sendable {
        var onBytes: @Sendable ([UInt8]) -> Void = { _ in }
        var onEnd: @Sendable () -> Void = {}
        var calls: [String] = []
    }

    private let state = Mutex(State())

    var onBytes: @Sendable ([UInt8]) -> Void {
        get { state.withLock { $0.onBytes } }
        set { state.withLock { $0.onBytes = newValue } }
    }
    var onEnd: @Sendable () -> Void {
        get { state.withLock { $0.onEnd } }
        set { state.withLock { $0.onEnd = newValue } }
    }
    var calls: [String] { state.withLock { $0.calls } }

    func resume() { state.withLock { $0.calls.append("resume") } }
    func pause() { state.withLock { $0.calls.append("pause") } }
    func cancel() { state.withLock { $0.calls.append("cancel") } }
}

/// Another networking stack; here it is the engine again.
private struct MyTransport: Transport {
    private let engine: Engine

    init(_ settings: ConnectionSettings) { engine = Engine(settings: settings) }

    func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        try await engine.send(request, exchange: exchange)
    }

    func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> {
        settings.changed.subtracting([.proxy, .idleConnectionLifetime])
    }

    func close() async { await engine.close() }
}

@Suite(.timeLimit(.minutes(2))) struct TransportArticleContract {
    @Test(arguments: TransportContract.checks(for: [.reuse, .trailers, .connections]))
    func keepsTheContract(check: TransportContract) async throws {
        try await check.verify { settings in MyTransport(settings) }
    }
}

extension DocumentationSamples {
    @Test func transports() async throws {
        let api = Client(
            "https://api.example.com", transport: InProcess { target, body in "\(target): \(body.count) bytes" })
        #expect(try await api.post("notes", body: .text("hello")).text() == "/notes: 5 bytes")
        try await close(api)

        let ticking = Client("https://api.example.com", transport: Ticking())
        #expect(try await ticking.get("").text() == "tick 1\ntick 2\ntick 3\n")
        try await close(ticking)

        let pinned = Client("https://api.example.com", transport: MyTransport(ConnectionSettings())) {
            $0.connection.connections = 2
        }
        let error = await #expect(throws: CallError.self) { _ = try await pinned.get("") }
        #expect(error?.kind == .unsupported)
        try await close(pinned)
    }

    @Test func writer() async throws {
        let connection = Connection()
        let (body, writer) = ResponseBody.makeStream(
            onPause: { connection.pause() }, onResume: { connection.resume() }, onCancel: { connection.cancel() })
        connection.onBytes = { bytes in writer.write(Bytes(bytes)) }
        connection.onEnd = { writer.finish() }

        connection.onBytes([UInt8](repeating: 1, count: 100_000))
        #expect(connection.calls == ["pause"])
        connection.onEnd()
        #expect(try await body.collect().count == 100_000)
    }
}

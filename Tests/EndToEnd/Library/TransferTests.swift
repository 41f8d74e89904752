// TransferTests: a call as an observable object, and the types of URLSession.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Observation
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct TransferTests {
    /// Waits until the property that `read` reads changes.
    @MainActor
    private static func change(_ read: @MainActor () -> Void) async {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { sink.yield() }
        for await _ in changes { return }
    }

    @MainActor @Test func `a transfer tells its observers of progress and of its end`() async throws {
        let server = try await ScriptedServer.start { _ in .ok(String(repeating: "x", count: 100_000)) }
        let client = Client(server.url)
        let transfer = client.transfer(Request(.post, "x", body: .text("up")))
        #expect(transfer.isRunning && transfer.response == nil && transfer.error == nil)
        #expect(transfer.call.request.method == .post)
        await Self.change { _ = transfer.progress }
        while transfer.isRunning { await Self.change { _ = transfer.state } }
        #expect(transfer.response?.bytes.count == 100_000 && transfer.error == nil)
        #expect(transfer.progress.sent == TransferProgress(bytes: 2, total: 2))
        #expect(transfer.progress.received.remaining == 0)
        await client.close()
        await server.stop()
    }

    @MainActor @Test func `a cancelled transfer has failed, and a released one cancels its call`() async throws {
        let server = try await ScriptedServer.start { _ in [.stall] }
        let client = Client(server.url)
        let transfer = client.transfer(Request(.get, "x"))
        transfer.cancel()
        while transfer.isRunning { await Self.change { _ = transfer.state } }
        #expect(transfer.error?.kind == .cancelled && transfer.response == nil)
        var released: Transfer? = client.transfer(Request(.get, "x"))
        let call = try #require(released?.call)
        released = nil
        #expect(call.isCancelled)
        await client.close()
        await server.stop()
    }

    @Test func `a request is made of a URLRequest`() async throws {
        var made = URLRequest(url: try #require(URL(string: "https://a.example/x?a=1")))
        made.httpMethod = "PUT"
        made.setValue("b", forHTTPHeaderField: "X-A")
        made.setValue("5", forHTTPHeaderField: "Content-Length")
        made.httpBody = Data("hello".utf8)
        made.timeoutInterval = 7
        made.cachePolicy = .reloadIgnoringLocalCacheData
        let request = Request(made)
        #expect(request.method.rawValue == "PUT" && request.uri?.string == "https://a.example/x?a=1")
        #expect(request.headers.map(\.value) == ["b"] && request.body.bytes == Bytes("hello"))
        #expect(request.timeouts.idle == .seconds(7) && request.cachePolicy == .reload)
        let plain = Request(URLRequest(url: try #require(URL(string: "https://a.example"))))
        #expect(plain.timeouts == Timeouts() && plain.body.isEmpty && plain.cachePolicy == .standard)
        for interval in [Double.infinity, .greatestFiniteMagnitude] {
            made.timeoutInterval = interval
            #expect(Request(made).timeouts.idle == nil)
        }
        for interval in [0, -1, Double.nan] {
            made.timeoutInterval = interval
            #expect(Request(made).timeouts == Timeouts())
        }
        made.httpMethod = "BAD METHOD"
        let stub = StubTransport { $0.on("*") }
        await #expect(throws: CallError.self) { try await Client(transport: stub).send(Request(made)) }
        #expect(stub.requests.isEmpty)
    }

    @Test func `the stream of a URLRequest is sent once`() async throws {
        let server = try await ScriptedServer.start { .ok($0.text) }
        let client = Client()
        var made = URLRequest(url: try #require(URL(string: server.url)))
        made.httpMethod = "POST"
        made.httpBodyStream = InputStream(data: Data("hello".utf8))
        let request = Request(made)
        #expect(try await client.send(request).bytes == Bytes("hello"))
        await #expect(throws: CallError.self) { try await client.send(request) }
        await client.close()
        await server.stop()
    }

    @Test func `a response is an HTTPURLResponse`() async throws {
        let stub = StubTransport { $0.on("*").respond(status: .notFound, headers: [.eTag: "\"a\""], text: "x") }
        let response = try await Client("https://a.example", transport: stub).get("x")
        let made = try #require(HTTPURLResponse(response))
        #expect(made.statusCode == 404 && made.url?.absoluteString == "https://a.example/x")
        #expect(made.value(forHTTPHeaderField: "etag") == "\"a\"" && made.mimeType == "text/plain")
    }
}

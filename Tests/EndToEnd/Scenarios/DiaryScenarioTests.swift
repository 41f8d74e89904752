// DiaryScenarioTests: photo uploads with closures, progress and timeouts, after the original MixiAsyncURLConnection.
// Every behaviour of the original works here, without its faults.
#if Server
import Foundation
import HTTPBin
import Testing
import Tsubame
import TsubameTesting

@Suite("MixiAsyncURLConnection", .timeLimit(.minutes(2)))
struct DiaryScenarioTests {
    // MARK: The example

    @Test func aPageInEUCJPIsReadByItsCharset() async throws {
        let (run, _) = try await runExample()
        #expect(run.status == 0)
        #expect(run.lines.first == "page: 燕（つばめ）")
        #expect(run.lines.dropFirst().first == "mislabelled page: 燕（つばめ）")
    }

    @Test func anUploadTellsItsProgressToTheEnd() async throws {
        let (run, log) = try await runExample()
        let progress = run.lines.compactMap { $0.wholeMatch(of: /progress: (\d+) %/).flatMap { Int($0.1) } }
        #expect(progress == progress.sorted())
        #expect(progress.filter { $0 == 100 }.count == 1)
        #expect(progress.last == 100)
        #expect(run.lines.contains("photo: 4194304 bytes arrived"))

        let photo = try #require(log("POST", "/upload").first)
        #expect(photo.bodyByteCount == 4 << 20)
        #expect(photo["Content-Length"] == "4194304")
        #expect(photo["Content-Type"] == "image/jpeg")
    }

    @Test func anHTTPErrorArrivesWhereAnswersDo() async throws {
        let (run, _) = try await runExample()
        #expect(run.lines.contains("missing page: 404 Not Found"))
    }

    @Test func aTimeoutEndsAPostThatIsNotAnswered() async throws {
        let (run, log) = try await runExample()
        let line = try #require(run.lines.first { $0.hasPrefix("slow comment: POST ") })
        #expect(line.contains("not done after 0.5 s (timeouts.total)"))
        let comment = "comment=%E3%81%84%E3%81%84%E5%86%99%E7%9C%9F%E3%81%A7%E3%81%99%E3%81%AD"
        #expect(log("POST", "/delay/10").map(\.text) == [comment])
    }

    @Test func aCancelledCallEndsAtOnce() async throws {
        let (run, _) = try await runExample()
        #expect(run.lines.contains { $0.hasPrefix("cancelled page: ") && $0.hasSuffix("the call was cancelled") })
    }

    // MARK: The library

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete], [Stall.head, .body])
    func aTimeoutEndsEveryMethod(method: HTTPRequest.Method, stall: Stall) async throws {
        let reply: Reply =
            switch stall {
            case .head: .stall
            case .body: [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx"), .stall]
            }
        try await ScriptedServer.start { _ in reply }.use { server in
            try await withClient(server.url) { api in
                var request = Request(method, "slow", body: method == .get ? .empty : .text("いい写真ですね"))
                request.timeouts.total = .milliseconds(80)
                let clock = ContinuousClock()
                let start = clock.now
                let result = await result(of: request, by: api)
                #expect(clock.now - start >= .milliseconds(80))
                let error = #expect(throws: CallError.self) { try result.get() }
                #expect(error?.kind == .timeout && error?.timeout == .total)
                try await server.waitUntil(openConnections: 0)
            }
        }
    }

    @Test @MainActor func progressFollowsWhatIsReallySent() async throws {
        let gate = Gate()
        let reading: Reply = [.stopReading, .wait(for: gate), .resumeReading, .wholeRequest, .bytes(Self.noContent)]
        try await ScriptedServer.start(onHead: { _ in reading }).use { server in
            try await withClient(server.url) { api in
                let size = 32 << 20
                let (fractions, told) = AsyncStream.makeStream(of: Double.self)
                let photo = Request(.post, "photo", body: .bytes(Bytes([UInt8](repeating: 1, count: size))))
                api.start(photo) {
                    told.yield($0.sent.fraction ?? -1)
                } then: { result in
                    #expect((try? result.get().statusCode) == 204)
                    told.finish()
                }
                var all: [Double] = []
                for await fraction in fractions {
                    // While the server does not read, the socket's buffers take only a part of the body.
                    if !gate.isOpen { #expect(fraction > 0 && fraction < 1) }
                    all.append(fraction)
                    gate.open()
                }
                #expect(all.count >= 2)
                #expect(all == all.sorted())
                #expect(all.last == 1)
                let received = try await server.request(0)
                #expect(received.bodyByteCount == size)
            }
        }
    }

    @Test(arguments: [400, 401, 403, 404, 409, 429, 500, 502, 503])
    func everyStatusIsAnAnswer(code: Int) async throws {
        try await ScriptedServer.start { _ in .status(HTTPResponse.Status(code: code), "why") }.use { server in
            try await withClient(server.url) { api in
                let response = try await result(of: Request(.get, "page"), by: api).get()
                #expect(response.statusCode == code)
                #expect(response.bytes == Bytes("why"))
            }
        }
    }

    private static let failures: [(Reply, CallError.Kind)] = [
        ([.close], .emptyReply), ([.reset], .connectionLost),
        ([.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close], .incompleteResponse),
        ([.bytes("nonsense\r\n\r\n")], .invalidResponse),
    ]

    @Test(arguments: failures)
    func aTransferThatFailsIsAnErrorAndNoAnswer(reply: Reply, kind: CallError.Kind) async throws {
        try await ScriptedServer.start { _ in reply }.use { server in
            try await withClient(server.url) { api in
                let result = await result(of: Request(.post, "page"), by: api)
                #expect(throws: CallError.self) { try result.get() }
                if case .failure(let error) = result { #expect(error.kind == kind) }
            }
        }
    }

    // On Linux any thread may serve the main queue, so this checks the queue.
    @Test @MainActor func theBlocksRunOnTheMainQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        try await ScriptedServer.start().use { server in
            try await withClient(server.url) { api in
                let request = Request(.post, "page", body: .text("hello"))
                let (isMain, told) = AsyncStream.makeStream(of: Bool.self)
                api.start(request) { _ in
                    told.yield(DispatchQueue.getSpecific(key: key) == true)
                } then: { _ in
                    told.yield(DispatchQueue.getSpecific(key: key) == true)
                    told.finish()
                }
                var all: [Bool] = []
                for await value in isMain { all.append(value) }
                #expect(all.count >= 2)
                #expect(!all.contains(false))
            }
        }
    }

    @Test @MainActor func cancelEndsTheCallOnceAndClosesItsConnection() async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            try await withClient(server.url) { api in
                let (results, told) = AsyncStream.makeStream(of: Result<Response, CallError>.self)
                let call = api.start(Request(.get, "page")) { told.yield($0) }
                _ = try await server.request(0)
                call.cancel()
                var iterator = results.makeAsyncIterator()
                let result = try #require(await iterator.next())
                let error = #expect(throws: CallError.self) { try result.get() }
                #expect(error?.kind == .cancelled)
                try await server.waitUntil(openConnections: 0)
                call.cancel()
                try await settled(api)
                told.finish()
                #expect(await iterator.next() == nil)
            }
        }
    }

    // MARK: -

    enum Stall: Sendable {
        case head, body
    }

    private static let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    @MainActor
    private func result(of request: Request, by api: Client) async -> Result<Response, CallError> {
        await withCheckedContinuation { continuation in
            api.start(request) { continuation.resume(returning: $0) }
        }
    }

    private func runExample() async throws -> (ProductRun, RequestLog) {
        try await withHTTPBin { url, log in (try await runProduct("MixiAsyncURLConnection", [url]), log) }
    }
}
#endif

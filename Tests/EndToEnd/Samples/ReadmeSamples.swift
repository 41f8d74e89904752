// ReadmeSamples: the samples of README.md, compiled and run. Scripts/lint/check-samples.py compares the two.

#if Server
import Foundation
import HTTPBin
import Synchronization
import Testing
import Tsubame
import TsubameFoundation
import TsubameTesting

private struct Echo: Decodable { let args, form: [String: String]? }

private struct Line: Decodable, Sendable {
    let id: Int
}

private struct Problem: Decodable, Sendable {
    let reason: String
}

private struct Timeline: Endpoint {
    var user: String
    var path: RequestPath { "anything/status/\(user)" }
    typealias Value = Echo
}

@Suite(.timeLimit(.minutes(2))) struct ReadmeSamples {
    @Test func fiveLines() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url) { $0.timeouts.total = .seconds(20) }
        let echo = try await api.get("get", query: ["page": 2]).json(Echo.self)  // throws on 4xx and 5xx, with the body
        let answer = try await api.post("post", form: ["name": "燕", "size": 17])  // any status is an answer
        #expect(echo.args?["page"] == "2")
        #expect(try await answer.json(Echo.self).form?["name"] == "燕")
        try await close(api)
        await server.stop()
    }

    @Test func aClientForAnAPI() async throws {
        let targets = Mutex<[String]>([])
        let server = try await HTTPBin(onRequest: { record in targets.withLock { $0.append(record.target) } }).start()
        let base = server.url
        let api = Client(base) {
            $0.headers["X-Api-Key"] = "k"
            $0.timeouts.total = .seconds(20)
            $0.cookies = .memory
            $0.authentication = .bearer("token-1")
            $0.interceptors += [CommonParameters { ["app": "viewer"] }]
        }
        print(api.chain)  // everything between send and the wire, in order

        let user = "a/b?c"
        let found = try await api.get("anything/\(user)").json(Echo.self)  // \(user) is escaped as one path segment
        try await api.put("put", json: ["name": "燕"]).accepted()  // throws unless 2xx
        #expect(targets.withLock { $0.first }?.hasPrefix("/anything/a%2Fb%3Fc?") == true)
        #expect(found.args?["app"] == "viewer")
        try await close(api)
        await server.stop()
    }

    @Test func everyWayToWait() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url)
        let request = Request(.post, "post", headers: [.accept: "application/json"], body: .json(["album": "2026"]))
        let response = try await api.send(request)  // async
        #expect(response.status == .ok)

        func block() throws -> Response {
            let waited = try api.blocking.send(request)  // blocks this thread, and cannot deadlock
            return waited
        }
        #expect(try block().status == .ok)

        let queue = DispatchQueue(label: "callbacks")
        let results = AsyncStream<Result<Response, CallError>>.makeStream()
        @Sendable func finished(_ result: Result<Response, CallError>) { results.continuation.yield(result) }
        let call = api.start(request, on: .queue(queue)) { result in finished(result) }  // a closure
        call.cancel()
        var iterator = results.stream.makeAsyncIterator()
        let result = await iterator.next()
        if case .failure(let error) = result { #expect(error.kind == .cancelled) }
        #expect(result != nil)

        let ends = AsyncStream<Int>.makeStream()
        let delegate = await Delegate(ends.continuation)
        api.start(request, delegate: delegate)  // a delegate, held weakly
        var codes = ends.stream.makeAsyncIterator()
        #expect(await codes.next() == 200)

        let posted = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(forName: .callDidFinish, object: nil, queue: nil) { _ in
            posted.continuation.yield()
        }
        api.start(request, notifying: .default)  // NotificationCenter (TsubameFoundation)
        var notifications = posted.stream.makeAsyncIterator()
        await notifications.next()
        NotificationCenter.default.removeObserver(observer)

        for try await line in api.jsonLines("stream/3", of: Line.self) { print(line.id) }  // as it comes
        for try await event in api.events("sse", query: ["n": 3], reconnects: 0) { print(event.data) }  // SSE
        try await withFolder { folder in
            let file = try await api.download("range/100000", to: folder, resume: true) { print($0) }  // to disk
            #expect(file.count == 100_000)
        }
        try await close(api)
        await server.stop()
    }

    @MainActor private final class Delegate: CallDelegate {
        let ends: AsyncStream<Int>.Continuation

        init(_ ends: AsyncStream<Int>.Continuation) { self.ends = ends }

        func call(_ call: Call, didFinish response: Response) { ends.yield(response.statusCode) }
        func call(_ call: Call, didFailWith error: CallError) { ends.yield(0) }
    }

    @Test func anAPIAsTypes() async throws {
        let targets = Mutex<[String]>([])
        let server = try await HTTPBin(onRequest: { record in targets.withLock { $0.append(record.target) } }).start()
        let api = Client(server.url)
        let timeline = try await api.send(Timeline(user: "kinukawa"))
        #expect(timeline.args?.isEmpty == true && targets.withLock { $0 } == ["/anything/status/kinukawa"])
        try await close(api)
        await server.stop()
    }

    @Test func errors() async throws {
        let server = try await HTTPBin.start()
        let api = Client(server.url)
        do throws(CallError) {
            _ = try await api.get("status/418").text()
            Issue.record("418 is no error")
        } catch {
            print(error.kind, error.status?.code ?? 0)  // status 418
            print(error.decode(Problem.self)?.reason ?? "\(error)")  // the server's own words, or ours
            #expect(error.kind == .status && error.status?.code == 418)
        }
        try await close(api)
        await server.stop()
    }

    @Test func inTests() async throws {
        let stub = StubTransport { $0.on(.get, "/users").respond(json: ["燕"]) }
        let api = Client("https://api.example.com", transport: stub)
        let users = try await api.get("users").json([String].self)
        #expect(users == ["燕"])
        try await close(api)
    }
}
#endif

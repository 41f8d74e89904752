// DocumentationSamples: the samples of WaysToWait.md.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameFoundation
import TsubameTesting

private struct User: Codable, Sendable {
    let id: Int
}

@MainActor private final class Photo: CallDelegate {
    let ends: AsyncStream<Int>.Continuation
    var bytes = 0

    init(_ ends: AsyncStream<Int>.Continuation) { self.ends = ends }

    func call(_ call: Call, didReceive bytes: Bytes) { self.bytes += bytes.count }
    func call(_ call: Call, didFinish response: Response) { ends.yield(bytes) }
    func call(_ call: Call, didFailWith error: CallError) { ends.yield(-1) }
}

extension DocumentationSamples {
    @Test func asynchronously() async throws {
        let server = try await ScriptedServer.start { request in
            request.target == "/slow" ? .stall : .json(#"{"id": \#(request.target.last ?? "0")}"#)
        }
        let api = Client(server.url)
        async let first = api.get("users/1").json(User.self)
        async let second = api.get("users/2").json(User.self)
        let both = try await [first, second]
        #expect(both.map(\.id) == [1, 2])

        let task = Task { try await api.get("slow").text() }
        task.cancel()  // the call fails with CallError.Kind.cancelled
        let result = await task.result
        #expect(throws: CallError.self) { try result.get() }
        try await close(api)
        await server.stop()
    }

    @Test func onThisThread() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url)
        func greeting() throws -> String {
            let response = try api.blocking.send(Request(.get, "hello"))
            return try response.text()
        }
        #expect(try greeting() == "hello")
        try await close(api)
        await server.stop()
    }

    @Test func byClosures() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url)
        let request = Request(.post, "notes", body: .text("seen over the river"))
        let queue = DispatchQueue(label: "callbacks")
        let ends = AsyncStream<String>.makeStream()
        @Sendable func show(_ text: String) { ends.continuation.yield(text) }
        let call = api.start(request, on: .queue(queue)) { progress in
            print(progress.sent.fraction ?? 0)
        } then: { result in
            switch result {
            case .success(let response): show(response.status.reasonPhrase)
            case .failure(let error): show(error.reason)
            }
        }
        print(call.id)  // call.cancel() would end it
        var shown = ends.stream.makeAsyncIterator()
        #expect(await shown.next() == "OK")
        try await close(api)
        await server.stop()
    }

    @Test func byADelegate() async throws {
        let server = try await ScriptedServer.start { _ in .ok(String(repeating: "x", count: 100_000)) }
        let api = Client(server.url)
        let ends = AsyncStream<Int>.makeStream()
        let photo = await Photo(ends.continuation)
        api.start(Request(.get, "photos/1"), delegate: photo)  // held weakly: keep it
        var counts = ends.stream.makeAsyncIterator()
        #expect(await counts.next() == 100_000)
        try await close(api)
        await server.stop()
        withExtendedLifetime(photo) {}
    }

    @MainActor @Test func byNotifications() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let api = Client(server.url)
        let center = NotificationCenter()
        let ends = AsyncStream<String>.makeStream()
        let call = api.start(Request(.get, "hello"), notifying: center)
        let observer = center.addObserver(forName: .callDidFinish, object: call, queue: nil) { note in
            let data = note.userInfo?[CallNotification.bytes] as? Data
            ends.continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
        }
        var texts = ends.stream.makeAsyncIterator()
        #expect(await texts.next() == "hello")
        center.removeObserver(observer)
        try await close(api)
        await server.stop()
    }
}

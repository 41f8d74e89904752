// LoopExecutorTests: client.executor: tasks on the event loops, and calls from these tasks.

import HTTPTypes
import Testing
import Tsubame
import TsubameEngine
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct LoopExecutorTests {
    @Test func `a call made in a task that prefers it works like any other`() async throws {
        try await serving(.start { .ok("hello \($0.text)") }) { server, client in
            let task = Task(executorPreference: client.executor) {
                let response = try await client.post("x", body: .text("world"))
                let streamed = try await client.stream(Request(.get, "y")) { response in
                    var count = 0
                    for try await piece in response.body { count += piece.count }
                    return count
                }
                return (try await response.text(), streamed)
            }
            let (text, streamed) = try await task.value
            #expect(text == "hello world")
            #expect(streamed == 6)
        }
    }

    @Test func `sixty-four calls at once, one after the other in each task`() async throws {
        try await serving(.start { _ in .ok("hello") }) { server, client in
            let executor = try #require(client.executor)
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<64 {
                    group.addTask(executorPreference: executor) {
                        var count = 0
                        for turn in 0..<4 { count += try await client.get("\(index)/\(turn)").bytes.count }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 64 * 4 * 5)
            #expect(Set(server.requests.map(\.target)).count == 64 * 4)
        }
    }

    @Test func `a call there fails, and is cancelled, like any other`() async throws {
        try await serving(.start { $0.path == "/stall" ? .stall : .close }) { server, client in
            let task = Task(executorPreference: client.executor) {
                await callError { _ = try await client.get("x") }?.kind
            }
            let kind = await task.value
            #expect(kind == .emptyReply)
            let stalled = Task(executorPreference: client.executor) {
                await callError { _ = try await client.get("stall") }?.kind
            }
            _ = try await server.head(1)
            stalled.cancel()
            let end = await stalled.value
            #expect(end == .cancelled)
        }
    }

    @Test(arguments: [1_000, 100_000])
    func `a large value is decoded elsewhere, and the task comes back`(count: Int) async throws {
        struct Where: Decodable, Sendable {
            let isOnLoop: Bool

            init(from decoder: any Decoder) throws { isOnLoop = Engine.isOnLoop }
        }
        let text = "\"\(String(repeating: "x", count: count))\""
        try await serving(.start { _ in .ok(Coded.gzip(text), headers: [.contentEncoding: "gzip"]) }) { _, client in
            let task = Task(executorPreference: client.executor) {
                let place = try await client.get("x").json(Where.self)
                return (place.isOnLoop, Engine.isOnLoop)
            }
            let (decodedOnLoop, isBack) = try await task.value
            #expect(decodedOnLoop == (count < 16_384))
            #expect(isBack)
        }
    }

    @Test func `a client with a transport of its own has none`() {
        #expect(Client(transport: StubTransport()).executor == nil)
    }
}

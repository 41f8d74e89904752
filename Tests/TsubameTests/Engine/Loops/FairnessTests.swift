// FairnessTests: an endless body on the same loop keeps no other call waiting.

import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct FairnessTests {
    @Test func `a hundred small responses come beside one endless body`() async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/endless" ? .stream(nil) : .ok("small")
        }
        try await serving(server) { _, client in
            // Tasks that begin on a loop stay there.
            let (texts, pieces) = try await Task(executorPreference: client.executor) {
                let (received, begun) = (Log<Int>(), Gate())
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await client.stream(Request(.get, "endless")) { response in
                            for try await piece in response.body {
                                received.add(piece.count)
                                begun.open()
                            }
                        }
                    }
                    try await begun.wait()
                    let before = received.all.count
                    var texts: [String] = []
                    for _ in 0..<100 { texts.append(try await client.get("small").text()) }
                    group.cancelAll()
                    return (texts, received.all.count - before)
                }
            }.value
            #expect(texts == Array(repeating: "small", count: 100))
            // The body went on meanwhile.
            #expect(pieces > 0)
        }
    }
}

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
            let received = Log<Int>()
            let begun = Gate()
            let endless = Task(executorPreference: client.executor) {
                try await client.stream(Request(.get, "endless")) { response in
                    for try await piece in response.body {
                        received.add(piece.count)
                        begun.open()
                    }
                }
            }
            try await begun.wait()
            let (before, texts) = (
                received.all.count,
                try await Task(executorPreference: client.executor) {
                    var texts: [String] = []
                    for _ in 0..<100 { texts.append(try await client.get("small").text()) }
                    return texts
                }.value
            )
            #expect(texts == Array(repeating: "small", count: 100))
            // It went on meanwhile.
            #expect(received.all.count > before)
            endless.cancel()
            _ = await endless.result
        }
    }
}

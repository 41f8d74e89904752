// CallerLoopLifeTests: the loops of blocking calls go with their client.

import Testing
import TsubameSockets
import TsubameTesting

@testable import Tsubame
@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct CallerLoopLifeTests {
    private final class Seen {
        weak var loop: EventLoop?
    }

    @Test func `an engine that is dropped keeps no loop of a blocking call`() async throws {
        try await serving(.start { _ in .ok("a") }) { server, _ in
            let seen = Seen()
            do {
                let engine = Engine()
                let client = Client(server.url, transport: engine)
                let text = try await onThread { () throws(CallError) in
                    try client.blocking.send(Request(.get, "x")).text()
                }
                #expect(text == "a")
                let taken = engine.takeCallerLoop()
                seen.loop = taken.loop
                taken.giveBack()
                #expect(seen.loop != nil)
            }
            try await server.waitUntil(openConnections: 0)
            // The host runs the last work of the loop.
            while seen.loop != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }
}

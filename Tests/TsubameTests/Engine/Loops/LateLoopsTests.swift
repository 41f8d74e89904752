// LateLoopsTests: a client that was made while the process had no descriptor left.

import Testing
import Tsubame
import TsubameEngine
import TsubamePlatform
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct LateLoopsTests {
    /// Runs in a process of its own, since the loops of this one have been made.
    @Test func `a client without loops makes them once the process has descriptors again`() async {
        await #expect(processExitsWith: .success) {
            let server = try await ScriptedServer.start { _ in .ok("late") }
            var limit = rlimit()
            #expect(getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var none = limit
            none.rlim_cur = 0
            #expect(setrlimit(.init(RLIMIT_NOFILE.rawValue), &none) == 0)
            let (client, closed) = (Client(), Engine())
            let error = await #expect(throws: CallError.self) { try await client.get(url: server.url) }
            #expect(error?.kind == .connectionFailed)
            #expect(error?.description.contains("let the process have more open files") == true)
            await #expect(throws: CallError.self) {
                try await onThread { try client.blocking.send(Request(.get, .url(server.url))) }
            }

            #expect(setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0)
            #expect(try await client.get(url: server.url).text() == "late")
            let blocking = try await onThread { try client.blocking.send(Request(.get, .url(server.url))).text() }
            #expect(blocking == "late")
            await client.close()
            // An engine that was closed without loops makes none.
            await closed.close()
            let refused = await #expect(throws: CallError.self) {
                try await Client(transport: closed).get(url: server.url)
            }
            #expect(refused?.kind == .cancelled)
            await #expect(throws: CallError.self) { try await client.get(url: server.url) }
        }
    }
}

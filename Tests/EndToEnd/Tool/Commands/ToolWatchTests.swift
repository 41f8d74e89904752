// ToolWatchTests: `tsubame watch`, from the first request to the change.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolWatchTests {
    private func watch(_ replies: [Reply], _ options: String...) async throws -> (run: ProductRun, requests: Int) {
        try await ScriptedServer.start { replies[min($0.index, replies.count - 1)] }.use { server in
            let run = try await ToolProcess(["watch", "-i", "10ms"] + options + [server.url + "/a"]).finished()
            // Each check has a connection of its own. The end of the time may come before the request of the last one.
            let unused = server.acceptedConnections - server.requests.count
            #expect(unused == 0 || unused == 1 && options.contains { $0.hasPrefix("--duration") })
            return (run, server.requests.count)
        }
    }

    private static let changes: [([Reply], String)] = [
        ([.ok("a"), .ok("a"), .ok("bb")], "from 200, 1 bytes to 200, 2 bytes"),
        ([.ok("a"), .ok("a"), .ok("b")], "from 200, 1 bytes to another body"),
        ([.ok("a"), .ok("a"), .status(.notFound, "a")], "from 200, 1 bytes to 404, 1 bytes"),
        ([.ok("a"), .ok("a"), [.bytes("nonsense\r\n\r\n"), .close]], "from 200, 1 bytes to invalid response"),
        ([.close, .close, .ok("a")], "from empty reply to 200, 1 bytes"),
    ]

    @Test(arguments: Self.changes) func `a change ends it`(replies: [Reply], text: String) async throws {
        let (run, requests) = try await watch(replies)
        #expect(run.status == 0 && run.stdout.contains("changed at request 3, \(text)\n"), "\(run)")
        #expect(requests == 3)
    }

    @Test func `the body does not count if only the status is compared`() async throws {
        let replies: [Reply] = [.ok("a"), .ok("b"), .ok("c"), .status(.serviceUnavailable)]
        let (run, requests) = try await watch(replies, "--compare=status")
        #expect(run.status == 0 && requests == 4, "\(run)")
    }

    @Test func `it gives up after so many requests or so long`() async throws {
        let (counted, requests) = try await watch([.ok("a")], "--checks=3")
        #expect(counted.status == 2 && requests == 3 && counted.stdout.contains("unchanged, 3 requests\n"))
        let (timed, _) = try await watch([.ok("a")], "--duration=1500ms")
        #expect(timed.status == 2 && timed.stdout.contains("unchanged, "), "\(timed)")
        #expect(timed.stdout.contains("127.0.0.1:") && timed.stdout.contains("\nconnect"), "\(timed)")
    }

    @Test func `a server that never answers does not hold it`() async throws {
        let (run, requests) = try await watch([.stall], "--duration=300ms")
        #expect(run.status == 2 && run.stdout.contains("unchanged, 0 requests\n") && requests <= 1, "\(run)")
    }

    @Test func `an interrupted watch reports, and ends as interrupted`() async throws {
        try await ScriptedServer.start { _ in .ok("a") }.use { server in
            let run = try ToolProcess(["watch", "-i", "20ms", server.url])
            while server.requests.count < 3 { try Task.checkCancellation(); await Task.yield() }
            run.send(signal: SIGINT)
            let ended = try await run.finished()
            #expect(ended.status == 128 + SIGINT && ended.stdout.contains("until it was interrupted"), "\(ended)")
        }
    }

    @Test(arguments: [(["--checks", "1"], "2 to"), (["-i", "0"], "500ms"), (["--offline"], "no option")])
    func `wrong options are named`(options: [String], text: String) async throws {
        let run = try await ToolProcess(["watch"] + options + ["http://127.0.0.1:1/"]).finished()
        #expect(run.status == 64 && run.stderr.contains(text) && run.stdout.isEmpty, "\(run)")
    }
}
#endif

// ToolInspectTests: the inspector of the tool, of its server and of its demo.
#if Server && Inspector
import Foundation
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolInspectTests {
    private struct Rows: Decodable {
        struct Row: Decodable {
            var id: UInt64
            var method: String
            var path: String
            var status: Int
            var state: String
            var received: Int
        }

        var rows: [Row]
    }

    /// A client with the cookie of the page at the URL that a line names.
    private func page(_ line: String) async throws -> Client {
        let url = String(try #require(line.firstMatch(of: #/http://\S+/#)?.0))
        let browser = Client(String(url.prefix { $0 != "?" })) { $0.cookies = .memory }
        #expect(try await browser.get(url: url).text().contains("Tsubame inspector"))
        return browser
    }

    /// The rows, once there are so many and none is running.
    private func rows(_ count: Int, _ browser: Client) async throws -> [Rows.Row] {
        while true {
            let rows: Rows = try await browser.get("api/calls").json()
            if rows.rows.count >= count, rows.rows.allSatisfy({ $0.state != "running" }) { return rows.rows }
            try Task.checkCancellation()
        }
    }

    @Test func `the tool shows its calls, and ends with their status when it is interrupted`() async throws {
        let server = try await ScriptedServer.start { _ in .status(.notFound, "nothing here") }
        let run = try RunningProduct("tsubame", ["--inspect", "--check-status", "-b", server.url + "/a"])
        let browser = try await page(try await run.errorLine { $0.contains("the inspector is at ") })
        let rows = try await rows(1, browser)
        #expect(rows.map(\.path) == ["/a"] && rows[0].status == 404 && rows[0].received == 12)
        let detail = try await browser.get("api/calls/\(rows[0].id)").text()
        #expect(detail.contains("nothing here"))
        _ = try await run.errorLine { $0.contains("Ctrl-C ends it") }
        // The client of the tool is there as long as the page.
        let again = try await browser.post("api/calls/\(rows[0].id)/resend", headers: ["X-Tsubame-Inspector": "1"])
        #expect(again.statusCode == 202)
        #expect(try await self.rows(2, browser).map(\.status) == [404, 404])
        run.send(signal: SIGINT)
        let ended = try await run.finished()
        #expect(ended.status == 4 && ended.stdout.contains("nothing here"), "\(ended)")
        await browser.close()
    }

    @Test func `the server shows the requests that it answers, and those that break off`() async throws {
        let run = try RunningProduct("tsubame", ["serve", "--port", "0", "--inspect"])
        let url = try await run.line { $0.hasPrefix("http://") }
        let browser = try await page(try await run.errorLine { $0.contains("the inspector is at ") })
        let client = Client(url)
        _ = try await client.post("post", json: ["name": "燕"])
        await #expect(throws: CallError.self) {
            try await client.get("drip?duration=30", timeout: .milliseconds(1_500))
        }
        let rows = try await rows(2, browser)
        #expect(rows.map(\.method) == ["POST", "GET"])
        #expect(rows.map(\.state) == ["finished", "failed"])
        let first = try await browser.get("api/calls/\(rows[0].id)").text()
        #expect(first.contains("{\\\"name\\\":\\\"燕\\\"}"), "the body of the request is shown")
        #expect(first.contains("--data-raw '{\\\"name\\\":\\\"燕\\\"}'"), "the line for cURL has the body")
        let second = try await browser.get("api/calls/\(rows[1].id)").text()
        #expect(second.contains("the client closed the connection"))
        _ = try await client.get("delay/0.2")
        _ = try await self.rows(3, browser)
        let archive = try HTTPArchive(json: try await browser.get("api/har").data)
        #expect(
            archive.entries[2].timings.wait >= 200
                && archive.entries[2].timings.receive < archive.entries[2].timings.wait)
        let rule = #"[{"filter":"","isOn":true,"every":1,"delay":0,"action":"fail"}]"#
        let refused = try await browser.put("api/rules", headers: ["X-Tsubame-Inspector": "1"], body: .text(rule))
        #expect(refused.statusCode == 400, "a server's requests have no rules")
        run.send(signal: SIGINT)
        #expect(try await run.finished().status == 0)
        await client.close()
        await browser.close()
    }

    @Test func `an offline request has nothing to inspect`() async throws {
        let run = try await tool("--inspect", "--offline", "http://example.com/")
        #expect(run.status == 64 && run.stderr.contains("nothing to --inspect"))
    }

    @Test func `the demo waits for the end of its input`() async throws {
        let demo = try await tool("demo", "--inspect")
        #expect(demo.status == 0)
        #expect(demo.lines.contains { $0.hasPrefix("The inspector shows the calls at http://127.0.0.1:") })
        #expect(demo.lines.last == "Press Enter to end it.")
    }
}
#endif

// InspectorTests: the server of the page, over real sockets.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameInspector
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct InspectorTests {
    /// A client that is inspected, a server that it calls, and a browser of our own.
    private func inspected(
        showsSecrets: Bool = false, _ body: (Client, ScriptedServer, Inspector, Client) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/moved": .redirect(to: "/end")
            case "/json": .json("{\"name\":\"swallow\",\"password\":\"hush\"}")
            default: .ok("hello")
            }
        }
        let client = Client(server.url)
        let log = TrafficLog()
        log.add(client)
        let inspector = try await Inspector(log: log, showsSecrets: showsSecrets)
        let browser = Client("http://127.0.0.1:\(inspector.port)") { $0.cookies = .jar(CookieJar()) }
        _ = try await browser.get(url: inspector.url)
        try await body(client, server, inspector, browser)
        await browser.close()
        await inspector.stop()
        await client.close()
    }

    private struct Rows: Decodable {
        var rows: [CallRow]
        var count: Int
    }

    @Test func `calls appear as rows, with redirects as attempts, and are found`() async throws {
        try await inspected { client, _, _, browser in
            _ = try await client.get("json")
            _ = try await client.get("moved")
            let rows: Rows = try await browser.get("api/calls").json()
            #expect(rows.rows.map(\.path) == ["/json", "/end"])
            #expect(rows.rows.map(\.attempts) == [1, 2])
            #expect(rows.rows[1].tags == ["redirect"])
            #expect(rows.rows.allSatisfy { $0.state == .finished && $0.status == 200 && !$0.phases.isEmpty })
            let first = try await browser.get("api/calls/\(rows.rows[0].id)").text()
            #expect(first.contains("waits for a connection: none is open"))
            let later: Rows = try await browser.get("api/calls?after=\(rows.rows[0].id)").json()
            #expect(later.rows.map(\.id) == [rows.rows[1].id])
            struct Found: Decodable { var ids: [UInt64] }
            let found: Found = try await browser.get("api/search?q=tag:redirect").json()
            #expect(found.ids == [rows.rows[1].id])
            let refused = try await browser.get("api/search?q=status:x")
            #expect(refused.statusCode == 400)
        }
    }

    @Test func `a call that reaches no server shows its failure with the advice`() async throws {
        try await inspected { client, _, inspector, browser in
            let dead = try DeadPort()
            await #expect(throws: CallError.self) { try await client.get(url: "\(dead.url)/json") }
            let rows: Rows = try await browser.get("api/calls").json()
            let row = try #require(rows.rows.first)
            #expect(row.state == .failed && row.status == 0)
            #expect(row.path == "/json" && row.host == "127.0.0.1:\(dead.number)")
            #expect(row.error?.hasPrefix("connectionFailed: ") == true)
            let detail = try await browser.get("api/calls/\(row.id)").text()
            #expect(detail.contains("\"failure\":{"))
            let archive = try await JSONSerialization.jsonObject(with: inspector.log.har()) as? [String: Any]
            let entries = (archive?["log"] as? [String: Any])?["entries"] as? [[String: Any]]
            #expect(entries?.count == 1)
            #expect((entries?.first?["response"] as? [String: Any])?["status"] as? Int == 0)
        }
    }

    @Test func `the feed tells changes, and makes the log keep bodies`() async throws {
        try await inspected { client, _, _, browser in
            try await browser.stream("api/events") { response in
                #expect(response.headers[.contentType] == "text/event-stream")
                var events = response.body.lines.makeAsyncIterator()
                let first = try await events.next()
                #expect(first == ": connected")
                _ = try await client.get("json")
                var row: CallRow?
                while row?.state != .finished, let line = try await events.next() {
                    guard line.hasPrefix("data: ") else { continue }
                    row = try JSONDecoder().decode(Rows.self, from: Data(line.dropFirst(6).utf8)).rows.last
                }
                #expect(row?.path == "/json")
                let id = try #require(row?.id)
                let detail = try await browser.get("api/calls/\(id)").text()
                #expect(detail.contains("swallow"))
                #expect(detail.contains("\"curl\""))
                // The password is withheld, in the details and in the body as a file.
                #expect(!detail.contains("hush"))
                let body = try await browser.get("api/calls/\(id)/body?attempt=0&side=response")
                #expect(body.headers[.contentType] == "application/octet-stream")
                let text = try await body.text()
                #expect(text.contains("swallow") && !text.contains("hush"))
                let shown = try await browser.get("api/calls/\(id)?secrets=1").text()
                #expect(!shown.contains("hush"))
            }
        }
    }

    @Test func `secrets are shown if the process allows it and the page asks`() async throws {
        try await inspected(showsSecrets: true) { client, _, inspector, browser in
            inspector.log.keepBodies()
            _ = try await client.get("json")
            let rows: Rows = try await browser.get("api/calls").json()
            let id = try #require(rows.rows.first?.id)
            let withheld = try await browser.get("api/calls/\(id)").text()
            #expect(!withheld.contains("hush"))
            let shown = try await browser.get("api/calls/\(id)?secrets=1").text()
            #expect(shown.contains("hush"))
        }
    }

    @Test func `clearing needs the field of actions, and leaves nothing`() async throws {
        try await inspected { client, _, inspector, browser in
            _ = try await client.get("json")
            let refused = try await browser.post("api/clear")
            #expect(refused.statusCode == 403)
            #expect(inspector.log.count == 1)
            let cleared = try await browser.post("api/clear", headers: ["X-Tsubame-Inspector": "1"])
            #expect(cleared.statusCode == 204)
            #expect(inspector.log.count == 0)
        }
    }

    private static let acts: RequestHeaders = ["X-Tsubame-Inspector": "1"]

    @Test func `a call is sent again by its client, as it was or edited`() async throws {
        try await inspected { client, server, inspector, browser in
            _ = try await client.post("json", headers: ["X-Token": "hush"], json: ["a": 1])
            let rows: Rows = try await browser.get("api/calls").json()
            let id = try #require(rows.rows.first?.id)
            let shown: EditableRequest = try await browser.get("api/calls/\(id)/request").json()
            #expect(shown.body == "{\"a\":1}" && !"\(shown)".contains("hush"))
            #expect(try await browser.post("api/calls/\(id)/resend").statusCode == 403)
            #expect(try await browser.post("api/calls/\(id)/resend", headers: Self.acts).statusCode == 202)
            _ = try await server.request(1)
            var edited = shown
            (edited.method, edited.body) = ("PUT", "other")
            #expect(
                try await browser.post("api/calls/\(id)/resend", headers: Self.acts, json: edited).statusCode == 202)
            let last = try await server.request(2)
            let sent = await server.requests
            #expect(sent.map(\.method) == ["POST", "POST", "PUT"])
            #expect(sent.allSatisfy { $0["X-Token"] == "hush" })
            #expect(String(decoding: last.body, as: UTF8.self) == "other")
            edited.url = "http://[redacted]/"
            for body in [try JSONEncoder().encode(edited), Data("[]".utf8), Data("{".utf8)] {
                let refused = try await browser.post("api/calls/\(id)/resend", headers: Self.acts, body: .data(body))
                #expect(refused.statusCode == 400)
            }
            #expect(try await browser.post("api/calls/99999999/resend", headers: Self.acts).statusCode == 404)
            #expect(inspector.log.count == 3)
        }
    }

    @Test func `a call whose client is gone cannot be sent again`() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hello") }
        let log = TrafficLog()
        do {
            let client = Client(server.url)
            log.add(client)
            _ = try await client.get("a")
            await client.close()
        }
        let closed = Client(server.url)
        log.add(closed)
        _ = try await closed.get("b")
        await closed.close()
        log.add(CallEvent(call: 1 << 60, time: .zero, kind: .started(Request(.get, .url("\(server.url)/c")))))
        let inspector = try await Inspector(log: log)
        let browser = Client("http://127.0.0.1:\(inspector.port)") { $0.cookies = .jar(CookieJar()) }
        _ = try await browser.get(url: inspector.url)
        let rows: Rows = try await browser.get("api/calls").json()
        try #require(rows.rows.count == 3)
        for (row, reason) in zip(rows.rows, ["is gone", "is closed", "no client of this process"]) {
            let refused = try await browser.post("api/calls/\(row.id)/resend", headers: Self.acts)
            #expect(refused.statusCode == 400)
            #expect(String(decoding: refused.body.bytes ?? Bytes(), as: UTF8.self).contains(reason))
        }
        await inspector.stop()
        await browser.close()
    }

    @Test func `a pinned call is neither cleared nor evicted`() async throws {
        try await inspected { client, _, inspector, browser in
            for path in ["a", "b"] as [RequestPath] { _ = try await client.get(path) }
            let rows: Rows = try await browser.get("api/calls").json()
            let id = rows.rows[0].id
            #expect(try await browser.post("api/calls/\(id)/pin", headers: Self.acts).statusCode == 204)
            inspector.log.clear()
            let kept: Rows = try await browser.get("api/calls").json()
            #expect(kept.rows.map(\.id) == [id] && kept.rows[0].isPinned)
            #expect(try await browser.delete("api/calls/\(id)/pin", headers: Self.acts).statusCode == 204)
            inspector.log.clear()
            #expect(inspector.log.count == 0)
        }
    }

    @Test func `rules are set by the page, and end with the inspector`() async throws {
        try await inspected { client, server, inspector, browser in
            var rule = Rule(filter: "path:/json", action: .answer)
            rule.answer = Rule.Answer(status: 503)
            #expect(try await browser.put("api/rules", json: [rule]).statusCode == 403)
            #expect(try await browser.put("api/rules", headers: Self.acts, json: [rule]).statusCode == 204)
            #expect(try await client.get("json").statusCode == 503)
            let rules: [Rule] = try await browser.get("api/rules").json()
            #expect(rules == [rule])
            rule.filter = "status:5xx"
            let refused = try await browser.put("api/rules", headers: Self.acts, json: [rule])
            #expect(refused.statusCode == 400)
            #expect(
                String(decoding: refused.body.bytes ?? Bytes(), as: UTF8.self).contains("rule 1: status: is not known"))
            #expect(try await client.get("json").statusCode == 503)
            await inspector.stop()
            #expect(try await client.get("json").statusCode == 200)
            #expect(await server.requests.count == 1)
        }
    }

    /// Each entry changes one thing of a request that is allowed.
    static let refusals: [(fault: String, name: String, value: String)] = [
        ("a foreign Host", "Host", "evil.example"), ("another port", "Host", "127.0.0.1:1"),
        ("a foreign Origin", "Origin", "http://evil.example"), ("a null Origin", "Origin", "null"),
        ("a foreign site", "Sec-Fetch-Site", "cross-site"), ("a page of the same site", "Sec-Fetch-Site", "same-site"),
    ]

    @Test func `foreign requests and those without the token are refused`() async throws {
        try await inspected { _, _, inspector, browser in
            #expect(try await browser.get("api/calls").statusCode == 200)
            for refusal in Self.refusals {
                let answer = try await browser.get("api/calls", headers: RequestHeaders([refusal.name: refusal.value]))
                #expect(answer.statusCode == 403, "\(refusal.fault)")
            }
            let stranger = Client("http://127.0.0.1:\(inspector.port)")
            for path in ["", "api/calls", "inspector.js", "?token=", "?token=x\(inspector.url.suffix(20))"] {
                #expect(
                    try await stranger.get(url: "http://127.0.0.1:\(inspector.port)/\(path)").statusCode == 403,
                    "\(path)")
            }
            let other = Client("http://127.0.0.1:\(inspector.port)") {
                $0.headers["Cookie"] = "tsubame-inspector-\(inspector.port)=wrong; tsubame-inspector-1=x"
            }
            #expect(try await other.get("api/calls").statusCode == 403)
            let page = try await stranger.get(url: inspector.url)
            #expect(page.statusCode == 200)
            let cookie = try #require(page.headers[.setCookie])
            #expect(cookie.hasPrefix("tsubame-inspector-\(inspector.port)="))
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
            #expect(page.headers["Referrer-Policy"] == "no-referrer")
            #expect(page.headers["Access-Control-Allow-Origin"] == nil)
            await stranger.close()
            await other.close()
        }
    }

    @Test func `an inspector that stops ends its feeds and frees its port`() async throws {
        let inspector = try await Inspector(log: TrafficLog())
        let browser = Client("http://127.0.0.1:\(inspector.port)") { $0.cookies = .jar(CookieJar()) }
        _ = try await browser.get(url: inspector.url)
        try await browser.stream("api/events") { response in
            var lines = response.body.lines.makeAsyncIterator()
            let first = try await lines.next()
            #expect(first == ": connected")
            await inspector.stop()
            while let line = try? await lines.next() { #expect(line.isEmpty || line.hasPrefix("data")) }
        }
        await browser.close()
        // A test that runs beside this one may have got the port meanwhile, so others are tried, too.
        var freed = inspector
        for attempt in 1...10 {
            if let again = try? await Inspector(log: TrafficLog(), port: freed.port) {
                #expect(again.port == freed.port)
                await again.stop()
                return
            }
            #expect(attempt < 10, "no port is free after its inspector stopped")
            freed = try await Inspector(log: TrafficLog())
            await freed.stop()
        }
    }
}

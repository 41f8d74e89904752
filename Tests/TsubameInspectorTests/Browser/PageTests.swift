// PageTests: the page of the inspector in a real browser, with calls of a real client.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameInspector
import TsubameTesting

@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(if: Chromium.path != nil, "needs a browser: apt-get install chromium"))
struct PageTests {
    /// Text that would act if the page took it for markup.
    private static let hostile =
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u{202E}'\"</td></pre>"

    func shown(
        limits: TrafficLog.Limits = TrafficLog.Limits(), tls: TLSIdentity? = nil, showsSecrets: Bool = false,
        _ body: (Page, Client, TrafficLog, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start(tls: tls) { request in
            switch request.path {
            case "/moved": .redirect(to: "/end")
            case "/busy":
                request.index == 0 ? .status(.serviceUnavailable, headers: [.retryAfter: "0"]) : .ok("at last")
            case "/slow":
                [
                    .bytes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nfirst"),
                    .wait(for: gate),
                    .bytes("second"),
                ]
            case "/hostile":
                .json("{\"<b>\":\"\(Self.hostile.replacing("\"", with: "\\\""))\"}", headers: [.server: Self.hostile])
            case "/ticks":
                [
                    .bytes(Reply.head(.ok, [.contentType: "text/event-stream"]) + "data: one\n\ndata: "),
                    // The first half of a character.
                    .bytes([0xE7, 0x87]), .wait(for: gate), .bytes([0x95]), .bytes("\n\n"), .close,
                ]
            case "/xml": .ok("<a><b>one</b><c/></a>", headers: [.contentType: "application/xml"])
            case "/sse": .ok("id: 7\nevent: tick\ndata: a\ndata: b\n\n", headers: [.contentType: "text/event-stream"])
            case "/markup": .ok(String(repeating: "<", count: 200_000), headers: [.contentType: "text/html"])
            case "/broken": .ok([0xFF, 0xFE, 0x80, 0x00, 0xC3], headers: [.contentType: "text/html"])
            case "/line": .ok(String(repeating: "long line ", count: 100_000), headers: [.contentType: "text/plain"])
            default: .json("{\"name\":\"swallow\",\"eggs\":[1,2,3]}")
            }
        }
        let client = Client(server.url) {
            $0.retry = .standard
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
        }
        let log = TrafficLog(limits: limits)
        log.add(client)
        let inspector = try await Inspector(log: log, showsSecrets: showsSecrets)
        let browser = try Chromium()
        do {
            let page = try await browser.open(inspector.url)
            try await page.wait(for: "document.body.dataset.state === 'live'")
            try await body(page, client, log, gate)
            #expect(try await page.value("document.getElementById('lost').hidden", as: Bool.self))
            await inspector.stop()
            try await page.wait(for: "!document.getElementById('lost').hidden")
        } catch {
            Issue.record(error)
        }
        await browser.quit()
        await inspector.stop()
        await client.close()
    }

    static let rows =
        "[...document.querySelectorAll('#space .row')].map((row) => row.getAttribute('aria-label'))"

    @Test func `calls appear, the token leaves the URL, and the details show headers, body and decisions`() async throws
    {
        try await shown { page, client, _, _ in
            #expect(try await page.value("location.search", as: String.self) == "")
            #expect(try await page.value("document.cookie", as: String.self) == "")
            #expect(try await page.value("!document.getElementById('empty').hidden", as: Bool.self))
            _ = try await client.get("moved")
            try await page.wait(
                for: "document.querySelectorAll('#space .row').length === 1 && document.querySelector('.status.good')")
            let label = try await page.value("\(Self.rows)[0]", as: String.self)
            #expect(label.hasPrefix("GET 127.0.0.1") && label.hasSuffix("/end 200"))
            #expect(try await page.value("document.querySelectorAll('#space .fall i.wait').length", as: Int.self) == 2)
            try await page.press("j")
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail h2')")
            for (tab, text) in [
                ("Request", "user-agent"), ("Response", "swallow"), ("Decisions", "redirect"), ("Export", "curl "),
            ] {
                try await choose(tab, page)
                let found = try await page.value("document.getElementById('detail').textContent", as: String.self)
                #expect(found.lowercased().contains(text), "\(tab)")
            }
            #expect(
                try await page.value("document.querySelector('#detail')?.id && location.hash.length > 1", as: Bool.self)
            )
            try await page.press("Escape")
            try await page.wait(for: "document.getElementById('detail').hidden")
        }
    }

    func choose(_ tab: String, _ page: Page) async throws {
        _ = try await page.value(
            "[...document.querySelectorAll('#detail nav button')].find((button) => button.textContent === '\(tab)').click(), true",
            as: Bool.self)
    }

    @Test func `two attempts are compared line by line`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.get("busy")
            try await page.wait(
                for:
                    "document.querySelector('.tags').textContent !== '' && document.querySelector('#space .status.good')"
            )
            try await page.press("j")
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail nav')")
            try await choose("Difference", page)
            let text = try await page.value("document.getElementById('detail').textContent", as: String.self)
            #expect(text.contains("- HTTP/1.1 503") && text.contains("+ HTTP/1.1 200"))
        }
    }

    @Test func `a slow call is in the list while it runs, and grows`() async throws {
        try await shown { page, client, _, gate in
            async let text = client.get("slow").text()
            try await page.wait(for: "document.querySelector('#space .size')?.textContent === '5 B'")
            #expect(try await page.value("\(Self.rows)[0]", as: String.self).hasSuffix("/slow 200"))
            // Its time goes on, although nothing arrives.
            try await page.wait(for: "/^[1-9].* s$/.test(document.querySelector('#space .time').textContent)")
            gate.open()
            #expect(try await text == "firstsecond")
            try await page.wait(for: "document.querySelector('#space .size').textContent === '11 B'")
        }
    }

    @Test func `a filter hides the others, and its fault is told`() async throws {
        try await shown { page, client, _, _ in
            for path in ["one", "two", "moved"] { _ = try await client.get("\(path)") }
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 3")
            let type =
                "(text) => { const filter = document.getElementById('filter'); filter.value = text; filter.dispatchEvent(new Event('input')); }"
            _ = try await page.value("(\(type))('path:two'), true", as: Bool.self)
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 1")
            #expect(try await page.value("\(Self.rows)[0]", as: String.self).contains("/two"))
            _ = try await page.value("(\(type))('status:nonsense'), true", as: Bool.self)
            try await page.wait(for: "document.getElementById('problem').textContent.includes('at character 1')")
            _ = try await page.value("(\(type))(''), true", as: Bool.self)
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 3")
        }
    }

    @Test func `pausing loses nothing, and clearing removes what has ended`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.get("one")
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 1")
            _ = try await page.value("document.getElementById('pause').click(), true", as: Bool.self)
            _ = try await client.get("two")
            try await page.wait(for: "document.getElementById('count').textContent.includes('1 wait')")
            #expect(try await page.value("document.querySelectorAll('#space .row').length", as: Int.self) == 1)
            _ = try await page.value("document.getElementById('pause').click(), true", as: Bool.self)
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 2")
            _ = try await page.value("document.getElementById('lanes').click(), true", as: Bool.self)
            #expect(try await page.value("document.querySelectorAll('#connections .lane').length", as: Int.self) == 1)
            #expect(try await page.value("document.querySelectorAll('#connections .lane i').length", as: Int.self) == 2)
            _ = try await page.value("document.getElementById('lanes').click(), true", as: Bool.self)
            try await page.press("c")
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 0")
        }
    }

    private func click(_ selector: String, _ page: Page) async throws {
        _ = try await page.value("document.querySelector('\(selector)').click(), true", as: Bool.self)
    }

    @Test func `a call is sent again, edited, pinned and compared`() async throws {
        try await shown { page, client, log, _ in
            _ = try await client.post("one", json: ["name": "燕"])
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 1")
            // The rules of the process are known before any is set.
            #expect(
                try await page.value("document.getElementById('show-rules').textContent", as: String.self) == "Rules")
            try await page.press("j")
            try await page.press("r")
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 2")
            #expect(
                try await page.value("document.querySelectorAll('#space .tags')[1].textContent", as: String.self)
                    == "resent")
            try await page.press("p")
            try await page.wait(for: "document.querySelector('#space .tags').textContent === '★'")
            try await page.press("e")
            try await page.wait(for: "document.getElementById('edit').open")
            #expect(
                try await page.value("document.getElementById('edit-body').value", as: String.self)
                    == "{\"name\":\"燕\"}")
            _ = try await page.value(
                "document.getElementById('edit-url').value = 'nowhere', document.getElementById('edit-send').click(), true",
                as: Bool.self)
            try await page.wait(for: "document.getElementById('edit-problem').textContent !== ''")
            let two = try await client.get("two").request.uri?.string ?? ""
            _ = try await page.value(
                """
                document.getElementById('edit-url').value = '\(two)', \
                document.getElementById('edit-body').value = '{"name":"swallow"}', document.getElementById('edit-send').click(), true
                """, as: Bool.self)
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 4")
            #expect(try await page.value("!document.getElementById('edit').open", as: Bool.self))
            for _ in 0..<3 { try await page.press("j") }
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail select')")
            _ = try await page.value(
                "(() => { const select = document.querySelector('#detail select'); select.selectedIndex = 1; "
                    + "select.dispatchEvent(new Event('change')); return true; })()", as: Bool.self)
            try await page.wait(for: "document.querySelector('#detail .added')")
            let text = try await page.value("document.getElementById('detail').textContent", as: String.self)
            #expect(text.contains("-   \"name\": \"燕\"") && text.contains("+   \"name\": \"swallow\""))
            try await choose("Export", page)
            let stub = try await page.value("document.getElementById('detail').textContent", as: String.self)
            #expect(stub.contains("stub.on(.post, \"/two\")"))
            #expect(log.count == 4)
        }
    }

    @Test func `a rule of the page answers the calls of the process`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.get("one")
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 1")
            try await page.press("j")
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail nav .act')")
            _ = try await page.value(
                "[...document.querySelectorAll('#detail .act')].find((button) => button.textContent === 'Rule').click(), true",
                as: Bool.self)
            try await page.wait(for: "document.getElementById('rules').open")
            let set =
                "(label, value) => { document.querySelector(`.rule [aria-label='${label}']`).value = value; return true; }"
            _ = try await page.value("(\(set))('every', '0.5')", as: Bool.self)
            _ = try await page.value("(\(set))('status', '700000')", as: Bool.self)
            try await click("#rules-apply", page)
            try await page.wait(for: "document.getElementById('rules-problem').textContent !== ''")
            _ = try await page.value("(\(set))('every', '2')", as: Bool.self)
            _ = try await page.value("(\(set))('status', '418')", as: Bool.self)
            _ = try await page.value("(\(set))('body of the answer', 'short and stout')", as: Bool.self)
            try await click("#rules-apply", page)
            try await page.wait(for: "document.getElementById('show-rules').textContent === 'Rules (1)'")
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.get("one").statusCode) }
            #expect(statuses == [200, 418, 200, 418])
            try await page.wait(for: "document.querySelectorAll('#space .status.bad').length === 2")
            #expect(client.chain.description.contains("InspectorRules"))
            try await click("#show-rules", page)
            try await page.wait(for: "document.getElementById('rules').open")
            _ = try await page.value("document.querySelectorAll('.rule button')[0].click(), true", as: Bool.self)
            try await click("#rules-apply", page)
            try await page.wait(for: "document.getElementById('show-rules').textContent === 'Rules'")
            #expect(!client.chain.description.contains("InspectorRules"))
        }
    }

    @Test func `bodies are shown by their type, and the archive can be saved`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.post("xml", form: ["name": "燕 & co"])
            _ = try await client.post(
                "sse",
                multipart: { form in
                    form.field("title", "nest")
                    form.field("photo", "eggs")
                })
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 2")
            for (tabs, texts) in [
                (["Request", "Response"], ["name燕 & co", "<a>\n  <b>one</b>\n  <c/>\n</a>"]),
                (["Request", "Response"], ["titlenest", "tick 7a\nb"]),
            ] {
                try await page.press("j")
                try await page.press("Enter")
                try await page.wait(
                    for:
                        "location.hash === `#${document.querySelector('#space .row[aria-selected=true]').dataset.id}` && "
                        + "document.querySelector('#detail h2')?.textContent.includes("
                        + "document.querySelector('#space .row[aria-selected=true] .path').textContent)")
                for (tab, text) in zip(tabs, texts) {
                    try await choose(tab, page)
                    let body = try await page.value(
                        "document.querySelector('#detail .body').textContent", as: String.self)
                    #expect(body.contains(text), "\(tab): \(body)")
                }
            }
            let body = try await page.value(
                "[...document.querySelectorAll('#detail .body nav button')].map((button) => button.textContent)",
                as: [String].self)
            #expect(body == ["Events", "Text", "Hex", "As received"])
            _ = try await page.value(
                "document.querySelectorAll('#detail .body nav button')[3].click(), true", as: Bool.self)
            try await page.wait(
                for: "document.querySelector('#detail .body pre').textContent.includes('69 64 3a 20 37')")
            let entries = try await page.value(
                "fetch(document.getElementById('har').href).then((answer) => answer.json()).then((har) => har.log.entries.length)",
                as: Int.self)
            #expect(entries == 2)
        }
    }

    @Test func `the browser's own developer tools read the archive`() async throws {
        try await shown { page, client, log, _ in
            _ = try await client.post("one", json: ["name": "燕"])
            _ = try await client.get("moved")
            _ = try await client.get("broken")
            _ = try? await client.get(url: "http://127.0.0.1:1/closed")
            let archive = try await log.har()
            let text = try #require(
                String(data: JSONEncoder().encode(String(decoding: archive, as: UTF8.self)), encoding: .utf8))
            let tools = try await page.browser.open("devtools://devtools/bundled/devtools_app.html")
            let lines = try await tools.value(
                """
                import("devtools://devtools/bundled/models/har/har.js").then(async ({ HARFormat, Importer }) => {
                  const requests = Importer.Importer.requestsFromHARLog(new HARFormat.HARRoot(JSON.parse(\(text))).log);
                  return Promise.all(requests.map(async (request) => {
                    const data = await (request.requestContentData ?? request.contentData).call(request);
                    const content = "error" in data ? "" : data.text ?? data.base64;
                    return [request.requestMethod, new URL(request.url()).pathname, request.statusCode, request.responseHeaders.length > 0,
                      request.duration > 0, content].join(" ");
                  }));
                })
                """, as: [String].self)
            #expect(lines.count == 5)
            #expect(lines.first == "POST /one 200 true true {\"name\":\"swallow\",\"eggs\":[1,2,3]}")
            #expect(lines.dropFirst().first == "GET /moved 302 true true ")
            #expect(lines.dropFirst(3).first?.hasPrefix("GET /broken 200 true true \u{FFFD}") == true)
            #expect(lines.last == "GET /closed 0 false true ")
        }
    }

    @Test func `the page opens an archive`() async throws {
        try await shown { page, client, log, _ in
            _ = try await client.get("one")
            let archive = String(decoding: try await log.har(), as: UTF8.self)
            let text = try #require(String(data: JSONEncoder().encode(archive), encoding: .utf8))
            let give =
                "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'a.har')); "
                + "const input = document.getElementById('har-file'); input.files = data.files; "
                + "input.dispatchEvent(new Event('change')); return true; }"
            _ = try await page.value("(\(give))(\(text))", as: Bool.self)
            try await page.wait(for: "document.querySelectorAll('#space .status.good').length === 2")
            _ = try await page.value("(\(give))('{}')", as: Bool.self)
            try await page.wait(for: "document.getElementById('problem').textContent.includes('not an HTTP archive')")
        }
    }

    /// Scrolls the list from end to end, once in 120 steps.
    /// - Returns: the lengths of the frames, in milliseconds, shortest first.
    private func frames(of page: Page, rows: Int) async throws -> [Double] {
        try await page.wait(for: "document.getElementById('count').textContent.startsWith('\(rows) calls')")
        let frames = try await page.value(
            """
            new Promise((resolve) => {
              const scroller = document.getElementById("scroller"); const lengths = []; let step = 0; let last = performance.now();
              const next = (now) => {
                lengths.push(now - last); last = now;
                scroller.scrollTop = (scroller.scrollHeight * (step += 1)) / 120;
                step < 120 ? requestAnimationFrame(next) : resolve(lengths.slice(1));
              };
              requestAnimationFrame(next);
            })
            """, as: [Double].self)
        #expect(frames.count >= 100)
        return frames.sorted()
    }

    /// The log's limit is larger here, so that all rows fit.
    @Test func `a hundred thousand rows scroll and are filtered`() async throws {
        var limits = TrafficLog.Limits()
        limits.total = 2 << 30
        try await shown(limits: limits) { page, client, log, _ in
            let request = try await client.get("one").request
            let response = Response(status: .ok, headers: [.contentType: "application/json"], request: request)
            @Sendable func add(_ indices: ClosedRange<UInt64>) throws {
                for index in indices {
                    let call = index + 1_000_000
                    var request = request
                    request.target = .uri(
                        try TargetURI(parsing: "http://example.com/items/\(index)?page=\(index % 7)"))
                    for (time, kind) in [
                        (0, .started(request)), (1, .sent(request)), (2, .headReceived(response)),
                        (3, .responseBody(Bytes("{\"index\":\(index)}"), at: 0)), (4, .finished(response)),
                    ] as [(Int, CallEvent.Kind)] {
                        log.add(CallEvent(call: call, time: .milliseconds(time), kind: kind))
                    }
                }
            }
            // A busy machine holds up the frames of a short list as well.
            try add(1...1_000)
            let short = try await frames(of: page, rows: 1_001)
            try add(1_001...100_000)
            #expect(log.count == 100_001)
            let long = try await frames(of: page, rows: 100_001)
            let shown = try await page.value("document.querySelectorAll('#space .row').length", as: Int.self)
            #expect(shown < 100, "only the rows in view are elements")
            let slow = (short.count { $0 >= 50 }, long.count { $0 >= 50 })
            #expect(slow.1 <= 2 * slow.0 + 5, "frames of 50 ms and more: \(slow)")
            #expect(long[long.count / 2] <= max(50, 2 * short[short.count / 2]), "\(long)")
            for (text, count) in [
                ("path:99999", 1), ("body:99999", 1), ("swallow", 1),
                ("method:GET & !status:5xx & duration:>2ms & path:page=3", 14_286), ("header:content-type", 100_001),
            ] {
                let found = try await page.value(
                    "fetch('api/search?q=' + encodeURIComponent('\(text)')).then((answer) => answer.json())"
                        + ".then((answer) => answer.ids.length)", as: Int.self)
                #expect(found == count, "\(text)")
            }
        }
    }

    @Test func `hostile texts stay texts`() async throws {
        try await shown { page, client, _, _ in
            for path in ["hostile", "broken", "line"] {
                _ = try await client.get("\(path)", query: ["q": Self.hostile])
            }
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 3")
            for _ in 0..<3 {
                try await page.press("j")
                try await page.press("Enter")
                let chosen =
                    "document.querySelector('#space .row[aria-selected=true]').getAttribute('aria-label').split(' ')[1].split('?')[0]"
                try await page.wait(for: "document.querySelector('#detail h2')?.textContent.includes(\(chosen))")
                for tab in ["Request", "Response", "Decisions", "Export"] { try await choose(tab, page) }
            }
            // Markup that is never closed costs no more than its length.
            _ = try await client.get("markup")
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 4")
            for _ in 0..<3 { try await page.press("j") }
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail h2').textContent.includes('/markup')")
            try await choose("Response", page)
            let markup = try await page.value(
                "document.querySelector('#detail .body pre').textContent.length", as: Int.self)
            #expect(markup == 200_000)
            #expect(try await page.value("document.title", as: String.self) == "Tsubame inspector")
            #expect(
                try await page.value("document.querySelectorAll('main script, main img[src=x]').length", as: Int.self)
                    == 0)
        }
    }

    @Test func `the page is dark or light as the system is`() async throws {
        try await shown { page, client, _, _ in
            _ = try await client.get("one")
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 1")
            var backs: [String] = []
            for scheme in ["light", "dark"] {
                _ = try await page.browser.command(
                    "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]],
                    session: page.session)
                backs.append(try await page.value("getComputedStyle(document.body).backgroundColor", as: String.self))
            }
            #expect(backs == ["rgb(255, 255, 255)", "rgb(23, 25, 28)"])
        }
    }

    /// With TSUBAME_PICTURES=FOLDER the pictures of the documentation are made anew.
    @Test func `pictures of the page`() async throws {
        try await shown { page, client, _, gate in
            _ = try await client.post("photos", json: ["name": "燕"])
            for path in ["busy", "moved", "users", "line", "broken"] as [RequestPath] {
                _ = try await client.get(path, query: ["page": 2])
            }
            _ = try? await client.get(url: "http://127.0.0.1:1/closed")
            async let slow = client.get("slow").text()
            try await page.wait(for: "document.querySelectorAll('#space .row').length === 8")
            for _ in 0..<3 { try await page.press("j") }
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('#detail nav')")
            try await choose("Decisions", page)
            for scheme in ["light", "dark"] {
                _ = try await page.browser.command(
                    "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]],
                    session: page.session)
                let picture = try await page.picture()
                #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
                if let folder = ProcessInfo.processInfo.environment["TSUBAME_PICTURES"] {
                    try picture.write(to: URL(filePath: folder).appending(path: "inspector-\(scheme).png"))
                }
            }
            gate.open()
            #expect(try await slow == "firstsecond")
        }
    }
}

// ToolOutputStyleTests: colours, formatting, and the characters that must not reach a terminal.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolOutputStyleTests {
    private static let colour = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]

    private func reply(_ type: String, _ body: String) -> Reply {
        let bytes = Array(body.utf8)
        return .bytes(
            Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
    }

    private func run(
        _ reply: Reply, _ arguments: String..., output: ToolProcess.Output = .pipe, environment: [String: String] = [:]
    ) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url) }
            return try await ToolProcess(arguments, output: output, environment: environment).finished()
        }
    }

    // MARK: When output is styled

    @Test(arguments: [
        ("all", "{\n    \u{1B}[94m\"a\"\u{1B}[0m: \u{1B}[33m1\u{1B}[0m\n}"), ("format", "{\n    \"a\": 1\n}"),
        ("colors", "{\u{1B}[94m\"a\"\u{1B}[0m:\u{1B}[33m1\u{1B}[0m}"), ("none", "{\"a\":1}"),
    ])
    func whoAsksForAPrettyOutputGetsItAnywhere(pretty: String, expected: String) async throws {
        for environment in [Self.colour, ["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let answer = try await run(.json("{\"a\":1}"), "--pretty=\(pretty)", "URL", environment: environment)
            #expect(answer.stdout == expected && answer.status == 0)
        }
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true), (["TERM": "dumb"], false),
        (["TERM": ""], false), (["TERM": "xterm", "NO_COLOR": "1"], false),
        (["TERM": "xterm", "CLICOLOR": "0"], false),
        (["TERM": "dumb", "CLICOLOR_FORCE": "1"], true), (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false),
    ])
    func aTerminalIsColouredUnlessTheEnvironmentSaysOtherwise(environment: [String: String], isColoured: Bool)
        async throws
    {
        let answer = try await run(.json("{\"a\":1}"), "URL", output: .terminal, environment: environment)
        #expect(answer.stdout.contains("\u{1B}[") == isColoured)
    }

    @Test func whatIsRedirectedIsNeverColouredByTheEnvironment() async throws {
        let environment = ["TERM": "xterm", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"]
        #expect(try await run(.json("{\"a\":1}"), "URL", environment: environment).stdout == "{\"a\":1}")
    }

    @Test func theThemeGoesByTheBackground() async throws {
        let json = Reply.json("[1]")
        let dark = "\u{1B}[33m1", light = "\u{1B}[31m1"
        for (option, background, expected) in [
            ("auto", "15;0", dark), ("auto", "0;15", light), ("auto", "0;default;15", light), ("auto", "", dark),
            ("auto", "x", dark), ("dark", "0;15", dark), ("light", "15;0", light),
        ] {
            let answer = try await run(
                json, "--style", option, "--pretty=colors", "URL", environment: ["COLORFGBG": background])
            #expect(answer.stdout == "[\(expected)\u{1B}[0m]")
        }
        #expect(try await run(json, "-s", "none", "--pretty=all", "URL").stdout == "[\n    1\n]")
    }

    // MARK: Styles

    @Test func headsAreColouredByTheirStatus() async throws {
        let answer = try await run(.status(.notFound, ""), "--pretty=colors", "-p", "Hh", "URL")
        #expect(answer.stdout.contains("\u{1B}[1;32mGET\u{1B}[0m \u{1B}[36m/\u{1B}[0m\u{1B}[94m HTTP/1.1\u{1B}[0m\r\n"))
        #expect(answer.stdout.contains("\u{1B}[94mHTTP/1.1\u{1B}[0m\u{1B}[31m 404 Not Found\u{1B}[0m\r\n"))
        #expect(answer.stdout.contains("\u{1B}[36mContent-Length\u{1B}[0m: 0\r\n"))
        #expect(answer.status == 4)
    }

    @Test func xmlIsIndentedWhereItIsSafe() async throws {
        let answer = try await run(
            reply("application/atom+xml", "<a><b>x <i>y</i></b><c/></a>"), "--pretty=format", "URL")
        #expect(answer.stdout == "<a>\n  <b>x <i>y</i></b>\n  <c/>\n</a>")
        let streamed = try await run(reply("text/xml", "<a><b/></a>"), "--pretty=format", "-S", "URL")
        #expect(streamed.stdout == "<a><b/></a>")
    }

    @Test func htmlIsIndentedBetweenBlocks() async throws {
        let answer = try await run(
            reply("text/html", "<html><body><p>a <b>b</b></p><pre>\n x</pre></body></html>"), "--pretty=format", "URL")
        #expect(
            answer.stdout
                == "<html>\n  <body>\n    <p>a <b>b</b></p>\n    <pre>\n x</pre>\n  </body>\n</html>")
    }

    @Test func aFormAndAnEventAreColouredOnly() async throws {
        let form = try await run(reply("application/x-www-form-urlencoded", "a=b&c"), "--pretty=all", "URL")
        #expect(form.stdout == "\u{1B}[94ma\u{1B}[0m=\u{1B}[32mb\u{1B}[0m&\u{1B}[94mc\u{1B}[0m")
        let event = try await run(reply("text/event-stream", "event: a\n\n"), "--pretty=all", "URL")
        #expect(event.stdout == "\u{1B}[36mevent\u{1B}[0m: \u{1B}[32ma\u{1B}[0m\n\n")
    }

    @Test func jsonThatSaysItIsTextIsJSON() async throws {
        #expect(
            try await run(reply("text/plain", " {\"a\":1}"), "--pretty=format", "URL").stdout == "{\n    \"a\": 1\n}")
        for text in ["[INFO] x", "{ a: b }", "[1] a"] {
            #expect(try await run(reply("text/plain", text), "--pretty=format", "URL").stdout == text)
        }
    }

    @Test func theUserKnowsTheTypeBetter() async throws {
        let plain = reply("application/octet-stream", "{\"a\":\"\u{E9}\"}")
        let json = try await run(plain, "--pretty=format", "--response-mime=application/json", "URL")
        #expect(json.stdout == "{\n    \"a\": \"\u{E9}\"\n}")
        let latin = try await run(plain, "--pretty=format", "--response-charset=latin1", "URL")
        #expect(latin.stdout == "{\n    \"a\": \"\u{C3}\u{A9}\"\n}")
        // Without that, a charset says nothing about bytes of any kind.
        let bytes = reply("application/octet-stream; charset=latin1", "\u{E9}")
        #expect(try await run(bytes, "--pretty=all", "URL").stdout == "\u{E9}")
        #expect(try await run(plain, "--response-charset=x-unknown", "URL").status == 64)
        #expect(try await run(plain, "--response-mime=json", "URL").status == 64)
    }

    // MARK: Hostile servers

    @Test(arguments: ["text/plain", "text/html", "application/json", "text/event-stream", "text/xml", "", "text/css"])
    func nothingOfAServerSteersATerminal(type: String) async throws {
        let hostile = "<a>\u{1B}]0;title\u{7}\u{1B}[31m\u{202E}\u{9B}2J x\ry\u{8}\u{7F}"
        for environment in [[:], Self.colour] {
            let answer = try await run(reply(type, hostile), "-b", "URL", output: .terminal, environment: environment)
            let text = answer.stdout.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
            #expect(text == "<a>␛]0;title␇␛[31m<U+202E><U+009B>2J x␍y␈␡\n")
        }
        let redirected = try await run(reply(type, hostile), "URL")
        #expect(redirected.stdout == hostile)
    }

    @Test(arguments: [
        ["--text", "-b"], ["-d", "-o", "-"], ["-d", "-o", "/dev/stdout"], ["-d", "-o", "-", "--text"],
    ])
    func `FAULT 15: no option lets a server steer a terminal`(options: [String]) async throws {
        for type in ["text/plain", "application/json", ""] {
            let reply = reply(type, "<a>\u{1B}]0;title\u{7}\u{1B}[31m\u{202E}\u{9B}2J x\ry")
            try await ScriptedServer.start { _ in reply }.use { server in
                let words = options + ["--pretty=none", server.url]
                let shown = try await ToolProcess(words, output: .terminal).finished()
                #expect(shown.status == 0 && shown.stdout == "<a>␛]0;title␇␛[31m<U+202E><U+009B>2J x␍y\n", "\(shown)")
            }
        }
    }

    @Test func `FAULT 15: a download that a terminal shows is spared binary data, and a pipe gets all bytes`()
        async throws
    {
        let bytes = ToolOutputTests.everyByte
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(bytes.count)\r\n\r\n"
        let reply = Reply.bytes(Array(head.utf8) + bytes)
        let shown = try await run(reply, "-d", "-o", "-", "URL", output: .terminal)
        #expect(shown.stdout == "(binary data, 256 bytes: not shown on a terminal; -o FILE saves it)\n", "\(shown)")
        #expect(try await run(reply, "-d", "-o", "-", "URL").stdoutBytes == bytes)
    }

    @Test func `FAULT 15: a head printed with --text does not steer a terminal`() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nX: \u{9D}0;x\u{9C}\u{202E}\r\nContent-Length: 0\r\n\r\n".utf8)
        let answer = try await run(.bytes(head), "--text", "-h", "URL", output: .terminal)
        #expect(answer.stdout.hasPrefix("HTTP/1.1 200 OK\nX: <U+009D>0;x<U+009C><U+202E>\n"), "\(answer)")
    }

    @Test func aHeadDoesNotSteerATerminalEither() async throws {
        let head = Array("HTTP/1.1 404 a\u{9B}31m\r\nX: \u{9D}0;x\u{9C}\u{202E}\r\nContent-Length: 0\r\n\r\n".utf8)
        let answer = try await run(.bytes(head), "URL", output: .terminal)
        #expect(answer.stdout.hasPrefix("HTTP/1.1 404 a<U+009B>31m\nX: <U+009D>0;x<U+009C><U+202E>\n"))
        let warned = try await run(.bytes(head), "-b", "URL", output: .terminal)
        #expect(warned.stderr == "tsubame: the server answered 404 a<U+009B>31m\n")
    }

    // MARK: Unchanged output

    @Test(arguments: [
        ("text/event-stream", "data: {\"a\":1}\n\n", "data: {\n          \"a\": 1\n      }\n\n"),
        ("application/x-ndjson", "{\"a\":1}\n", "{\n    \"a\": 1\n}\n"),
        ("application/json", "{\"a\":1", "{\n    \"a\": 1"),
        ("text/html", "<p>text", "<p>text"),
    ])
    func anElementIsShownBeforeTheNextIsSent(type: String, element: String, shown: String) async throws {
        let gate = Gate()
        let size = String(element.utf8.count, radix: 16)
        let reply: Reply = [
            .bytes(
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(element)\r\n"
            ), .wait(for: gate), .bytes("1\r\n\n\r\n0\r\n\r\n"),
        ]
        try await ScriptedServer.start { _ in reply }.use { server in
            let process = try ToolProcess(["--pretty=format", server.url])
            #expect(await process.output(upTo: shown.utf8.count) == shown)
            gate.open()
            #expect(try await process.finished().status == 0)
        }
    }
}
#endif

// ToolFormatTests: --format-options, --sorted, named styles, and text that is JSON or XML by another name.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolFormatTests {
    private static let json = #"{"b":[1],"a":"\u71d5"}"#

    private func run(_ reply: Reply, _ arguments: String...) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            try await ToolProcess(["--pretty=format", server.url] + arguments).finished()
        }
    }

    @Test(arguments: [
        ([], "{\n    \"b\": [\n        1\n    ],\n    \"a\": \"燕\"\n}"),
        (["--sorted"], "{\n    \"a\": \"燕\",\n    \"b\": [\n        1\n    ]\n}"),
        (["--sorted", "--unsorted"], "{\n    \"b\": [\n        1\n    ],\n    \"a\": \"燕\"\n}"),
        (["--sorted", "--no-sorted"], "{\n    \"b\": [\n        1\n    ],\n    \"a\": \"燕\"\n}"),
        (["--format-options=json.indent:1"], "{\n \"b\": [\n  1\n ],\n \"a\": \"燕\"\n}"),
        (
            ["--format-options", "json.sort_keys:true,json.indent:0", "--format-options=json.indent:2"],
            "{\n  \"a\": \"燕\",\n  \"b\": [\n    1\n  ]\n}"
        ), (["--format-options=json.format:false"], json), (["--pretty=none"], json),
    ])
    func `JSON is laid out as the options say`(options: [String], expected: String) async throws {
        try await ScriptedServer.start { _ in .json(Self.json) }.use { server in
            let run = try await ToolProcess(["--pretty=format", server.url] + options).finished()
            #expect(run.status == 0 && run.stdout == expected, "\(run)")
        }
    }

    @Test func `fields are sorted by name, in requests and responses`() async throws {
        let reply = Reply.bytes("HTTP/1.1 200 OK\r\nZ: 1\r\nb: 2\r\n folded\r\nA: 3\r\nContent-Length: 0\r\n\r\n")
        let run = try await run(reply, "--sorted", "-p", "Hh", "X-B:1", "X-A:2")
        #expect(
            run.stdout.hasSuffix("HTTP/1.1 200 OK\r\nA: 3\r\nb: 2\r\n folded\r\nContent-Length: 0\r\nZ: 1\r\n\r\n"),
            "\(run)")
        #expect(
            run.stdout.contains("X-A: 2\r\nX-B: 1\r\n") && run.stdout.hasPrefix("GET / HTTP/1.1\r\nAccept: "), "\(run)")
        let plain = try await self.run(reply, "-p", "h")
        #expect(plain.stdout.hasPrefix("HTTP/1.1 200 OK\r\nZ: 1\r\n"))
    }

    @Test(arguments: [
        ("application/javascript", ")]}',\n{\"a\":1}", ")]}',\n{\n    \"a\": 1\n}"),
        ("text/javascript", "while(1);[\"a\"]", "while(1);[\n    \"a\"\n]"),
        ("text/plain", "<?xml version='1.0'?><a><b/></a>", "<?xml version='1.0'?>\n<a>\n  <b/>\n</a>"),
        ("image/svg", "<?xml version='1.0'?><a><b/></a>", "<?xml version='1.0'?><a><b/></a>"),
        ("application/javascript", "{a:1}", "{a:1}"), ("text/plain", "[1] a", "[1] a"),
        ("application/javascript", "[1,2]", "[\n    1,\n    2\n]"),
        ("text/plain", "while(1);[1]", "while(1);[\n    1\n]"),
        ("application/json", "\"\\u71d5\"", "\"燕\""),
    ])
    func `JSON and XML are laid out under other names`(type: String, text: String, expected: String) async throws {
        let run = try await run(.ok(text, headers: [.contentType: type]), "--response-charset=utf-8")
        #expect(run.stdout == expected, "\(run)")
    }

    @Test func `a reader sees a text in another charset, and a file gets its bytes`() async throws {
        // Big5 for the text below.
        let text: [UInt8] = [
            0xA4, 0x48, 0xA4, 0x48, 0xA5, 0xCD, 0xA6, 0xD3, 0xA6, 0xDB, 0xA5, 0xD1, 0xA1, 0x41, 0xA6, 0x62, 0xB4, 0x4C,
            0xC4, 0x59, 0xA9, 0x4D, 0xC5, 0x76, 0xA7, 0x51, 0xA4, 0x57, 0xA4, 0x40, 0xAB, 0xDF, 0xA5, 0xAD, 0xB5, 0xA5,
            0xA1, 0x43,
        ]
        let head = Array("HTTP/1.1 200 OK\r\nContent-Type: TYPE\r\nContent-Length: \(text.count + 3)\r\n\r\n1: ".utf8)
        for (type, isGuessed) in [("text/plain", true), ("text/plain; charset=utf-8", false)] {
            let head = Array(String(decoding: head, as: UTF8.self).replacing("TYPE", with: type).utf8)
            // The pieces end within characters.
            let pieces: Reply = [.pieces([head, Array(text[..<1]), Array(text[1..<8]), Array(text[8...])])]
            try await ScriptedServer.start { _ in pieces }.use { server in
                let shown = try await ToolProcess(["-b", server.url], output: .terminal).finished()
                #expect(shown.stdout.contains("1: 人人生而自由，在尊嚴和權利上一律平等。") == isGuessed, "\(shown)")
                let piped = try await ToolProcess([server.url]).finished()
                #expect(piped.stdoutBytes == Array("1: ".utf8) + text)
            }
        }
    }

    @Test func `named styles have their colours`() async throws {
        for style in ["solarized", "pie", "pie-dark", "pie-light", "fruity", "monokai", "dracula", "nord"] {
            let run = try await run(.json("[true]"), "--pretty=all", "--style", style)
            #expect(run.stdout.contains("\u{1B}[38;5;") && run.stdout.contains("true"), "\(style): \(run)")
        }
    }

    @Test(arguments: [
        ("json.indent", "has no value"), ("json.indent:17", "from 0 to 16"), ("json.indent:-1", "from 0 to 16"),
        ("json.color:true", "is none of json.format, json.indent"), ("xml.format:yes", "true or false"),
    ])
    func `a wrong format is told`(text: String, expected: String) async throws {
        let run = try await ToolProcess(["--format-options", text, ":1"]).finished()
        #expect(
            run.status == 64 && run.stderr.contains("--format-options: “") && run.stderr.contains(expected), "\(run)")
    }
}
#endif

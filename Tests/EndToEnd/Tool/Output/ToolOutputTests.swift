// ToolOutputTests: the tool's output for given bytes on the wire.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolOutputTests {
    /// Every byte value, zero first.
    static let everyByte = (0..<256).map { UInt8($0) }

    private func reply(_ fields: String, _ body: [UInt8]) -> Reply {
        .bytes(Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
    }

    /// Runs the tool, with `URL` standing for a server that gives this reply.
    private func run(
        _ reply: Reply, _ arguments: String..., output: ToolProcess.Output = .pipe
    ) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url) }
            return try await ToolProcess(arguments, output: output).finished()
        }
    }

    // MARK: The contract for scripts

    @Test func headAndBodyAreByteForByteWhatWasReceived() async throws {
        let head =
            "HTTP/1.1 200 Fine: \u{71D5}\r\nx-b:  1 \r\nX-A: \r\nset-cookie: a=b\r\nSet-Cookie: c\r\nContent-Length: 256\r\n\r\n"
        let bytes = Array(head.utf8) + Self.everyByte
        let answer = try await run(.bytes(bytes), "--print=hb", "--pretty=none", "URL")
        #expect(answer.stdoutBytes == bytes)
        #expect(answer.status == 0 && answer.stderr.isEmpty)
    }

    @Test func `FAULT 22, BAD-INPUT 14: a folded field is printed as it was received`() async throws {
        let head = "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nY: 1,\r\n \t\r\n\t2: 3\r\nZ:\r\n  z\r\nContent-Length: 2\r\n\r\n"
        let reply = Reply.bytes(head + "ok")
        let answer = try await run(reply, "--print=hb", "--pretty=none", "URL")
        #expect(answer.stdout == head + "ok")
        let shown = try await run(reply, "-h", "URL", output: .terminal)
        #expect(shown.stdout == head.replacing("\r\n", with: "\n"), "\(shown)")
    }

    @Test func aFieldThatIsNoUTF8KeepsItsBytes() async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9, 0xFF] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        #expect(try await run(.bytes(bytes), "--print=hb", "--pretty=none", "URL").stdoutBytes == bytes)
    }

    @Test func theHeadIsPrintedAsReceivedThoughTheBodyIsDecoded() async throws {
        try await withHTTPBin { url, _ in
            let answer = try await tool("--print=hb", "--pretty=none", url + "/gzip")
            #expect(answer.status == 0)
            #expect(answer.stdout.contains("Content-Encoding: gzip\r\n"))
            #expect(answer.stdout.contains("\"gzipped\": true"))
        }
    }

    @Test func redirectedOutputIsTheBodyAsItCame() async throws {
        let json = Array(#" {"b" :1, "a":[ ] } "#.utf8)
        let answer = try await run(reply("Content-Type: application/json\r\n", json), "URL")
        #expect(answer.stdoutBytes == json)
        let page: [UInt8] = [0xB1, 0xED, 0x00, 0x1B]
        #expect(try await run(reply("Content-Type: text/html; charset=EUC-JP\r\n", page), "URL").stdoutBytes == page)
    }

    @Test func chunksAreJoined() async throws {
        let answer = try await run(.chunked(["one\n", "two\n", "three"]), "URL")
        #expect(answer.stdout == "one\ntwo\nthree")
    }

    // MARK: Printed parts

    @Test func theRequestIsPrintedAsItWasSent() async throws {
        try await ScriptedServer.start { _ in .status(.ok, "answer") }.use { server in
            let whole = try await tool("-v", "--pretty=none", "POST", server.url + "/p", "X-A:1", "a=燕", "q==1")
            let request = try await server.request(0)
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nanswer"
            #expect(whole.stdout == request.headText + request.text + "\n\n" + answer)

            #expect(try await tool("--print=H", server.url).stdout == (try await server.request(1)).headText)
            #expect(try await tool("--print=B", server.url, "--raw", "x\u{7}y").stdout == "x\u{7}y")
            #expect(try await tool("-p", "HB", "PUT", server.url).stdout == (try await server.request(3)).headText)
        }
    }

    @Test func aFileIsPrintedAsTheBodyThatItIs() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data(Self.everyByte).write(to: file)
            try await ScriptedServer.start { _ in .ok() }.use { server in
                let answer = try await tool("--print=HB", "--raw", "@\(file.path)", server.url)
                let request = try await server.request(0)
                #expect(answer.stdoutBytes == request.head + Self.everyByte)
            }
        }
    }

    @Test func everyRequestOfARedirectIsPrinted() async throws {
        try await withHTTPBin { url, log in
            let answer = try await tool("-F", "--print=H", url + "/relative-redirect/2")
            #expect(log.all.count == 3)
            #expect(answer.stdoutBytes == log.all.flatMap(\.head))
        }
    }

    @Test func partsAreChosenByLettersOrFlags() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        let answer = Reply.bytes(head + "hi")
        #expect(try await run(answer, "-h", "URL").stdout == head)
        #expect(try await run(answer, "-b", "URL").stdout == "hi")
        #expect(try await run(answer, "-h", "-b", "URL").stdout == head + "hi")
        #expect(try await run(answer, "--print=", "URL").stdout.isEmpty)
        #expect(try await run(answer, "--print=h", "HEAD", "URL").stdout == head)
    }

    @Test func aHeadAloneDoesNotWaitForTheBody() async throws {
        let endless = try await run([.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .stall], "-h", "URL")
        #expect(endless.status == 0)
        #expect(endless.stdout == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    }

    // MARK: Text

    @Test func jsonIsIndentedAndNotReordered() async throws {
        let json = #"{"b":1.50,"a":[],"c":{"x":"\u71d5 {,}","b":[true,null,{"z":1,"z":2}]},"a":{}}"#
        let answer = try await run(.json(json), "--pretty=format", "URL")
        #expect(
            answer.stdout == """
                {
                    "b": 1.50,
                    "a": [],
                    "c": {
                        "x": "燕 {,}",
                        "b": [
                            true,
                            null,
                            {
                                "z": 1,
                                "z": 2
                            }
                        ]
                    },
                    "a": {}
                }
                """)
    }

    @Test(arguments: [
        "no JSON at all", "", "  [1, 2", "[1] trailing {\"a\":1}", "{\"a\" 1}", "]x[", "\"text\"", "12 13",
    ])
    func whatIsLabelledJSONAndIsNoneLosesNothing(text: String) async throws {
        let answer = try await run(.json(text), "--pretty=format", "URL")
        #expect(answer.stdout.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }

    @Test func linesOfJSONAreIndentedEach() async throws {
        let answer = try await run(.json("{\"a\":1}\n{\"b\":2}\n"), "--pretty=format", "URL")
        #expect(answer.stdout == "{\n    \"a\": 1\n}\n{\n    \"b\": 2\n}")
    }

    /// The bytes are sent one by one, so that characters arrive in pieces.
    @Test(arguments: [
        ("EUC-JP", [0xB1, 0xED, 0x8E, 0xC2, 0x8F, 0xEC, 0xBF, 0x21] as [UInt8], "燕ﾂ鷗!"),
        ("Shift_JIS", [0x89, 0x8D, 0xC2, 0x41] as [UInt8], "燕ﾂA"),
        ("UTF-16", [0xFE, 0xFF, 0x71, 0xD5, 0xD8, 0x3D, 0xDC, 0x26] as [UInt8], "燕🐦"),
        ("UTF-16LE", [0xD5, 0x71, 0x3D, 0xD8, 0x26, 0xDC, 0x41, 0x00] as [UInt8], "燕🐦A"),
        ("ISO-8859-1", [0xE9, 0x80, 0xFF, 0x00] as [UInt8], "é\u{80}ÿ\0"),
        ("windows-1252", [0x80, 0xE9] as [UInt8], "€é"),
        ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x21] as [UInt8], "日!"),
        ("GB18030", [0xD6, 0xD0, 0x95, 0x32, 0x82, 0x36, 0x21] as [UInt8], "中𠀀!"),
        ("UTF-8", [0xFF, 0xFE, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00] as [UInt8], "\u{20000}"),
        ("utf-8", Array("燕🐦".utf8) + [0xFF, 0xE7, 0x87], "燕🐦\u{FFFD}\u{FFFD}"),
    ])
    func textIsDecodedByItsCharset(charset: String, bytes: [UInt8], text: String) async throws {
        let reply: Reply = [
            .bytes(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=\(charset)\r\nContent-Length: \(bytes.count)\r\n\r\n"
            ),
            .bytes(bytes, every: 1),
        ]
        #expect(try await run(reply, "--text", "URL").stdout == text)
        #expect(try await run(reply, "--pretty=format", "URL").stdout == text)
        #expect(try await run(reply, "URL").stdoutBytes == bytes)
    }

    @Test(arguments: [
        "image/png", "application/octet-stream", "application/pdf; charset=binary", "text/plain; charset=x-unknown",
        "multipart/mixed; boundary=x", "nonsense", "",
    ])
    func whatIsNotSaidToBeTextKeepsItsBytes(type: String) async throws {
        let reply = reply(type.isEmpty ? "" : "Content-Type: \(type)\r\n", Self.everyByte)
        for option in ["--pretty=format", "--text"] {
            #expect(try await run(reply, option, "URL").stdoutBytes == Self.everyByte)
        }
    }

    @Test func aDeclaredCharsetMakesAnythingText() async throws {
        for type in [
            "application/x-thing; charset=EUC-JP", "application/xml; charset=EUC-JP", "text/x; charset=EUC-JP",
        ] {
            let reply = reply("Content-Type: \(type)\r\n", [0xB1, 0xED])
            #expect(try await run(reply, "--pretty=format", "URL").stdout == "燕")
        }
    }

    // MARK: A terminal

    @Test func aTerminalGetsHeadAndIndentedJSON() async throws {
        let answer = try await run(.json(#"{"a":1}"#), "URL", output: .terminal)
        #expect(
            answer.stdout == """
                HTTP/1.1 200 OK
                Content-Type: application/json
                Content-Length: 7

                {
                    "a": 1
                }


                """)
    }

    @Test(arguments: [everyByte, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]])
    func aTerminalIsSparedBinaryData(bytes: [UInt8]) async throws {
        let answer = try await run(reply("Content-Type: image/png\r\n", bytes), "-b", "URL", output: .terminal)
        #expect(answer.stdout == "(binary data, \(bytes.count) bytes: not shown on a terminal; -o FILE saves it)\n")
        #expect(answer.status == 0)
    }

    @Test func aTerminalGetsTextInUTF8AndALineEnd() async throws {
        let answer = try await run(
            reply("Content-Type: text/html; charset=EUC-JP\r\n", [0xB1, 0xED]), "-b", "URL", output: .terminal)
        #expect(answer.stdout == "燕\n")
    }

    // MARK: Unchanged output

    @Test func aPieceIsPrintedBeforeTheNextIsSent() async throws {
        let gate = Gate()
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"), .wait(for: gate),
            .bytes("4\r\ntwo\n\r\n0\r\n\r\n"),
        ]
        try await ScriptedServer.start { _ in reply }.use { server in
            let running = try RunningProduct("tsubame", [server.url])
            #expect(try await running.line { $0 == "one" } == "one")
            gate.open()
            let run = try await running.finished()
            #expect(run.status == 0)
            #expect(run.stdout == "one\ntwo\n")
        }
    }

    @Test func aReaderThatGoesAwayEndsTheToolQuietly() async throws {
        let answer = try await run(.ok("nobody reads this"), "URL", output: .closedPipe)
        #expect(answer.status == 128 + SIGPIPE)
        #expect(answer.stderr.isEmpty)
    }
}
#endif

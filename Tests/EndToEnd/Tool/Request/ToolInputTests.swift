// ToolInputTests: when the tool reads its standard input, and when it must not.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolInputTests {
    private static let warning =
        "tsubame: warning: the data on the standard input was not sent; --raw @- sends it, --ignore-stdin hides this "
        + "warning\n"

    /// Runs the tool, with `URL` standing for the server's; returns the request that it sent, and its output.
    private func sent(
        _ input: ToolProcess.Input, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (request: ReceivedRequest, run: ProductRun) {
        try await sent(input, arguments, sourceLocation: sourceLocation)
    }

    private func sent(
        _ input: ToolProcess.Input, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (request: ReceivedRequest, run: ProductRun) {
        try await ScriptedServer.start(keepingBodyBytes: 64 << 20) { _ in .ok() }.use { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url) }
            let run = try await ToolProcess(arguments, input: input).finished()
            #expect(run.status == 0, "\(run)", sourceLocation: sourceLocation)
            return (try await server.request(0), run)
        }
    }

    @Test(arguments: [
        ["-I", "URL"], ["-I", "GET", "URL"], ["-I", "POST", "URL", "a=b"], ["-I", "POST", "URL", "X:y"],
        ["URL", "--raw", "x"], ["POST", "--ignore-stdin", "URL"], ["PUT", "-I", "URL"], ["-I", "URL"], ["GET", "URL"],
        ["DELETE", "URL"], ["POST", "URL", "a=b"], ["-I", "URL", "X:y"],
    ])
    func anInputThatNeverComesIsNotWaitedFor(words: [String]) async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let words = words.map { $0.replacing("URL", with: server.url) }
            let run = try await ToolProcess(words, input: .silentPipe).finished()
            #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        }
    }

    @Test(arguments: [
        (["URL"], "POST"), (["POST", "URL"], "POST"), (["PUT", "URL"], "PUT"), (["patch", "URL"], "PATCH"),
        (["query", "URL"], "QUERY"),
    ])
    func aPipeIsTheBodyWithoutAMethodAndOfAMethodThatAsksForOne(words: [String], method: String) async throws {
        let (request, run) = try await sent(.pipe(Array("{\"a\": 1}\n".utf8)), words)
        #expect(request.method == method)
        #expect(request.text == "{\"a\": 1}\n")
        #expect(request["content-length"] == "9")
        #expect(request["content-type"] == "application/json")
        #expect(request["accept"] == "application/json, */*;q=0.5")
        #expect(run.stderr.isEmpty)
    }

    /// Under cron, ssh and CI, and in a loop, the input may be anything and is not meant for the tool.
    @Test(arguments: [
        (["GET", "URL"], "GET"), (["DELETE", "URL"], "DELETE"), (["PURGE", "URL"], "PURGE"),
        (["GET", "URL", "X:y"], "GET"), (["GET", "URL", "a=b"], "GET"), (["-I", "POST", "URL", "X:y"], "POST"),
        (["-I", "URL", "a=b"], "POST"), (["HEAD", "URL"], "HEAD"),
    ])
    func `FAULT 25: a pipe is left alone with another method, and data in it is told`(
        words: [String], method: String
    ) async throws {
        let alone = try await sent(.null, words).request.bodyByteCount
        for input in [ToolProcess.Input.pipe([]), .silentPipe, .closed, .terminal("x\n\u{4}")] {
            let (request, run) = try await sent(input, words)
            #expect(request.method == method)
            #expect(request.bodyByteCount == alone && run.stderr.isEmpty, "\(run)")
        }
        let (request, run) = try await sent(.pipe(Array("{}".utf8)), words)
        #expect(request.method == method && request.bodyByteCount == alone)
        #expect(run.stderr == (words[0] == "-I" ? "" : Self.warning), "\(run)")
    }

    @Test(arguments: [["DELETE", "URL", "X-A:b"], ["PROPFIND", "URL", "X-A:b"], ["GET", "URL", "X-A:b", "-q"]])
    func `FAULT 25: data beside items that form no body is told where it is not sent`(words: [String]) async throws {
        let (request, run) = try await sent(.pipe(Array("DATA\n".utf8)), words)
        #expect(request.bodyByteCount == 0 && run.stderr == Self.warning, "\(run)")
        for option in ["-I", "-qq"] {
            let silent = try await sent(.pipe(Array("DATA\n".utf8)), words + [option]).run
            #expect(silent.stderr.isEmpty, "\(silent)")
        }
    }

    @Test func `FAULT 25: data that comes after the items were sent is told`() async throws {
        let gate = Gate()
        let reply: Reply = [.wait(for: gate), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        try await ScriptedServer.start { _ in reply }.use { server in
            let process = try ToolProcess(["POST", server.url, "a=b"], input: .silentPipe)
            try await gate.waitForArrivals(1)
            process.give("late\n")
            gate.open()
            let run = try await process.finished()
            #expect(run.status == 0 && run.stderr == Self.warning, "\(run)")
            #expect(try await server.request(0).text == "{\"a\": \"b\"}")
        }
    }

    @Test func aFileIsTheBody() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("{}".utf8).write(to: file)
            for (words, method) in [
                (["URL"], "POST"), (["POST", "URL"], "POST"), (["DELETE", "URL"], "DELETE"),
                (["PURGE", "URL"], "PURGE"),
            ] {
                let (request, run) = try await sent(.file(file), words)
                #expect(request.text == "{}" && request.method == method && run.stderr.isEmpty)
            }
            for words in [["GET", "URL"], ["HEAD", "URL"], ["GET", "URL", "X:y"], ["-I", "POST", "URL"]] {
                let (request, run) = try await sent(.file(file), words)
                #expect(request.bodyByteCount == 0, "\(words)")
                #expect(run.stderr == (words[0] == "-I" ? "" : Self.warning), "\(run)")
            }
        }
    }

    // MARK: With items

    @Test(arguments: [
        ["POST", "URL", "X:y"], ["PUT", "URL", "q==1"], ["PATCH", "URL", "X;", "Accept:"],
        ["-f", "POST", "URL", "X:y"],
        ["URL", "X:y"], ["URL", "q==1"],
    ])
    func `FAULT 25: items that form no body leave the body to the standard input`(words: [String]) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("{\"a\": 1}".utf8).write(to: file)
            for input in [ToolProcess.Input.pipe(Array("{\"a\": 1}".utf8)), .file(file)] {
                let (request, run) = try await sent(input, words)
                #expect(request.text == "{\"a\": 1}" && request.method != "GET" && run.stderr.isEmpty, "\(run)")
                #expect(words.contains("q==1") ? request.target == "/?q=1" : request["x"] != nil)
            }
        }
    }

    @Test(arguments: [
        ["POST", "URL", "a=b"], ["URL", "a=b", "X:y"], ["-f", "URL", "a=b"], ["--multipart", "POST", "URL"],
        ["POST", "URL", "@/dev/null"], ["PUT", "URL", "a:=1"],
    ])
    func `FAULT 25: data on the standard input and items that form a body are an error`(words: [String]) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("{}".utf8).write(to: file)
            try await ScriptedServer.start { _ in .ok() }.use { server in
                let words = words.map { $0.replacing("URL", with: server.url) }
                for input in [ToolProcess.Input.pipe(Array("{}".utf8)), .file(file)] {
                    let run = try await ToolProcess(words, input: input).finished()
                    #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
                    #expect(run.stderr.contains("The standard input and the items cannot both be the body"), "\(run)")
                }
                #expect(server.acceptedConnections == 0)
                // Here no input is lost, or the user is told of the loss.
                for input in [
                    ToolProcess.Input.pipe([]), .null, .closed, .terminal("x\n\u{4}"), .file(file, offset: 1),
                ] {
                    let run = try await ToolProcess(words, input: input).finished()
                    #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
                }
                let ignored = try await ToolProcess(["-I"] + words, input: .pipe(Array("{}".utf8))).finished()
                #expect(ignored.status == 0 && ignored.stderr.isEmpty, "\(ignored)")
            }
        }
    }

    @Test func `FAULT 25: the standard input is not divided among several URLs`() async throws {
        let run = try await ToolProcess(
            ["-d", "POST", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"], input: .pipe(Array("x".utf8))
        ).finished()
        #expect(run.status == 64 && run.stderr.contains("standard input is for one URL"), "\(run)")
    }

    /// `while read -r id; do tsubame …/$id; done < ids`: the input belongs to the loop.
    @Test(arguments: [["URL"], ["DELETE", "URL"]])
    func aFileThatSomebodyReadsIsLeftToHim(words: [String]) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "lines")
            try Data("1\n2\n3\n".utf8).write(to: file)
            let (request, run) = try await sent(.file(file, offset: 2), words)
            #expect(request.bodyByteCount == 0 && run.stderr.isEmpty)
            #expect(request.method == (words.count > 1 ? words[0] : "GET"))
        }
    }

    @Test func aTerminalIsReadOnlyWhenNamed() async throws {
        for words in [["POST", "URL"], ["PUT", "URL"], ["URL"]] {
            let (request, run) = try await sent(.terminal(), words)
            #expect(request.bodyByteCount == 0 && run.stderr.isEmpty)
        }
        #expect(try await sent(.terminal("typed\n\u{4}"), "--raw", "@-", "URL").request.text == "typed\n")
    }

    @Test func whatIsToBeChunkedIsSentAsItComes() async throws {
        let (request, _) = try await sent(.pipe(Array("a line\n".utf8)), "--chunked", "POST", "URL")
        #expect(request.isChunked && request.text == "a line\n")
    }

    @Test func aPipeGoesWithAnyMethodAndWithItemsWhenNamed() async throws {
        let (request, _) = try await sent(.pipe([0, 255, 10]), "--raw", "@-", "DELETE", "URL", "X-A:1", "q==1")
        #expect(request.method == "DELETE")
        #expect(request.body == [0, 255, 10])
        #expect(request["x-a"] == "1" && request.target == "/?q=1")
        #expect(try await sent(.pipe([1]), "--raw=@-", "URL").request.method == "POST")
    }

    @Test func anEmptyInputIsNoBody() async throws {
        for input in [ToolProcess.Input.null, .closed, .pipe([])] {
            let (request, run) = try await sent(input, "POST", "URL")
            #expect(request["content-length"] == "0" && request["content-type"] == nil)
            #expect(run.stderr.isEmpty)
            #expect(try await sent(input, "URL").request.method == "GET")
        }
    }

    @Test func aFileIsSentFromWhereItIsBeingRead() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try Data(bytes).write(to: file)
            let (request, _) = try await sent(.file(file, offset: 1_000), "POST", "URL", "--print=B")
            #expect(request.body == Array(bytes[1_000...]))
            #expect(request["content-length"] == "199000")
        }
    }

    @Test(arguments: ["a=@/dev/zero", "a:=@/dev/zero", "A:@/dev/zero", "a==@/dev/zero"])
    func `a file without an end is no value of an item`(item: String) async throws {
        let run = try await ToolProcess(["--offline", ":1", item]).finished()
        #expect(run.status == 64 && run.stderr.contains("/dev/zero is longer than 64 MiB"), "\(run)")
    }

    @Test func aLongPipeIsStreamed() async throws {
        let bytes = (0..<(20 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (request, run) = try await sent(.pipe(bytes), "POST", "URL", "--print=B")
        #expect(request.isChunked && request["content-length"] == nil)
        #expect(request.body == bytes)
        #expect(run.stdoutBytes == bytes)
    }

    #if os(Linux)
    @Test func aFileOfTheKernelsIsSentThoughItSaysThatItIsEmpty() async throws {
        let (request, _) = try await sent(.file(URL(filePath: "/proc/version")), "URL")
        #expect(request.body == (try Array(Data(contentsOf: URL(filePath: "/proc/version")))))
    }
    #endif

    @Test func `a download without a method leaves a pipe to the loop that it runs in`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { _ in .ok("file") }.use { server in
                let run = try await ToolProcess(
                    ["-d", server.url + "/a"], input: .pipe(Array("next\n".utf8)), directory: folder
                ).finished()
                #expect(run.status == 0 && run.stdout == "a\n" && run.stderr.contains("was not sent"), "\(run)")
                #expect(server.requests[0].method == "GET" && server.requests[0].bodyByteCount == 0)
            }
        }
    }

    @Test(arguments: [["POST"], []])
    func whoWaitsForAnInputSaysSo(method: [String]) async throws {
        let process = try ToolProcess(method + ["http://127.0.0.1:1/", "--timeout=1"], input: .silentPipe)
        let line = try await process.firstErrorLine()
        #expect(line == "tsubame: waiting for a body on the standard input (--ignore-stdin goes on without one)")
        process.end()
        #expect(try await process.finished().status == 128 + SIGKILL)
    }

    @Test(arguments: [
        (["a=@nofile"], "“a=@nofile”: the file nofile"), (["a:=@nofile"], "“a:=@nofile”: the file nofile"),
        (["X:@nofile"], "“X:@nofile”: the file nofile"), (["-f", "a@nofile"], "“a@nofile”: the file nofile"),
        (["@nofile"], "“@nofile”: the file nofile"), (["--raw=@nofile"], "--raw: the file nofile"),
        (["--cert=nofile"], "--cert: the file nofile"), (["--cacert=nofile"], "--cacert cannot be read from nofile"),
    ])
    func `a file that is not there is told with what names it`(words: [String], text: String) async throws {
        let run = try await ToolProcess(["https://127.0.0.1:1/"] + words).finished()
        #expect(run.status == 1 && run.stderr.hasPrefix("tsubame: ") && run.stderr.contains(text), "\(run)")
        #expect(run.stderr.contains("No such file"), "\(run)")
    }
}
#endif

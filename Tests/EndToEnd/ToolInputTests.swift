// When the tool reads its standard input, and when it must not.
#if Tool
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolInputTests {
    /// Runs the tool with `URL` standing for the server's; gives the request that it sent, and what it said.
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
        ["URL", "--raw", "x"], ["POST", "--ignore-stdin", "URL"], ["PUT", "-I", "URL"], ["URL"], ["GET", "URL"],
        ["DELETE", "URL"], ["POST", "URL", "X:y"],
    ])
    func anInputThatNeverComesIsNotWaitedFor(words: [String]) async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let words = words.map { $0.replacing("URL", with: server.url) }
            let run = try await ToolProcess(words, input: .silentPipe).finished()
            #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        }
    }

    @Test(arguments: [
        (["POST", "URL"], "POST"), (["PUT", "URL"], "PUT"), (["patch", "URL"], "PATCH"), (["query", "URL"], "QUERY"),
    ])
    func aPipeIsTheBodyOfAMethodThatAsksForOne(words: [String], method: String) async throws {
        let (request, run) = try await sent(.pipe(Array("{\"a\": 1}\n".utf8)), words)
        #expect(request.method == method)
        #expect(request.text == "{\"a\": 1}\n")
        #expect(request["content-length"] == "9")
        #expect(request["content-type"] == "application/json")
        #expect(request["accept"] == "application/json, */*;q=0.5")
        #expect(run.stderr.isEmpty)
    }

    /// Under cron, ssh and CI, and in a loop, the input may be anything, and nobody means it.
    @Test(arguments: [
        (["URL"], "GET"), (["GET", "URL"], "GET"), (["DELETE", "URL"], "DELETE"), (["PURGE", "URL"], "PURGE"),
        (["POST", "URL", "X:y"], "POST"), (["PUT", "URL", "q==1"], "PUT"), (["POST", "URL", "a=b"], "POST"),
        (["URL", "a=b"], "POST"), (["-f", "URL", "a=b"], "POST"), (["--multipart", "POST", "URL"], "POST"),
        (["HEAD", "URL"], "HEAD"),
    ])
    func aPipeIsLeftAloneWithoutSuchAMethodAndWithItems(words: [String], method: String) async throws {
        let alone = try await sent(.null, words).request.bodyByteCount
        for input in [ToolProcess.Input.pipe(Array("{}".utf8)), .silentPipe, .closed, .terminal("x\n\u{4}")] {
            let (request, run) = try await sent(input, words)
            #expect(request.method == method)
            #expect(request.bodyByteCount == alone && run.stderr.isEmpty, "\(run)")
        }
    }

    @Test func aFileIsTheBodyWhenThereAreNoItems() async throws {
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
            for words in [
                ["GET", "URL"], ["HEAD", "URL"], ["URL", "X:y"], ["POST", "URL", "q==1"], ["-I", "POST", "URL"],
            ] {
                #expect(try await sent(.file(file), words).request.bodyByteCount == 0, "\(words)")
            }
        }
    }

    @Test func aFileThatIsLeftUnreadBecauseOfItemsIsToldOf() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("{}".utf8).write(to: file)
            let told = try await sent(.file(file), "POST", "URL", "X:y").run.stderr
            #expect(told.contains("the standard input is not sent") && told.contains("--raw @-"))
            #expect(try await sent(.file(file), "--raw", "@-", "POST", "URL", "X:y").request.text == "{}")
            for words in [
                ["POST", "URL", "a=b"], ["GET", "URL", "X:y"], ["-I", "POST", "URL", "X:y"], ["URL", "X:y"],
            ] {
                #expect(try await sent(.file(file), words).run.stderr.isEmpty, "\(words)")
            }
        }
    }

    /// `while read -r id; do tsubame …/$id; done < ids`: the file is the loop's.
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

    @Test func whoWaitsForAnInputSaysSo() async throws {
        let process = try ToolProcess(["POST", "http://127.0.0.1:1/", "--timeout=1"], input: .silentPipe)
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

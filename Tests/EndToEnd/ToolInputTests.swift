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
        try await ScriptedServer.start(keepingBodyBytes: 64 << 20) { _ in .ok() }.use { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url) }
            let run = try await ToolProcess(arguments, input: input).finished().run
            #expect(run.status == 0, "\(run)", sourceLocation: sourceLocation)
            return (try await server.request(0), run)
        }
    }

    @Test(arguments: [
        ["URL"], ["GET", "URL"], ["DELETE", "URL"], ["HEAD", "URL"], ["POST", "URL", "a=b"], ["POST", "URL", "X:y"],
        ["URL", "--raw", "x"], ["POST", "--ignore-stdin", "URL"], ["PUT", "-I", "URL"],
    ])
    func anInputThatNeverComesIsNotWaitedFor(words: [String]) async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let words = words.map { $0.replacing("URL", with: server.url) }
            let run = try await ToolProcess(words, input: .silentPipe).finished().run
            #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        }
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS"])
    func onlyMethodsWithABodyReadTheInput(method: String) async throws {
        let (request, _) = try await sent(.pipe(Array("{}".utf8)), method, "URL")
        #expect(request.body.isEmpty && request["content-length"] == nil)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "post"])
    func aPipeIsTheBodyOfAnExplicitMethod(method: String) async throws {
        let (request, run) = try await sent(.pipe(Array("{\"a\": 1}\n".utf8)), method, "URL")
        #expect(request.text == "{\"a\": 1}\n")
        #expect(request["content-length"] == "9")
        #expect(request["content-type"] == "application/json")
        #expect(run.stderr.isEmpty)
    }

    @Test func aPipeGoesWithAnyMethodAndWithItemsWhenNamed() async throws {
        let (request, _) = try await sent(.pipe([0, 255, 10]), "--raw", "@-", "DELETE", "URL", "X-A:1", "q==1")
        #expect(request.method == "DELETE")
        #expect(request.body == [0, 255, 10])
        #expect(request["x-a"] == "1" && request.target == "/?q=1")
        #expect(try await sent(.pipe([1]), "--raw=@-", "URL").request.method == "POST")
    }

    @Test func anEmptyInputIsNoBody() async throws {
        for input in [ToolProcess.Input.null, .pipe([])] {
            let (request, _) = try await sent(input, "POST", "URL")
            #expect(request["content-length"] == "0" && request["content-type"] == nil)
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

    @Test func whoWaitsForAnInputSaysSo() async throws {
        let process = try ToolProcess(["POST", "http://127.0.0.1:1/", "--timeout=1"], input: .silentPipe)
        let line = try await process.firstErrorLine()
        #expect(line == "tsubame: waiting for a body on the standard input (--ignore-stdin goes on without one)")
        process.end()
        #expect(try await process.finished().run.status == 128 + SIGKILL)
    }
}
#endif

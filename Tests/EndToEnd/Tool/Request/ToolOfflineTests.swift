// ToolOfflineTests: the tool's --offline prints the request that it would send, and sends nothing.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolOfflineTests {
    /// Runs the tool with these arguments against a server, and with --offline. Returns the request that the server
    /// received and the output of the offline run.
    private func both(
        _ words: [String], input: ToolProcess.Input = .null
    ) async throws -> (sent: [UInt8], printed: ProductRun) {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            let words = words.map { $0.replacing("URL", with: server.url) }
            let sent = try await ToolProcess(words, input: input).finished()
            #expect(sent.status == 0, "\(sent)")
            let request = try await server.request(0)
            let offline = try await ToolProcess(["--offline"] + words, input: input).finished()
            #expect(server.acceptedConnections == 1)
            return (request.head + request.body, offline)
        }
    }

    @Test(arguments: [
        ["URL/a?b=c", "X:1", "q==ü"], ["URL", "a=b", "c[d]:=1"], ["-f", "PUT", "URL", "a=b c"], ["HEAD", "URL"],
        ["URL", "--raw", "text", "Content-Type:text/plain"], ["-a", "u:p", "URL", "User-Agent:", "Accept:"],
        ["-x", "URL", "--raw", String(repeating: "a", count: 1_000)], ["POST", "URL"],
        ["--multipart", "--boundary=b", "URL", "a=b", "c=d"],
    ])
    func whatIsPrintedIsWhatWouldBeSent(words: [String]) async throws {
        let (sent, printed) = try await both(words)
        #expect(printed.status == 0 && printed.stderr.isEmpty)
        #expect(printed.stdoutBytes == sent)
    }

    @Test func theInputAndFilesAreTheBodyAsEver() async throws {
        let (sent, printed) = try await both(["POST", "URL"], input: .pipe(Array("{}".utf8)))
        #expect(printed.stdoutBytes == sent && printed.stdout.hasSuffix("\r\n\r\n{}"))
        try await withFolder { folder in
            let file = folder.appending(path: "f.txt")
            try Data("content".utf8).write(to: file)
            for words in [["URL", "@\(file.path)"], ["-f", "--boundary", "b", "URL", "f@\(file.path)"]] {
                let (sent, printed) = try await both(words)
                #expect(printed.stdoutBytes == sent && printed.stdout.contains("content"))
            }
        }
    }

    @Test func aChunkedBodyIsPrintedAsItsContent() async throws {
        let run = try await tool("--offline", "--chunked", ":1", "a=b")
        #expect(run.stdout.contains("\r\nTransfer-Encoding: chunked\r\n\r\n{\"a\": \"b\"}"))
    }

    @Test func nothingIsAskedOfTheNetwork() async throws {
        let run = try await tool("--offline", "does-not-exist.invalid/x", "a=b")
        #expect(run.status == 0 && run.stderr.isEmpty)
        #expect(run.stdout.hasPrefix("POST /x HTTP/1.1\r\nHost: does-not-exist.invalid\r\n"))
    }

    @Test func partsCanBeChosen() async throws {
        #expect(try await tool("--offline", "--print=B", ":1", "a=b").stdout == #"{"a": "b"}"#)
        #expect(try await tool("--offline", "--print=H", ":1", "a=b").stdout.hasSuffix("\r\n\r\n"))
        #expect(try await tool("--offline", "--print=hb", ":1", "a=b").stdout.isEmpty)
    }

    @Test func itGoesIntoAFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "request")
            let run = try await tool("--offline", "-o", file.path, ":1/x")
            #expect(run.status == 0 && run.stdout.isEmpty)
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("GET /x HTTP/1.1\r\n"))
        }
    }

    @Test func whatCouldNotBeSentIsAFailure() async throws {
        let length = try await tool("--offline", ":1", "Content-Length:1")
        #expect(length.status == 64 && length.stdout.isEmpty && length.stderr.contains("must not be set"))
        #expect(try await tool("--offline", "http://a b/").status == 64)
        #expect(try await tool("--offline", ":1", "@/nonexistent").status == 1)
    }

    @Test func whatIsCompressedIsNotMadeReadable() async throws {
        let words = ["--offline", "-xx", "--print=B", ":1", "a=b"]
        let plain = try await ToolProcess(words).finished().stdoutBytes
        #expect(plain.starts(with: [0x1F, 0x8B]))
        #expect(try await ToolProcess(words + ["--pretty=format"]).finished().stdoutBytes == plain)
        let shown = try await ToolProcess(words, output: .terminal).finished().stdout
        #expect(shown.contains("binary data, \(plain.count) bytes"), "\(shown)")
    }
}
#endif

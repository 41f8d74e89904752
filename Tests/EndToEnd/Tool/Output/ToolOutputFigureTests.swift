// ToolOutputFigureTests: the tool's output about a call: figures, timings, every exchange, or nothing.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolOutputFigureTests {
    /// A response that ends too early.
    private static let broken: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .close]

    private func run(
        _ reply: Reply, _ arguments: String..., output: ToolProcess.Output = .pipe, environment: [String: String] = [:]
    ) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url) }
            return try await ToolProcess(arguments, output: output, environment: environment).finished()
        }
    }

    /// The labels of the waterfall for each exchange, and the lines above them.
    private func labels(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            line.hasPrefix("  ") ? String(line.dropFirst(2).prefix { $0 != " " && $0 != "," }) : String(line)
        }
    }

    // MARK: Figures

    @Test func figuresTellOfTimeConnectionAndBytes() async throws {
        try await ScriptedServer.start { _ in .ok("12345") }.use { server in
            let answer = try await tool("-m", server.url, "--raw", "123")
            let lines = answer.stdout.split(separator: "\n").map(String.init)
            #expect(lines.count == 7)
            #expect(lines.first?.wholeMatch(of: #/Elapsed time: \d+\.\d{6}s/#) != nil)
            let address = server.url.dropFirst("http://".count)
            #expect(
                Array(lines.dropFirst().dropLast()) == [
                    "HTTP version: HTTP/1.1", "Address: \(address)", "Connection: new", "Sent: 3 bytes",
                    "Received: 5 bytes",
                ])
            #expect(lines.last?.hasPrefix("Times: ") == true && lines.last?.contains("connect ") == true)
        }
    }

    @Test func figuresFollowWhatElseIsPrinted() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        #expect(try await run(.bytes(head + "hi"), "-p", "hbm", "URL").stdout.hasPrefix(head + "hi\n\nElapsed time: "))
        #expect(try await run(.bytes(head + "hi"), "-p", "hm", "URL").stdout.hasPrefix(head + "Elapsed time: "))
        #expect(
            try await run(.bytes(head + "hi"), "-p", "bm", "URL", output: .terminal).stdout
                .hasPrefix("hi\n\nElapsed time: "))
        let verbose = try await run(.bytes(head + "hi"), "-vv", "URL").stdout
        #expect(verbose.hasPrefix("GET / HTTP/1.1\r\n") && verbose.contains(head + "hi\n\nElapsed time: "))
    }

    @Test func `with -vv each response has its own figures`() async throws {
        try await ScriptedServer.start { request in
            request.target == "/b" ? .ok("hi") : .redirect(to: "/b")
        }.use { server in
            for words in [["-vv", "-F"], ["-F", "--all", "--print=hbm"]] {
                let run = try await ToolProcess(words + [server.url + "/a"]).finished()
                let parts = run.stdout.components(separatedBy: "Elapsed time: ")
                #expect(run.status == 0 && parts.count == 3, "\(run)")
                #expect(parts[0].contains("302 ") && !parts[0].contains("200 OK"))
                #expect(parts[1].contains("200 OK") && !parts[1].contains("Exchanges"))
                #expect(parts[2].contains("Total time: ") && parts[2].contains("Exchanges: 2"))
            }
            // Without the responses between, there is one elapsed time, that of all.
            let once = try await ToolProcess(["-F", "-m", server.url + "/a"]).finished()
            #expect(once.stdout.contains("Exchanges: 2") && !once.stdout.contains("Total time"), "\(once)")
        }
    }

    @Test func whatAFailedCallDidIsTold() async throws {
        let answer = try await run(Self.broken, "-p", "bt", "URL")
        #expect(answer.status == 1)
        #expect(answer.stdout.hasPrefix("he\n\nGET http://") && answer.stdout.contains("/ -> 200 OK, then "))
        #expect(labels(answer.stdout).suffix(4) == ["send", "wait", "receive", "total"])
    }

    // MARK: Timings

    @Test func aWaterfallHasEveryPartOfEveryExchange() async throws {
        try await withHTTPBin { url, _ in
            let local = url.replacing("127.0.0.1", with: "localhost")
            let answer = try await tool("-F", "-p", "t", local + "/redirect/1")
            let parts = labels(answer.stdout).filter { $0 != "queue" }
            let address = url.dropFirst("http://".count)
            #expect(
                parts == [
                    "GET \(local)/redirect/1 -> 302 Found", String(address), "DNS", "connect", "send", "wait",
                    "receive",
                    "GET \(local)/get -> 200 OK", String(address), "send", "wait", "receive", "total",
                ])
            #expect(answer.stdout.contains("  \(address), HTTP/1.1, new connection\n"))
            #expect(answer.stdout.contains("  \(address), HTTP/1.1, reused connection\n"))
        }
    }

    @Test func barsFitTheTerminal() async throws {
        for columns in [40, 100] {
            let answer = try await run(
                .ok("x"), "-p", "t", "URL", output: .terminal,
                environment: ["COLUMNS": "\(columns)", "LANG": "en_US.UTF-8", "TERM": "xterm"])
            let lines = answer.stdout.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").split(separator: "\n")
            #expect(lines.dropFirst(2).allSatisfy { $0.count <= columns })
            #expect(lines.contains { $0.contains("█") })
            #expect(answer.stdout.contains("\u{1B}[33m"))
        }
        #expect(!(try await run(.ok("x"), "-p", "t", "URL").stdout.unicodeScalars.contains { !$0.isASCII }))
    }

    @Test func timingsDoNotGetIntoWhatIsRedirected() async throws {
        let answer = try await run(.ok("body"), "--timings", "URL")
        #expect(answer.stdout == "body")
        #expect(labels(answer.stderr).suffix(4) == ["send", "wait", "receive", "total"])
        let terminal = try await run(.ok("body"), "-b", "--timings", "URL", output: .terminal)
        #expect(terminal.stdout.hasPrefix("body\n\nGET http://") && terminal.stderr.isEmpty)
    }

    // MARK: All of it

    @Test func intermediateResponsesArePrintedWithAll() async throws {
        let replies: [Reply] = [
            .bytes("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved"),
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend"),
        ]
        let first = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\n"
        let last = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        try await ScriptedServer.start { replies[$0.target == "/b" ? 1 : 0] }.use { server in
            #expect(try await tool("-F", "-p", "hb", server.url).stdout == last + "end")
            #expect(try await tool("-F", "-p", "hb", "--all", server.url).stdout == first + "moved\n\n" + last + "end")
            #expect(try await tool("-F", "-p", "b", "-P", "h", "--all", server.url).stdout == first + "end")
            // The last of these options counts.
            #expect(try await tool("-F", "-p", "b", "-h", server.url).stdout == last)
            #expect(try await tool("-F", "-h", "-b", "-p", "b", server.url).stdout == "end")
            let verbose = try await tool("-F", "-v", server.url).stdout
            #expect(verbose.contains(first + "moved\n\nGET /b HTTP/1.1\r\n"))
            #expect(verbose.hasSuffix("\r\n\r\n" + last + "end"))
        }
    }

    @Test func informationalResponsesAndTrailersAreShownByVerbose() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let reply = Reply.bytes(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n")
        let verbose = try await run(reply, "-v", "URL")
        #expect(
            verbose.stdout.hasSuffix(
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "hi\n\nX-Sum: 1\r\n"))
        #expect(try await run(reply, "-p", "hb", "URL").stdout == head + "hi")
        #expect(try await run(reply, "-vv", "URL").stdout.contains("hi\n\nX-Sum: 1\r\n\nElapsed time: "))
    }

    // MARK: Quiet

    @Test func quietPrintsNothingButErrorsAndWarnings() async throws {
        let found = try await run(.ok("body"), "-q", "-v", "--timings", "URL", output: .terminal)
        #expect(found.stdout.isEmpty && found.stderr.isEmpty && found.status == 0)
        let missing = try await run(.status(.notFound, "x"), "-q", "URL")
        #expect(missing.stdout.isEmpty && missing.status == 4)
        #expect(missing.stderr == "tsubame: the server answered 404 Not Found\n")
        let silent = try await run(.status(.notFound, "x"), "-qq", "URL")
        #expect(silent.stdout.isEmpty && silent.stderr.isEmpty && silent.status == 4)
        let broken = try await run(Self.broken, "-qq", "URL")
        #expect(broken.stdout.isEmpty && !broken.stderr.isEmpty && broken.status == 1)
    }

    @Test func quietStillWritesTheFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "file").path
            let answer = try await run(.ok("body"), "-q", "-o", file, "URL")
            #expect(answer.stdout.isEmpty && answer.stderr.isEmpty)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "body")
        }
    }
}
#endif

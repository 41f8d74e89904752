// The tool's exit statuses, and what it says when something is wrong.
#if Tool
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolStatusTests {
    private func run(_ reply: Reply, _ arguments: String...) async throws -> ProductRun {
        try await ScriptedServer.start { _ in reply }.use { server in
            try await ToolProcess(arguments + [server.url]).finished()
        }
    }

    // MARK: Status classes

    @Test(arguments: [
        (200, 0), (204, 0), (299, 0), (301, 3), (304, 3), (400, 4), (404, 4), (499, 4), (500, 5), (503, 5), (999, 0),
    ])
    func theExitStatusIsThatOfTheStatusClass(code: Int, exit: Int32) async throws {
        let body = code == 204 || code == 304 ? "" : "Content-Length: 2\r\n"
        let answer = try await run(.bytes("HTTP/1.1 \(code) Reason\r\n\(body)\r\n\(body.isEmpty ? "" : "hi")"))
        #expect(answer.status == exit)
        #expect(answer.stdout == (body.isEmpty ? "" : "hi"))
        #expect(answer.stderr == (exit == 0 ? "" : "tsubame: the server answered \(code) Reason\n"))
    }

    @Test func whoSeesTheStatusIsNotToldTwice() async throws {
        let answer = try await run(.status(.notFound, "no"), "--print=hb")
        #expect(answer.status == 4 && answer.stderr.isEmpty)
    }

    // MARK: Redirects

    @Test func aFollowedRedirectCountsByItsEnd() async throws {
        try await withHTTPBin { url, _ in
            for (words, status) in [
                (["-F", url + "/redirect/5"], 0), (["--follow", url + "/redirect-to?url=/status/404"], 4),
                ([url + "/redirect/1"], 3),
            ] {
                let answer = try await ToolProcess(words).finished()
                #expect(Int(answer.status) == status, "\(answer)")
            }
        }
    }

    @Test func tooManyRedirectsAreSix() async throws {
        try await withHTTPBin { url, log in
            let answer = try await tool("-F", "--max-redirects", "2", url + "/redirect/3")
            #expect(answer.status == 6)
            #expect(answer.stderr.contains("more than 2 redirects"))
            #expect(log.all.count == 3)
            #expect(try await tool("-F", "--max-redirects=3", url + "/redirect/3").status == 0)
            #expect(try await tool("-F", "--max-redirects=0", url + "/redirect/1").status == 6)
        }
    }

    @Test func moreRedirectsThanALibraryCallAllowsCanBeAskedFor() async throws {
        try await ScriptedServer.start { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < 60 ? .redirect(to: "/\(number + 1)") : .ok("there")
        }.use { server in
            let answer = try await tool("-F", "--max-redirects=60", server.url + "/0")
            #expect(answer.status == 0 && answer.stdout == "there")
        }
    }

    @Test func aRedirectThatIsRefusedIsToldAndIsThree() async throws {
        let answer = try await run(.redirect(to: "ftp://127.0.0.1/"), "-F")
        #expect(answer.status == 3)
        #expect(answer.stderr.contains("ftp"))
        #expect(try await run(.bytes("HTTP/1.1 304 Not Modified\r\n\r\n"), "-F").status == 3)
        #expect(
            try await run(.redirect(to: "/there")).stderr == "tsubame: the server answered 302 Found; -F follows it\n")
    }

    @Test func aRedirectThatLeadsNowhereIsAFailure() async throws {
        #expect(try await run(.redirect(to: "http://[::1%25eth0]/"), "-F").status == 1)
    }

    // MARK: Timeouts

    @Test(arguments: [
        Reply.stall, [.bytes("HTTP/1.1 200 OK\r\nContent-Le"), .stall],
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .stall],
    ])
    func aTimeoutIsTwo(reply: Reply) async throws {
        let start = ContinuousClock.now
        let answer = try await run(reply, "--timeout", "0.3")
        #expect(answer.status == 2)
        #expect(answer.stderr.contains("not done after 0.3 s (timeouts.total)"))
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test func noTimeoutIsNone() async throws {
        #expect(try await run(.ok("x"), "--timeout=0").stdout == "x")
    }

    // MARK: Broken exchanges

    @Test(
        arguments: [
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close],
            [.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close],
            [.bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .close],
            [.bytes("HTTP/1.1 200 OK\r\nContent-Le"), .close], .close, .reset,
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .reset],
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), .bytes("no HTTP at all\r\n\r\n"),
            .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
        ] as [Reply])
    func aBrokenExchangeIsNeverZero(reply: Reply) async throws {
        let answer = try await run(reply)
        #expect(answer.status == 1, "\(answer)")
        #expect(answer.stderr.hasPrefix("tsubame: GET http://127.0.0.1:"))
        #expect(answer.stderr.contains(" failed while "))
        #expect("hello".hasPrefix(answer.stdout))
    }

    @Test func anAnswerOverTLSThatIsCutOffIsAFailure() async throws {
        let reply: Reply = [.bytes("HTTP/1.1 200 OK\r\n\r\nhalf"), .cutOff]
        try await ScriptedServer.start(tls: .localhost) { _ in reply }.use { server in
            let answer = try await tool("--verify=no", server.url)
            #expect(answer.status == 1)
            #expect(answer.stderr.contains("close_notify"))
        }
    }

    @Test func aServerThatIsNotThereIsAFailureInWords() async throws {
        let dead = try DeadPort()
        let port = dead.number
        let answer = try await tool(":\(port)/x")
        withExtendedLifetime(dead) {}
        #expect(answer.status == 1 && answer.stdout.isEmpty)
        #expect(answer.stderr.contains("GET http://localhost:\(port)/x failed while connecting"))
        #expect(answer.stderr.contains("refused"))
    }

    @Test func aHostThatDoesNotExistIsAFailureInWords() async throws {
        let answer = try await tool("http://does-not-exist.invalid/")
        #expect(answer.status == 1)
        #expect(answer.stderr.contains("does-not-exist.invalid has no address"))
    }

    @Test func secretsStayOutOfErrors() async throws {
        let dead = try DeadPort()
        let answer = try await tool("-a", "user:pa55word", "http://u:pa55word@127.0.0.1:\(dead.number)/?token=pa55word")
        withExtendedLifetime(dead) {}
        #expect(answer.status == 1)
        #expect(!answer.shown.contains("pa55word"))
    }

    @Test(arguments: ["ftp://example.test", "http://", "http://a b/", "http://127.0.0.1:99999/", "http://a@b@c/"])
    func aURLThatIsNoneIsAFailureInWords(url: String) async throws {
        let answer = try await tool(url)
        #expect(answer.status == 1)
        #expect(answer.stderr.contains("the URL "))
    }

    // MARK: Usage

    @Test(arguments: [
        (["URL", "foo"], "“foo” is no item"), (["URL", "a:=nope"], "“a:=nope” has no valid JSON: see byte 2"),
        (["URL", "a:={\"b\":"], "it ends too early"), (["URL", "X:a\nb"], "control character"),
        (["URL", "bad name:x"], "“bad name” is no name of a field"), (["URL", "X;y"], "“X;y”"),
        (["URL", "Host:"], "Host"), (["URL", "=x"], "no name"), (["URL", "f@/dev/null"], "add --form"),
        (["-f", "URL", "f@/dev/null;type=x"], "no media type"),
        (["--multipart", "URL", "--raw", "x"], "--multipart"), (["--multipart", "-j", "URL"], "exclude each other"),
        (["URL", "@/dev/null", "a=1"], "whole body"), (["URL", "a[b=1"], "“]” is missing"),
        (["-f", "URL", "a:=[1]"], "form"),
        (["URL", "a=1", "--raw", "x"], "cannot both be sent"), (["-f", "-j", "URL"], "exclude each other"),
        (["URL", "--raw", "@-", "--ignore-stdin"], "--ignore-stdin"), (["URL", "--unknown"], "--unknown"),
        (["URL", "--print=x"], "--print"), (["URL", "--timeout", "soon"], "--timeout"),
        (["URL", "--timeout", "nan"], "--timeout"), (["URL", "--timeout", "1e300"], "--timeout"),
        (["URL", "--resolve", "host:1"], "--resolve"), (["URL", "--verify", "maybe"], "--verify"),
        (["URL", "--pretty", "x"], "--pretty"), (["URL", "-a", "user"], "--auth"),
        (["URL", "--max-redirects", "-1"], "max-redirects"), (["GET"], "no URL"), ([], "no URL"),
        (["serve", "--port", "65536"], "--port"),
    ])
    func wrongUsageIsToldAndNothingIsSent(words: [String], text: String) async throws {
        try await ScriptedServer.start().use { server in
            let answer = try await ToolProcess(words.map { $0.replacing("URL", with: server.url) }).finished()
            #expect(answer.status == 64, "\(answer)")
            #expect(answer.stderr.contains(text), "\(answer)")
            #expect(answer.stdout.isEmpty)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func fieldsThatFollowFromTheBodyCannotBeSet() async throws {
        for name in ["Content-Length", "Transfer-Encoding"] {
            let answer = try await ScriptedServer.start().use { try await tool($0.url, "\(name):1") }
            #expect(answer.status == 1)
            #expect(answer.stderr.contains("\(name) must not be set"))
        }
    }

    @Test func aFileThatIsNotThereIsAFailure() async throws {
        for words in [["a=@/nonexistent"], ["--raw", "@/nonexistent"], ["@/nonexistent"], ["-f", "a@/nonexistent"]] {
            let answer = try await ScriptedServer.start().use { server in
                try await ToolProcess([server.url] + words).finished()
            }
            #expect(answer.status == 1)
            #expect(answer.stderr.contains("the file /nonexistent cannot be read: No such file"))
        }
    }
}
#endif

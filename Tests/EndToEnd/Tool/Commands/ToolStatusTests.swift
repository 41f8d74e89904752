// ToolStatusTests: the tool's exit statuses and its error messages.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Synchronization
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
        (200, 0), (204, 0), (299, 0), (301, 3), (304, 3), (400, 4), (404, 4), (499, 4), (500, 5), (503, 5), (600, 5),
        (999, 5),
    ])
    func theExitStatusIsThatOfTheStatusClass(code: Int, exit: Int32) async throws {
        let body = code == 204 || code == 304 ? "" : "Content-Length: 2\r\n"
        let answer = try await run(.bytes("HTTP/1.1 \(code) Reason\r\n\(body)\r\n\(body.isEmpty ? "" : "hi")"))
        #expect(answer.status == exit)
        #expect(answer.stdout == (body.isEmpty ? "" : "hi"))
        #expect(answer.stderr == (exit == 0 ? "" : "tsubame: the server answered \(code) Reason\n"))
    }

    @Test(arguments: [302, 404, 503]) func aStatusIsNoFailureIfItIsNotToBe(code: Int) async throws {
        let reply = Reply.bytes("HTTP/1.1 \(code) Reason\r\nContent-Length: 2\r\n\r\nhi")
        let ignored = try await run(reply, "--no-check-status")
        #expect(ignored.status == 0 && ignored.stdout == "hi", "\(ignored)")
        #expect(ignored.stderr == "tsubame: the server answered \(code) Reason\n")
        // The same statuses as HTTPie's.
        #expect(try await run(reply, "--check-status").status == Int32(code / 100))
        // A broken transfer fails nevertheless.
        #expect(
            try await run([.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .close], "--no-check-status")
                .status == 1)
    }

    @Test func anErrorsPageInAFileIsTold() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            for parts in ["b", "hb"] {
                let answer = try await run(.status(.notFound, "no"), "-p", parts, "-o", file.path)
                #expect(answer.status == 4 && answer.stderr == "tsubame: the server answered 404 Not Found\n")
                #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("no"))
            }
        }
    }

    @Test func aStatusThatDoesNotExistReplacesNoFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "out")
            try Data("good".utf8).write(to: file)
            for options in [["-o"], ["-d", "-o"]] {
                let reply = Reply.bytes("HTTP/1.1 999 Reason\r\nContent-Length: 2\r\n\r\nno")
                let answer = try await ScriptedServer.start { _ in reply }.use { server in
                    try await ToolProcess(options + [file.path, server.url]).finished()
                }
                #expect(answer.status == 5 && answer.stderr.contains("999"), "\(answer)")
                #expect(try String(contentsOf: file, encoding: .utf8) == "good")
            }
        }
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

    @Test func whatIsOnTheWayIsPrintedIfAllIsAskedFor() async throws {
        try await withHTTPBin { url, _ in
            for (words, count) in [(["-F", "-h"], 1), (["-F", "-h", "--all"], 3)] {
                let answer = try await ToolProcess(words + [url + "/redirect/2"]).finished()
                #expect(answer.status == 0 && answer.stdout.ranges(of: "HTTP/1.1 ").count == count, "\(answer)")
            }
        }
    }

    // MARK: Interruption

    @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedCallIsToldByItsSignal(signal: Int32) async throws {
        let gate = Gate()
        try await ScriptedServer.start { _ in .ok("late").after(gate) }.use { server in
            let tool = try ToolProcess([server.url])
            try await gate.waitForArrivals(1)
            tool.send(signal: signal)
            let answer = try await tool.finished()
            #expect(answer.status == 128 + signal && answer.shown.isEmpty, "\(answer)")
        }
    }

    // MARK: Retries

    @Test func whatMayPassIsSentAgainAsOftenAsAsked() async throws {
        let reply = Reply.status(.serviceUnavailable, "no", headers: [.retryAfter: "0"])
        try await ScriptedServer.start { _ in reply }.use { server in
            let answer = try await tool("--retry=2", server.url)
            #expect(answer.status == 5 && answer.stdout == "no", "\(answer)")
            #expect(answer.stderr.contains("503, retry 1 of 2, in 0 s") && answer.stderr.contains("retry 2 of 2"))
            #expect(server.requests.count == 3)
            // The tool retries as often as asked, for any number.
            #expect(try await tool("--retry", "15", server.url).status == 5)
            #expect(server.requests.count == 19)
            // Without an explicit option the tool retries nothing, and it never retries requests that may not be
            // repeated.
            #expect(try await tool("--retry=2", "POST", server.url, "a=1").status == 5)
            #expect(try await tool(server.url).status == 5)
            #expect(server.requests.count == 21)
        }
    }

    @Test func anAnswerAfterARetryCounts() async throws {
        let isLater = Atomic(false)
        try await ScriptedServer.start { _ in
            isLater.exchange(true, ordering: .relaxed) ? .ok("there") : .close
        }.use { server in
            let answer = try await tool("--retry=1", server.url)
            #expect(answer.status == 0 && answer.stdout == "there", "\(answer)")
            #expect(answer.stderr.contains("retry 1 of 1"))
        }
    }

    // MARK: Expect

    @Test func aRefusedExpectationIsLeftOut() async throws {
        try await ScriptedServer.start(onHead: { request in
            request["expect"] == nil
                ? [.wholeRequest, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
                : .status(.expectationFailed)
        }).use { server in
            let answer = try await tool("-p", "Hb", server.url, "a=1", "Expect:100-continue")
            #expect(answer.status == 0 && answer.stdout.hasSuffix("\r\n\r\nok"), "\(answer)")
            #expect(answer.stdout.ranges(of: "POST / ").count == 2 && answer.stdout.ranges(of: "Expect:").count == 1)
        }
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
        #expect(answer.stderr.contains("not done after 0.3 s (--timeout)"))
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test(
        arguments: [
            (Reply.stall, "--head-timeout", "no response head within 0.3 s of the request (--head-timeout)"),
            (
                [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .stall], "--idle-timeout",
                "no byte moved for 0.3 s (--idle-timeout)"
            ),
        ] as [(Reply, String, String)])
    func eachDeadlineHasAFlagAndIsToldByIt(reply: Reply, flag: String, text: String) async throws {
        let start = ContinuousClock.now
        // The timeout for the whole call does not disable this one.
        let answer = try await run(reply, flag, "0.3", "--timeout", "60")
        #expect(answer.status == 2 && answer.stderr.contains(text), "\(answer)")
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test func aHandshakeThatIsNotAnsweredIsATimeout() async throws {
        // An HTTP server could find a line in the random bytes of a handshake and answer, so this port is silent.
        let server = try SilentPort()
        let answer = try await tool("--tls-timeout=0.3", "https://127.0.0.1:\(server.port)/")
        #expect(answer.status == 2, "\(answer)")
        #expect(answer.stderr.contains("no TLS connection to 127.0.0.1:\(server.port) within 0.3 s (--tls-timeout)"))
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

    @Test func theWrongSchemeIsToldByWhatToTry() async throws {
        let alert: Reply = [.bytes([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]), .close]
        for (reply, text) in [(alert, "no HTTP/1 but TLS: try https://"), (.close, "try https://")] {
            let answer = try await run(reply)
            #expect(answer.status == 1 && answer.stderr.contains(text), "\(answer)")
        }
        try await withHTTPBin { url, _ in
            let answer = try await tool(url.replacing("http:", with: "https:"))
            #expect(answer.status == 1 && answer.stderr.contains("does not speak TLS on this port\n  try http://"))
        }
    }

    @Test func aProxyThatSpeaksNoTLSIsBlamedItself() async throws {
        let plain: Reply = [.bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .stall]
        try await ScriptedServer.start(onConnect: { _ in plain }).use { server in
            let proxy = "https://127.0.0.1:\(server.port)"
            let answer = try await tool("--proxy", proxy, "http://a.example/")
            let text = "the proxy 127.0.0.1 does not speak TLS on this port\n  try http:// in the proxy's URL"
            #expect(answer.status == 1 && answer.stderr.contains(text), "\(answer)")
        }
    }

    @Test func aLimitWithoutAFlagHasNoName() async throws {
        let line = String(repeating: "a", count: 70_000)
        let answer = try await run([.bytes("HTTP/1.1 200 OK\r\nX: \(line)\r\n\r\n"), .stall])
        #expect(answer.status == 1 && answer.stderr.contains("65536 bytes"), "\(answer)")
        #expect(!answer.stderr.contains("limits."), "\(answer)")
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
    func aURLThatIsNoneIsWrongUsageInWords(url: String) async throws {
        let answer = try await tool(url)
        #expect(answer.status == 64)
        #expect(answer.stderr.contains("the URL "))
    }

    @Test func aCharsetThatNobodyKnowsIsTold() async throws {
        let reply = Reply.ok("text", headers: [.contentType: "text/plain; charset=x-none"])
        try await ScriptedServer.start { _ in reply }.use { server in
            let shown = try await ToolProcess([server.url], output: .terminal).finished()
            #expect(shown.status == 0 && shown.stderr.contains("the charset “x-none” is not known"), "\(shown)")
            // Without decoding no information is lost, so there is no warning.
            #expect(try await tool(server.url).stderr.isEmpty)
        }
    }

    @Test(arguments: [("rot13", "rot13"), ("gzip, x-thing ", "x-thing"), ("identity", nil)])
    func aCodingThatNobodyKnowsIsTold(coding: String, name: String?) async throws {
        let reply = Reply.ok("text", headers: [.contentEncoding: coding])
        try await ScriptedServer.start { _ in reply }.use { server in
            let run = try await ToolProcess([server.url]).finished()
            #expect(run.status == 0 && run.stdout == "text", "\(run)")
            #expect(
                run.stderr
                    == (name.map {
                        "tsubame: the content coding “\($0)” is not known: the body is as it was received\n"
                    } ?? ""))
            #expect(try await ToolProcess(["-h", server.url]).finished().stderr.isEmpty)
        }
    }

    // MARK: Usage

    @Test func aCommandThatIsNotFirstIsToldToBe() async throws {
        let answer = try await tool("--port", "8080", "serve")
        #expect(answer.status == 64 && answer.stderr.contains("its name comes first: tsubame serve"), "\(answer)")
    }

    @Test func aServerThatCannotListenSaysWhyInWords() async throws {
        let answer = try await tool("serve", "--host", "no-such-host.invalid", "--port", "0")
        #expect(answer.status == 1, "\(answer)")
        #expect(answer.stderr == "tsubame: cannot listen on no-such-host.invalid, port 0: the host has no address\n")
    }

    @Test(arguments: [
        ("serv", "serve"), ("serev", "serve"), ("dmeo", "demo"), ("hlep", "help"), ("wach", "watch"),
        ("uplod", "upload"), ("Bench", "bench"), ("runn", "run"), ("wattch", "watch"),
    ])
    func `a misspelt command is not taken for a host`(word: String, meant: String) async throws {
        for words in [[word], [word, "--port", "0"]] {
            let run = try await ToolProcess(words).finished()
            #expect(run.status == 64 && run.stdout.isEmpty)
            #expect(run.stderr.contains("There is no command “\(word)”; is \(meant) meant?"), "\(run)")
            #expect(run.stderr.contains("https://\(word)/"))
        }
        let late = try await ToolProcess(["-v", meant]).finished()
        #expect(late.status == 64 && late.stderr.contains("comes first: tsubame \(meant)"), "\(late)")
        for host in ["server", "helper", "memo", "observe"] {
            #expect(try await ToolProcess(["--offline", host]).finished().status == 0)
        }
        let offline = try await ToolProcess(["--offline", "-p", "H", "http://\(word)/"]).finished()
        #expect(offline.status == 0 && offline.stdout.contains("Host: \(word.lowercased())\r\n"), "\(offline)")
    }

    @Test(arguments: [
        (["URL", "foo"], "“foo” is not an item"), (["URL", "a:=nope"], "“a:=nope” has no valid JSON: see byte 2"),
        (["URL", "a:={\"b\":"], "it ends too early"), (["URL", "X:a\nb"], "control character"),
        (["URL", "bad name:x"], "“bad name” is not a field name"), (["URL", "X;y"], "“X;y”"),
        (["URL", "Host:"], "Host"), (["URL", "==x"], "no name"), (["URL", ":x"], "no name"),
        (["URL", "f@/dev/null"], "add --form"),
        (["-f", "URL", "f@/dev/null;type=x"], "no media type"),
        (["--multipart", "URL", "--raw", "x"], "--multipart"), (["--multipart", "-j", "URL"], "exclude each other"),
        (["URL", "@/dev/null", "a=1"], "whole body"), (["URL", "a[b=1"], "“]” is missing"),
        (["-f", "URL", "a:=[1]"], "form"),
        (["URL", "a=1", "--raw", "x"], "only one can be sent"), (["-f", "-j", "URL"], "exclude each other"),
        (["URL", "--raw", "@-", "--ignore-stdin"], "--ignore-stdin"), (["URL", "--unknown"], "--unknown"),
        (["URL", "--print=x"], "--print"), (["URL", "--timeout", "soon"], "--timeout"),
        (["URL", "--timeout", "nan"], "--timeout"), (["URL", "--timeout", "1e300"], "--timeout"),
        (["URL", "--resolve", "host:1"], "--resolve"), (["URL", "--verify", "maybe"], "--verify"),
        (["URL", "--pretty", "x"], "--pretty"),
        (["URL", "--max-redirects", "-1"], "--max-redirects is a number from 0"),
        (["URL", "--retry", "-1"], "--retry is a number from 0"), (["GET"], "no URL"), ([], "no URL"),
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
            #expect(answer.status == 64)
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

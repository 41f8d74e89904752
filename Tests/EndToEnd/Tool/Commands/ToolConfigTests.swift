// ToolConfigTests: the tool's file of default options.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolConfigTests {
    /// Runs the tool with these default options.
    private func run(_ config: String, _ words: String...) async throws -> ProductRun {
        try await run(config, words)
    }

    private func run(_ config: String, _ words: [String]) async throws -> ProductRun {
        try await withFolder { folder in
            let own = folder.appending(path: "tsubame")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            try Data(config.utf8).write(to: own.appending(path: "config"))
            return try await ToolProcess(words, environment: ["XDG_CONFIG_HOME": folder.path]).finished()
        }
    }

    /// The head of the request that these arguments make, without sending it.
    private func head(_ config: String, _ words: String...) async throws -> String {
        let run = try await run(config, ["--offline"] + words)
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        return run.stdout
    }

    private static let everyKind = """
        # What everybody here needs.
        --form   # not JSON

        \t--auth "us er:pa'ss"
        --boundary='a b'
        --default-scheme http

        """

    @Test func itsOptionsAreThoseOfEveryRequest() async throws {
        let text = try await head(Self.everyKind, "example.test:81", "a=b")
        #expect(text.contains("\r\nAuthorization: Basic dXMgZXI6cGEnc3M=\r\n"))
        #expect(text.hasSuffix("\r\n\r\na=b"))
        #expect(try await head(Self.everyKind, "--multipart", ":1", "a=b").contains("boundary=\"a b\""))
    }

    @Test func `a default that only requests have is no mistake for another command, also if it is taken back`()
        async throws
    {
        let run = try await run("--no-check-status\n--check-status\n--form", "cache")
        #expect(run.status == 1 && !run.stderr.contains("warning"), "\(run)")
    }

    @Test func `an option that counts replaces its default, and does not add to it`() async throws {
        #expect(try await head("--compress", "-x", ":1", "a=b").contains("Content-Encoding") == false)
        let run = try await run("--quiet", "-q", "http://127.0.0.1:1/")
        #expect(run.status == 1 && run.stderr.contains("refused"), "\(run)")
    }

    @Test func theCommandLineWins() async throws {
        #expect(try await head("--auth a:b\n--form", "-a", "c:d", "-j", ":1", "x=y").contains("Basic Yzpk\r\n"))
        #expect(try await head("--form", "--json", ":1", "x=y").hasSuffix(#"{"x": "y"}"#))
        #expect(try await head("--json", "-f", ":1", "x=y").hasSuffix("\r\n\r\nx=y"))
        #expect(try await head("--print=H", "--print=B", ":1", "x=y") == #"{"x": "y"}"#)
    }

    @Test(arguments: [
        ["--no-form"], ["--ignore-config"], ["--no-form", "-f", "--form"], ["-f", "--no-form"], ["-fI", "--no-form"],
    ])
    func anOptionCanBeTakenBack(words: [String]) async throws {
        let run = try await run("--form", ["--offline", "--print=B", ":1", "x=y"] + words)
        #expect(run.status == 0 && run.stdout == #"{"x": "y"}"#, "\(run)")
    }

    @Test func anOptionWithAValueIsTakenBackWithIt() async throws {
        let plain = try await head("", ":1")
        #expect(try await head("--auth a:b\n--timeout=3", "--no-auth", ":1") == plain)
        #expect(try await head("--auth=a:b", "--no-auth", "-a", "c:d", ":1", "--no-timeout") == plain)
        #expect(try await head("", "--auth", "--no-auth:x", ":1").contains("Authorization"), "it is a value here")
        let unknown = try await run("", "--no-such-thing", ":1")
        #expect(unknown.status == 64 && unknown.stderr.contains("--no-such-thing"))
    }

    @Test(arguments: [
        ("\n--bogus\n", ":2: ", "--bogus"), ("# x\n\n--timeout soon", ":3: ", "soon"),
        ("--follow --form", ":1: ", "one option a line"), ("example.test", ":1: ", "“example.test” is no option"),
        ("--follow\r\n-F\r\n", ":2: ", "long name"), ("--style 'a", ":1: ", "quote"), ("--help", ":1: ", "--help"),
        ("--follow yes", ":1: ", "--follow"), ("--follow -v", ":1: ", "one option"),
        ("--timeout=1 2", ":1: ", "one option a line"), ("a proxy is needed", ":1: ", "“a” is no option"),
    ])
    func aMistakeIsToldWithFileAndLineAndTheOtherLinesCount(config: String, place: String, text: String) async throws {
        try await ScriptedServer.start { .ok($0["x-mark"] ?? "none") }.use { server in
            let run = try await run(config + "\n--print=hb\n", server.url, "X-Mark:here")
            #expect(
                run.status == 0 && run.stdout.hasPrefix("HTTP/1.1 200 OK\r\n") && run.stdout.hasSuffix("here"), "\(run)"
            )
            #expect(run.stderr.hasPrefix("tsubame: warning: ") && run.stderr.contains("The line has no effect."))
            #expect(run.stderr.contains("/tsubame/config\(place)") && run.stderr.contains(text), "\(run)")
        }
    }

    /// Without such a line, a request could go another way than its user believes.
    @Test(arguments: [
        ("--verify", "--verify"), ("--auth 'a:b", "quote"), ("--proxy=http:http//x", "--proxy"),
        ("--tls-min 3", "--tls-min"), ("--max-connections=0", "--max-connections"),
        ("-a me:hidden", "long name"), ("-Adigest", "long name"), ("--no-verify", "verify"),
        ("-va me:hidden", "long name"), ("'-a' me:hidden", "long name"), ("--follow --proxy=http://p", "one option"),
        ("\"--proxy\" 'http://p", "quote"),
    ])
    func aMistakeAboutTheWayOfARequestEndsTheTool(config: String, text: String) async throws {
        try await ScriptedServer.start().use { server in
            let run = try await run("--form\n" + config, server.url)
            #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
            #expect(run.stderr.contains("/tsubame/config:2: ") && run.stderr.contains(text), "\(run)")
            #expect(!run.stderr.contains("hidden") && server.acceptedConnections == 0)
        }
    }

    @Test func warningsCanBeSilencedAndFollowNoOtherMistake() async throws {
        #expect(try await run("--bogus", "-qq", "--offline", ":1").stderr.isEmpty)
        let other = try await run("--cert-key=/k\n--cert=/c", "--max-headers=999999", ":1")
        #expect(other.status == 64 && other.stderr.contains("--max-headers"), "\(other)")
        #expect(!other.stderr.contains("/config"), "\(other)")
    }

    @Test func aValueOutOfItsRangeIsAMistakeOfItsLine() async throws {
        let run = try await run("--max-redirects=-5\n--form", "--offline", "--print=B", ":1", "a=b")
        #expect(run.status == 0 && run.stdout == "a=b", "\(run)")
        #expect(run.stderr.contains("/tsubame/config:1: --max-redirects is a number"), "\(run)")
    }

    @Test func aDefaultThatNeedsAnotherIsNoMistake() async throws {
        let run = try await run("--cert-key=/k\n--cert=/c", "--offline", "--print=B", ":1", "a=b")
        #expect(!run.stderr.contains("/config:1"), "\(run)")
    }

    @Test func aMistakeOnTheCommandLineIsNotTheFiles() async throws {
        let run = try await run("--form", "--bogus", ":1")
        #expect(run.status == 64 && run.stderr.contains("--bogus") && !run.stderr.contains("/config"))
    }

    @Test func helpIsThereWhateverTheFileSays() async throws {
        for words in ["--help", "--version", "help"] { #expect(try await run("--bogus", words).status == 0) }
    }

    @Test func theOtherCommandsDoNotReadIt() async throws {
        let run = try await run("--bogus", "serve", "--port", "65536")
        #expect(run.stderr.contains("--port is") && !run.stderr.contains("/config"), "\(run)")
    }

    @Test func withoutXDGItLiesInTheHome() async throws {
        try await withFolder { home in
            let own = home.appending(path: ".config/tsubame")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            try Data("--print=B".utf8).write(to: own.appending(path: "config"))
            for folder in ["", "relative"] {
                let run = try await ToolProcess(
                    ["--offline", ":1", "a=b"], environment: ["XDG_CONFIG_HOME": folder, "HOME": home.path]
                ).finished()
                #expect(run.stdout == #"{"a": "b"}"#, "\(run)")
            }
        }
    }

    @Test func aFileThatCannotBeReadIsToldOfAndNotFollowed() async throws {
        try await withFolder { folder in
            let own = folder.appending(path: "tsubame/config")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let run = try await ToolProcess(
                ["--offline", "--print=B", ":1", "a=b"], environment: ["XDG_CONFIG_HOME": folder.path]
            ).finished()
            #expect(run.status == 0 && run.stdout == #"{"a": "b"}"#)
            #expect(run.stderr.hasPrefix("tsubame: ") && run.stderr.contains("no default options"))
        }
    }
}
#endif

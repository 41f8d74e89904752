// ToolAuthTests: the tool's credentials from --auth, the URL, a netrc file and a terminal.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolAuthTests {
    private static func basic(_ pair: String) -> String { "Basic " + Data(pair.utf8).base64EncodedString() }

    /// Runs the tool against a server that returns the Authorization field. `URL` and `HOST` in arguments stand for the
    /// server.
    private func authorization(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> String {
        try await ScriptedServer.start { .ok($0["authorization"] ?? "none") }.use { server in
            let run = try await ToolProcess(
                arguments.map {
                    $0.replacing("URL", with: server.url).replacing("HOST", with: "127.0.0.1:\(server.port)")
                }, environment: ["NETRC": "", "HOME": "/nonexistent"].merging(environment) { $1 }
            ).finished()
            #expect(run.status == 0, "\(run)")
            return run.stdout
        }
    }

    // MARK: Which ones

    @Test func credentialsAreSentAtOnce() async throws {
        #expect(try await authorization("-a", "user:pa:ss", "URL") == Self.basic("user:pa:ss"))
        #expect(try await authorization("--auth=:", "URL") == Self.basic(":"))
        #expect(try await authorization("-A", "basic", "-a", "燕:-x", "URL") == Self.basic("燕:-x"))
        #expect(try await authorization("--auth-type=bearer", "--auth", "tok:en", "URL") == "Bearer tok:en")
    }

    @Test func whatIsGivenByHandCountsInsteadOfTheURLs() async throws {
        #expect(try await authorization("http://a:b%40@HOST") == Self.basic("a:b@"))
        #expect(try await authorization("-a", "u:p", "http://a:b@HOST/x?y#z") == Self.basic("u:p"))
        #expect(try await authorization("-A", "bearer", "-a", "token", "http://a:b@HOST") == "Bearer token")
        #expect(try await authorization("-a", "u:p", "URL", "Authorization:own") == "own")
    }

    @Test func credentialsStayWithTheirOrigin() async throws {
        try await ScriptedServer.start { .ok($0["authorization"] ?? "none") }.use { other in
            try await ScriptedServer.start { _ in .redirect(to: other.url) }.use { server in
                let run = try await tool("-F", "-a", "u:p", server.url)
                #expect(run.stdout == "none", "\(run)")
            }
        }
    }

    @Test func `-A any sends the scheme that the server asks for`() async throws {
        try await withHTTPBin { url, log in
            for (path, scheme) in [("/basic-auth/u/p", "Basic "), ("/digest-auth/auth/u/p", "Digest ")] {
                let before = log.all.count
                let run = try await tool("-A", "any", "-a", "u:p", "-v", url + path)
                #expect(run.status == 0 && log.all.count == before + 2, "\(run)")
                let lines = run.stdout.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Authorization: ") }
                #expect(lines.count == 1 && lines[0].hasPrefix("Authorization: " + scheme), "\(run)")
            }
        }
    }

    // MARK: Digest

    @Test func aChallengeOfDigestIsAnsweredAndThePasswordIsNeverSent() async throws {
        try await withHTTPBin { url, log in
            for (number, words) in [
                ["-A", "digest", "-a", "u:p", url + "/digest-auth/auth/u/p"],
                ["-A", "digest", url.replacing("://", with: "://u:p@") + "/digest-auth/auth/u/p"],
            ].enumerated() {
                let run = try await ToolProcess(words).finished()
                #expect(run.status == 0 && run.stdout.contains("\"authenticated\": true"), "\(run)")
                let fields = log.all.dropFirst(2 * number).map { $0["authorization"] ?? "" }
                #expect(fields.count == 2 && fields.first == "")
                #expect(fields.last?.hasPrefix("Digest ") == true)
            }
            let wrong = try await tool("-A", "digest", "-a", "u:x", url + "/digest-auth/auth/u/p")
            #expect(wrong.status == 4 && wrong.stderr.contains("the server refuses the answer"), "\(wrong)")
        }
    }

    // MARK: netrc

    @Test func aNetrcFileIsReadUnlessItIsNotToBe() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: ".netrc")
            try Data("machine 127.0.0.1 login n password s\n".utf8).write(to: file)
            let home = ["HOME": folder.path]
            #expect(try await authorization("URL", environment: home) == Self.basic("n:s"))
            #expect(try await authorization("URL", environment: ["NETRC": file.path]) == Self.basic("n:s"))
            #expect(try await authorization("--ignore-netrc", "URL", environment: home) == "none")
            #expect(try await authorization("-a", "u:p", "URL", environment: home) == Self.basic("u:p"))
            #expect(try await authorization("http://a:b@HOST", environment: home) == Self.basic("a:b"))
            try FileManager.default.moveItem(at: file, to: folder.appending(path: "_netrc"))
            #expect(try await authorization("URL", environment: home) == Self.basic("n:s"))
            try Data("machine 127.0.0.1 login o password t\n".utf8).write(to: file)
            #expect(try await authorization("URL", environment: home) == Self.basic("o:t"))
        }
    }

    @Test func aNetrcFileGivesTheCredentialsOfAnAuthType() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: ".netrc")
            try Data("machine 127.0.0.1 login n password s\nmachine a.example password p\n".utf8).write(to: file)
            let home = ["HOME": folder.path]
            #expect(try await authorization("-A", "bearer", "URL", environment: home) == "Bearer s")
            #expect(try await authorization("-A", "basic", "URL", environment: home) == Self.basic("n:s"))
            // The file keeps them, and no session.
            let session = folder.appending(path: "s.json").path
            #expect(
                try await authorization("-A", "bearer", "--session", session, "URL", environment: home) == "Bearer s")
            #expect(
                try await authorization("--ignore-netrc", "--session", session, "URL", environment: home) == "none")
            let empty = try await ToolProcess(["-A", "bearer", "-a", "", "http://127.0.0.1:1/"]).finished()
            #expect(empty.status == 64 && empty.stderr.contains("The token is empty"), "\(empty)")
            #expect(
                try await authorization("-A", "digest", "URL", environment: home) == "none", "it waits for a challenge")
            for words in [
                ["-A", "bearer", "--ignore-netrc", "http://127.0.0.1/"], ["-A", "digest", "http://a.example/"],
            ] {
                let run = try await ToolProcess(words, environment: home).finished()
                #expect(run.status == 64 && run.stderr.contains("needs --auth"), "\(run)")
            }
        }
    }

    @Test func anEntryWithoutALoginIsNoLogin() async throws {
        try await withFolder { folder in
            try Data("machine 127.0.0.1 password s\n".utf8).write(to: folder.appending(path: ".netrc"))
            let home = ["HOME": folder.path]
            #expect(try await authorization("URL", environment: home) == "none")
            // A token needs none.
            #expect(try await authorization("-A", "bearer", "URL", environment: home) == "Bearer s")
            #expect(try await authorization("--bearer", "t", "URL", environment: home) == "Bearer t")
        }
    }

    @Test func ignoringTheInputAsksForNothing() async throws {
        let run = try await ToolProcess(["-I", "-a", "user", "http://127.0.0.1:1/"], asks: true).finished()
        #expect(
            run.status == 64 && run.stderr.contains("--ignore-stdin does not ask for the password of user@"), "\(run)")
    }

    @Test func aNetrcFileThatMakesNoSenseIsAFailureThatSaysHowToGoWithout() async throws {
        try await withFolder { folder in
            try Data("machine a login n geheim\n".utf8).write(to: folder.appending(path: ".netrc"))
            try await ScriptedServer.start().use { server in
                let run = try await ToolProcess([server.url], environment: ["HOME": folder.path, "NETRC": ""])
                    .finished()
                #expect(run.status == 1 && run.stderr.contains("line 1") && !run.stderr.contains("geheim"), "\(run)")
                #expect(run.stderr.contains("--ignore-netrc"))
                #expect(server.requests.isEmpty)
            }
        }
    }

    // MARK: Asking

    @Test func aMissingPasswordIsAskedForAndNotShown() async throws {
        try await ScriptedServer.start { .ok($0["authorization"] ?? "none") }.use { server in
            let tool = try ToolProcess(["-b", "-a", "user", server.url], output: .terminal, asks: true)
            // The typed text has a mistake, which a backspace removes.
            try await tool.answer("password of user@127.0.0.1:\(server.port): ", with: "geheé\u{7F}im\n")
            let run = try await tool.finished()
            #expect(run.status == 0, "\(run)")
            #expect(run.stdout.contains(Self.basic("user:geheim")) && !run.stdout.contains("gehe"), "\(run)")
        }
    }

    @Test func oneServersPasswordIsAskedForOnce() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { .ok($0["authorization"] ?? "none") }.use { server in
                let words = ["-q", "-d", "-a", "user", "\(server.url)/a", "\(server.url)/b", "\(server.url)/c"]
                let tool = try ToolProcess(words, output: .terminal, directory: folder, asks: true)
                try await tool.answer("password of user@127.0.0.1:\(server.port): ", with: "geheim\n")
                let run = try await tool.finished()
                #expect(run.status == 0, "\(run)")
                for name in ["a", "b", "c"] {
                    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                    #expect(text == Self.basic("user:geheim"))
                }
            }
        }
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT]) func aTerminalIsPutRightHoweverTheQuestionEnds(signal: Int32)
        async throws
    {
        let tool = try ToolProcess(["-a", "user", "http://a.example/"], output: .terminal, asks: true)
        _ = try await tool.printed(": ")
        #expect(!tool.echoes)
        tool.send(signal: signal)
        try await tool.exited()
        #expect(tool.echoes)
        #expect(try await tool.finished().status == 128 + signal)
    }

    @Test func whoDoesNotAnswerSendsNothing() async throws {
        try await ScriptedServer.start().use { server in
            for (typed, status) in [("pa\u{3}", 130), ("\u{4}", 64)] {
                let tool = try ToolProcess(["-a", "user", server.url], output: .terminal, asks: true)
                try await tool.answer(": ", with: typed)
                let run = try await tool.finished()
                #expect(Int(run.status) == status, "\(run)")
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func withoutATerminalThereIsNobodyToAsk() async throws {
        try await ScriptedServer.start().use { server in
            let run = try await ToolProcess(["-a", "user", server.url], asks: false).finished()
            #expect(run.status == 64 && run.stderr.contains("--auth user:password"), "\(run)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func aTypeWithoutCredentialsIsWrongUsage() async throws {
        for words in [
            ["-A", "digest", "URL"], ["-A", "bearer", "http://a:b@HOST"], ["--auth-type=ntlm", "-a", "u:p", "URL"],
        ] {
            try await ScriptedServer.start().use { server in
                let arguments = words.map {
                    $0.replacing("URL", with: server.url).replacing("HOST", with: "127.0.0.1:\(server.port)")
                }
                let run = try await ToolProcess(arguments).finished()
                #expect(run.status == 64 && run.stderr.contains("--auth"), "\(run)")
                #expect(server.acceptedConnections == 0)
            }
        }
    }
}
#endif

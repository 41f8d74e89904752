// ToolCookieTests: the tool's --cookie-jar, and the other options for a series of requests with cookies.
#if Server
import Foundation
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolCookieTests {
    private func run(_ server: ScriptedServer, _ arguments: String...) async throws -> ProductRun {
        try await ToolProcess(
            arguments.map { $0.replacing("URL", with: server.url).replacing("PORT", with: "\(server.port)") }
        ).finished()
    }

    /// A server whose `/login` sets a cookie and redirects to `/me`.
    private static func loginServer() async throws -> ScriptedServer {
        try await ScriptedServer.start { request in
            guard request.path == "/login" else { return .ok(request["cookie"] ?? "nobody") }
            return .bytes(
                "HTTP/1.1 303 See Other\r\nLocation: /me\r\nSet-Cookie: id=geheim; Path=/\r\n"
                    + "Set-Cookie: long=1; Max-Age=60; Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test func `a session of HTTPie is listed and emptied, also its cookies without a domain`() async throws {
        let text = """
            {"__meta__": {"httpie": "3.2.4"}, "auth": {"type": null}, "headers": [], "cookies": [
            {"name": "a", "value": "1", "path": "/", "domain": "", "expires": null, "secure": false},
            {"name": "b", "value": "2", "path": "/", "domain": "x.example", "expires": null, "secure": false}]}
            """
        try await withFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: "s.json"))
            let listed = try await ToolProcess(["cookies", "--session=./s.json"], directory: folder).finished()
            #expect(listed.status == 0 && listed.stderr.isEmpty, "\(listed)")
            #expect(listed.stdout.contains("a=") && listed.stdout.contains("b="), "\(listed)")
            let cleared = try await ToolProcess(["cookies", "--session=./s.json", "--clear"], directory: folder)
                .finished()
            #expect(cleared.status == 0, "\(cleared)")
            let empty = try await ToolProcess(["cookies", "--session=./s.json"], directory: folder).finished()
            #expect(empty.status == 1 && empty.stdout.isEmpty, "\(empty)")
            let none = try await ToolProcess(["cookies", "http://u:pw@h/?token=t0k"]).finished()
            #expect(!none.stderr.contains("pw@") && !none.stderr.contains("t0k"), "\(none)")
        }
    }

    @Test func aJarGoesFromOneRunToTheNext() async throws {
        try await Self.loginServer().use { server in
            try await withFolder { folder in
                let jar = folder.appending(path: "cookies.txt").path
                let login = try await run(server, "-F", "--cookie-jar", jar, "POST", "URL/login")
                #expect(login.status == 0 && login.stdout == "id=geheim; long=1" && login.stderr.isEmpty, "\(login)")
                let later = try await run(server, "--cookie-jar", jar, "URL/x")
                #expect(later.stdout == "id=geheim; long=1", "\(later)")
                let without = try await run(server, "URL/x")
                #expect(without.stdout == "nobody", "\(without)")

                let text = try String(contentsOfFile: jar, encoding: .utf8)
                #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
                #expect(text.contains("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tgeheim\n"))
                #expect(text.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t"))
                let mode = try FileManager.default.attributesOfItem(atPath: jar)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies.txt"])
            }
        }
    }

    @Test func aFileOfCurlIsReadAndItsBadLinesAreTold() async throws {
        try await ScriptedServer.start { .ok($0["cookie"] ?? "none") }.use { server in
            try await withFolder { folder in
                let jar = folder.appending(path: "cookies.txt")
                let text = """
                    # Netscape HTTP Cookie File
                    #HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1
                    nonsense
                    .co.uk\tTRUE\t/\tFALSE\t0\tb\tgeheim

                    """
                try Data(text.utf8).write(to: jar)
                let run = try await run(server, "--cookie-jar", jar.path, "URL")
                #expect(run.status == 0 && run.stdout == "a=1", "\(run)")
                #expect(run.stderr.contains("line 3: "))
                #expect(run.stderr.contains("line 4: its Domain is a public suffix"))
                #expect(!run.stderr.contains("geheim"))
                // The file is not written if the server changed no cookie.
                #expect(try String(contentsOf: jar, encoding: .utf8) == text)
            }
        }
    }

    @Test func `FAULT 24: a cookie that the jar's file cannot hold is told`() async throws {
        let reply = Reply.bytes(
            "HTTP/1.1 200 OK\r\nSet-Cookie: a\tb=geheim\r\nSet-Cookie: v=geheim\tx\r\n"
                + "Set-Cookie: c=1; Path=/\r\nContent-Length: 0\r\n\r\n")
        try await ScriptedServer.start { _ in reply }.use { server in
            try await withFolder { folder in
                let jar = folder.appending(path: "cookies.txt").path
                let run = try await run(server, "--cookie-jar", jar, "URL")
                #expect(run.status == 0 && run.stdout.isEmpty, "\(run)")
                #expect(run.stderr.contains("the cookie “a\\u{9}b” of 127.0.0.1 is not kept in \(jar)"), "\(run)")
                #expect(run.stderr.contains("the cookie “v” of 127.0.0.1 is not kept in \(jar)"), "\(run)")
                #expect(!run.stderr.contains("geheim"))
                #expect(try String(contentsOfFile: jar, encoding: .utf8).hasSuffix("\tc\t1\n"))
            }
        }
    }

    @Test func manyRunsAtOnceLoseNothing() async throws {
        try await ScriptedServer.start { .ok("", headers: [.setCookie: "\($0.path.dropFirst())=1; Path=/"]) }.use {
            server in
            try await withFolder { folder in
                let jar = folder.appending(path: "cookies.txt").path
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<12 {
                        group.addTask {
                            let run = try await run(server, "--cookie-jar", jar, "URL/c\(number)")
                            #expect(run.status == 0, "\(run)")
                        }
                    }
                    try await group.waitForAll()
                }
                let names = try CookieJar(file: jar).cookies.map(\.name)
                #expect(Set(names) == Set((0..<12).map { "c\($0)" }))
                #expect(names.count == 12)
            }
        }
    }

    @Test func aFileThatIsSomethingElseIsLeftAloneBeforeAnythingIsSent() async throws {
        try await ScriptedServer.start { _ in .ok() }.use { server in
            try await withFolder { folder in
                let file = folder.appending(path: "notes.txt")
                try Data("dear diary\n".utf8).write(to: file)
                let run = try await run(server, "--cookie-jar", file.path, "URL")
                #expect(run.status == 1, "\(run)")
                #expect(run.stderr.contains("is not a cookies.txt file"))
                #expect(try String(contentsOf: file, encoding: .utf8) == "dear diary\n")
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func aJarThatCannotBeWrittenIsAFailureBeforeAnythingIsSent() async throws {
        try await Self.loginServer().use { server in
            let run = try await run(server, "-F", "--cookie-jar", "/no/such/folder/cookies.txt", "POST", "URL/login")
            #expect(run.status == 1 && run.stdout.isEmpty, "\(run)")
            #expect(run.stderr.contains("/no/such/folder/cookies.txt cannot be written: No such file"))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func aRefusedCookieIsToldWithoutItsValue() async throws {
        try await ScriptedServer.start { _ in .ok("", headers: [.setCookie: "id=geheim; Domain=co.uk"]) }.use {
            server in
            let run = try await run(server, "--resolve", "*:PORT:127.0.0.1", "http://a.co.uk:PORT/")
            #expect(run.status == 0, "\(run)")
            #expect(
                run.stderr == "tsubame: the cookie “id” of a.co.uk is refused: its Domain is a public suffix (co.uk)\n")
        }
    }

    @Test func aStarStandsForEveryHostThatIsNotNamed() async throws {
        try await ScriptedServer.start { .ok($0["host"] ?? "") }.use { server in
            for (host, port) in [("a.test", server.port), ("b.c.test", server.port)] {
                let run = try await run(server, "--resolve", "*:PORT:127.0.0.1", "http://\(host):\(port)/")
                #expect(run.stdout == "\(host):\(port)", "\(run)")
            }
            let named = try await run(
                server, "--resolve", "*:80:127.0.0.1:1", "--resolve", "a.test:80:127.0.0.1:PORT", "http://a.test/")
            #expect(named.stdout == "a.test", "\(named)")
            let otherPort = try await run(server, "--resolve", "*:81:127.0.0.1:PORT", "http://a.invalid:82/")
            #expect(otherPort.status == 1, "\(otherPort)")
        }
    }

    @Test func anEmptyPrintPrintsNothing() async throws {
        try await ScriptedServer.start { _ in .ok("hello") }.use { server in
            for arguments in [["--print=", "URL"], ["--print", "", "URL"], ["URL", "--print="]] {
                let run = try await ToolProcess(arguments.map { $0.replacing("URL", with: server.url) }).finished()
                #expect(run.status == 0 && run.shown.isEmpty, "\(run)")
            }
            // As the value of another option, the text is no option itself.
            let raw = try await run(server, "--raw", "--print=", "URL")
            #expect(raw.stdout == "hello", "\(raw)")
            #expect(try await server.request(3).text == "--print=")
        }
    }
}
#endif

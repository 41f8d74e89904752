// ToolSessionTests: the tool's sessions: their content, the hosts that receive it, and the files that hold it.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolSessionTests {
    /// A server that returns all received fields, one a line, and sets a cookie on request.
    private static func server() async throws -> ScriptedServer {
        try await ScriptedServer.start { request in
            let shown = request.fields.filter {
                !["host", "user-agent", "accept", "accept-encoding"].contains($0.name.lowercased())
            }
            let text = shown.map { "\($0.name): \($0.value)\n" }.joined()
            return request.path.hasPrefix("/set")
                ? .ok(text, headers: [.setCookie: "id=1; Path=/; HttpOnly; Max-Age=1000"]) : .ok(text)
        }
    }

    private func run(_ folder: URL, _ arguments: String...) async throws -> ProductRun {
        try await ToolProcess(
            arguments,
            environment: [
                "XDG_CONFIG_HOME": folder.appending(path: "config").path, "NETRC": "", "HOME": "/nonexistent",
            ]
        ).finished()
    }

    @Test func `runs at the same time keep the cookies of each other`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            let number = request.path.dropFirst()
            return [
                .wait(for: gate),
                .bytes("HTTP/1.1 200 OK\r\nSet-Cookie: c\(number)=1; Max-Age=1000\r\nContent-Length: 0\r\n\r\n"),
            ]
        }
        try await withFolder { folder in
            try await server.use { server in
                let runs = (0..<6).map { number in
                    Task { try await run(folder, "--session=me", "\(server.url)/\(number)") }
                }
                // Each has read the session before another one writes it.
                try await gate.waitForArrivals(6)
                gate.open()
                for task in runs {
                    let run = try await task.value
                    #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
                }
                _ = try await run(folder, "--session=me", "\(server.url)/last")
                let cookies = try #require(server.requests.last?["cookie"])
                #expect(cookies.split(separator: "; ").sorted() == (0..<6).map { "c\($0)=1" }, "\(cookies)")
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGPIPE])
    func `a session and an archive are written, however the tool ends`(signal: Int32) async throws {
        let gate = Gate()
        let reply: Reply = [
            .bytes("HTTP/1.1 200 OK\r\nSet-Cookie: login=new; Max-Age=1000\r\nContent-Length: 8\r\n\r\nhalf"),
            .wait(for: gate), .bytes("rest"),
        ]
        try await withFolder { folder in
            try await ScriptedServer.start { _ in reply }.use { server in
                let (session, archive) = (folder.appending(path: "s.json"), folder.appending(path: "a.har"))
                let tool = try ToolProcess(
                    ["--session=\(session.path)", "--har", archive.path, server.url],
                    output: signal == SIGPIPE ? .closedPipe : .pipe, environment: ["HOME": "/nonexistent"])
                if signal != SIGPIPE {
                    _ = try await tool.printed("half")
                    tool.send(signal: signal)
                }
                let ended = try await tool.finished()
                #expect(ended.status == 128 + signal && ended.stderr.isEmpty, "\(ended)")
                gate.open()
                #expect(try String(contentsOf: session, encoding: .utf8).contains("new"))
                #expect(try String(contentsOf: archive, encoding: .utf8).contains("login=new"))
            }
        }
    }

    @Test func `a read-only run leaves a session that another run has made meanwhile`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.path == "/slow"
                ? [.wait(for: gate), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")] : .ok("fast")
        }
        try await withFolder { folder in
            try await server.use { server in
                let slow = Task {
                    try await run(folder, "--session-read-only=me", server.url + "/slow", "X-One:1")
                }
                try await gate.waitForArrivals(1)
                #expect(try await run(folder, "--session=me", server.url, "X-Two:2").status == 0)
                gate.open()
                #expect(try await slow.value.status == 0)
                _ = try await run(folder, "--session=me", server.url)
                let last = try #require(server.requests.last)
                #expect(last["x-two"] == "2" && last["x-one"] == nil)
            }
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    // MARK: Content of a session

    @Test func fieldsCredentialsAndCookiesGoFromOneRunToTheNext() async throws {
        try await withFolder { folder in
            try await Self.server().use { server in
                let first = try await run(
                    folder, "--session=me", "-a", "u:p", "POST", server.url + "/set", "X-One:1", "X-Two:2",
                    "If-Match:3",
                    "Content-Language:de", "Cookie:own=a=b", "a=1")
                #expect(first.status == 0 && first.stderr.isEmpty, "\(first)")
                let later = try await run(folder, "--session=me", server.url, "X-Two:zwei", "X-Three:3")
                #expect(
                    later.stdout
                        == "X-Two: zwei\nX-Three: 3\nX-One: 1\nAuthorization: Basic dTpw\nCookie: own=a=b; id=1\n",
                    "\(later)")
                let without = try await run(folder, "--session=me", server.url, "X-One:")
                #expect(without.stdout == "X-Two: zwei\nX-Three: 3\nAuthorization: Basic dTpw\nCookie: own=a=b; id=1\n")
                // A cookie of the command line is sent once, in place of the stored one.
                let given = try await run(folder, "--session=me", server.url, "Cookie:own=c; more=d")
                #expect(given.stdout.contains("Cookie: own=c; id=1; more=d\n"), "\(given)")
                // A cookie without a name is in no jar, but it is sent.
                let unnamed = try await run(folder, "--session=me", server.url, "Cookie:token; own=e")
                #expect(unnamed.stdout.contains("token") && unnamed.stdout.contains("own=e"), "\(unnamed)")
                // A field that is left out once is not forgotten.
                #expect(try await run(folder, "--session=me", server.url).stdout.contains("X-One: 1\n"))
                #expect(try await run(folder, "--session=other", server.url).stdout.isEmpty)
                #expect(try await run(folder, server.url).stdout.isEmpty)
            }
        }
    }

    @Test func nobodyElseCanReadIt() async throws {
        try await withFolder { folder in
            try await Self.server().use { server in
                #expect(try await run(folder, "--session=me", server.url, "X:1").status == 0)
                let config = folder.appending(path: "config").path
                let sessions = config + "/tsubame/sessions/127.0.0.1_\(server.port)"
                for path in [config, config + "/tsubame", sessions] { #expect(try mode(path) == 0o700) }
                #expect(try mode(sessions + "/me.json") == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: sessions) == ["me.json"])
                // A file that was readable by others becomes private; a link stays a link.
                let (file, link) = (folder.appending(path: "s.json"), folder.appending(path: "link.json"))
                try Data("{}".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                #expect(try await run(folder, "--session", link.path, server.url, "X:1").status == 0)
                #expect(try mode(file.path) == 0o600)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            }
        }
    }

    @Test func aSessionThatIsOnlyReadIsMadeOnceAndNotChanged() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            try await Self.server().use { server in
                #expect(try await run(folder, "--session-read-only", file, server.url, "X-One:1").status == 0)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("X-One"))
                let later = try await run(folder, "--session-read-only", file, server.url + "/set", "X-Two:2")
                #expect(later.stdout == "X-Two: 2\nX-One: 1\n", "\(later)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
            }
        }
    }

    @Test func cookiesAndCredentialsOfAFileGoToTheirHostOnly() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            try await Self.server().use { server in
                let first = try await run(
                    folder, "--session", file, "-a", "u:p", server.url + "/set", "X-One:1")
                #expect(first.status == 0, "\(first)")
                let other = try await run(folder, "--session", file, "http://localhost:\(server.port)")
                #expect(other.stdout == "X-One: 1\n", "\(other)")
                let same = try await run(folder, "--session", file, server.url)
                #expect(same.stdout == "X-One: 1\nAuthorization: Basic dTpw\nCookie: id=1\n", "\(same)")
                // The same with a field of the command line.
                let field = try await run(folder, "--session", file, server.url, "Authorization:Own x")
                #expect(field.status == 0)
                let later = try await run(folder, "--session", file, "http://localhost:\(server.port)")
                #expect(later.stdout == "X-One: 1\n", "\(later)")
            }
        }
    }

    @Test("BAD-INPUT 21: what was given by https does not go by http") func nothingGoesInClear() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            let safe = try await run(
                folder, "--offline", "--session", file, "-a", "u:secret", "https://api.example.com/login",
                "Cookie:sid=42")
            #expect(safe.status == 0 && safe.stdout.contains("Authorization: Basic"), "\(safe)")
            let clear = try await run(folder, "--offline", "--session", file, "http://api.example.com/")
            #expect(clear.status == 0 && !clear.stdout.contains("Authorization") && !clear.stdout.contains("sid"))
            let again = try await run(folder, "--offline", "--session", file, "https://api.example.com/")
            #expect(again.stdout.contains("Authorization: Basic") && again.stdout.contains("sid=42"), "\(again)")
        }
    }

    @Test("BAD-INPUT 21: a redirect to another origin goes without the session's fields") func redirected() async throws
    {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            try await Self.server().use { other in
                try await ScriptedServer.start {
                    $0.path == "/go" ? .redirect(to: other.url) : .ok($0["x-api-key"] ?? "")
                }
                .use { server in
                    #expect(try await run(folder, "--session", file, server.url, "X-Api-Key:key").stdout == "key")
                    #expect(try await run(folder, "--session", file, server.url).stdout == "key")
                    let away = try await run(folder, "-F", "--session", file, server.url + "/go")
                    #expect(away.status == 0 && away.stdout.isEmpty, "\(away)")
                }
            }
        }
    }

    @Test(arguments: ["Authorization", "X-Api-Key", "x-auth-token", "Client-Secret", "X-Signature"])
    func `FAULT 12, BAD-INPUT 21: a field with a secret name goes to the origin that it was given for`(
        name: String
    ) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            try await Self.server().use { server in
                let first = try await run(folder, "--session", file, server.url, "\(name):Own x", "X-One:1")
                #expect(first.status == 0, "\(first)")
                let other = try await run(folder, "--session", file, "http://localhost:\(server.port)")
                #expect(other.stdout == "X-One: 1\n", "\(other)")
                let same = try await run(folder, "--session", file, server.url)
                #expect(same.stdout.contains("\(name): Own x\n") && same.stdout.contains("X-One: 1\n"), "\(same)")
            }
            // The scheme is part of the origin.
            let safe = try await run(
                folder, "--offline", "--session", file, "https://api.example.com/", "\(name):Own y", "X-One:1")
            #expect(safe.stdout.contains("\(name): Own y\r\n"), "\(safe)")
            let clear = try await run(folder, "--offline", "--session", file, "http://api.example.com/")
            #expect(!clear.stdout.contains("Own") && clear.stdout.contains("X-One: 1\r\n"), "\(clear)")
        }
    }

    @Test func `FAULT 12: a secret field of another tool's file is bound to the first origin`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json")
            let text = #"{"headers": [{"name": "X-Api-Key", "value": "key"}, {"name": "X-One", "value": "1"}]}"#
            try Data(text.utf8).write(to: file)
            try await Self.server().use { server in
                for _ in 0..<2 {
                    let own = try await run(folder, "--session", file.path, server.url)
                    #expect(own.stdout == "X-Api-Key: key\nX-One: 1\n", "\(own)")
                }
                let other = try await run(folder, "--session", file.path, "http://localhost:\(server.port)")
                #expect(other.stdout == "X-One: 1\n", "\(other)")
            }
        }
    }

    @Test func anAnswerThatFailsKeepsWhatWasGiven() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json").path
            try await ScriptedServer.start { _ in .status(.notFound, "", headers: [.setCookie: "id=1"]) }.use {
                server in
                #expect(try await run(folder, "--session", file, server.url, "X-One:1").status == 4)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("X-One") && text.contains("\"id\""))
            }
        }
    }

    // MARK: HTTPie's files

    @Test(arguments: [
        // The format of 3.2 and later.
        """
        {"__meta__": {"about": "HTTPie session file", "httpie": "3.2.1"},
         "auth": {"type": "basic", "raw_auth": "u:p"},
         "cookies": [{"domain": "127.0.0.1", "expires": null, "name": "a", "path": "/", "secure": false, "value": "\\u00fc1"},
                     {"domain": ".example.org", "expires": 4e9, "name": "b", "path": "/", "secure": false, "value": "2"},
                     {"domain": null, "expires": null, "name": "c", "path": "/", "secure": false, "value": "3"}],
         "headers": [{"name": "X-One", "value": "1"}, {"name": "x-two", "value": "2"}]}
        """,
        // The format of 1.0 to 3.1.
        """
        {"__meta__": {"httpie": "1.0.2"}, "auth": {"type": "basic", "username": "u", "password": "p"},
         "cookies": {"a": {"expires": null, "path": "/", "secure": false, "value": "\\u00fc1"}, "c": {"value": "3"}},
         "headers": {"X-One": "1", "x-two": "2"}}
        """,
    ])
    func sessionsOfHTTPieAreRead(text: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json")
            try Data(text.utf8).write(to: file)
            try await Self.server().use { server in
                for _ in 0..<2 {
                    let run = try await run(folder, "--session", file.path, server.url)
                    #expect(
                        run.stdout == "X-One: 1\nx-two: 2\nAuthorization: Basic dTpw\nCookie: a=ü1; c=3\n", "\(run)")
                }
                // An entry that was bound to no host is bound to a host now.
                let other = try await run(folder, "--session", file.path, "http://localhost:\(server.port)")
                #expect(other.stdout == "X-One: 1\nx-two: 2\n", "\(other)")
            }
        }
    }

    // MARK: Refused files

    @Test(arguments: [
        ("", "it is not valid JSON at line 1, byte 1"), ("{\n\"a\":}", "it is not valid JSON at line 2, byte 5"),
        ("[]", "the file is not a JSON object"),
        ("{\"headers\": 5}", "headers is neither"), ("{\"headers\": [5]}", "headers[0] is not a JSON object"),
        ("{\"headers\": [{\"name\": \"a b\", \"value\": \"\"}]}", "headers[0] has a name"),
        ("{\"headers\": {\"X\": \"a\\r\\nb\"}}", "headers.X has a control character"),
        ("{\"headers\": [{\"name\": \"X\"}]}", "headers[0].value is not a string"),
        ("{\"cookies\": [{\"value\": \"x\"}]}", "cookies[0].name is not a string"),
        ("{\"cookies\": {\"a\": {\"value\": 5}}}", "cookies.a.value is not a string"),
        ("{\"cookies\": {\"a\": {\"value\": \"x\", \"expires\": \"x\"}}}", "cookies.a.expires is not a number"),
        ("{\"cookies\": {\"a\": {\"value\": \"x\", \"secure\": 1}}}", "cookies.a.secure is neither"),
        ("{\"cookies\": [{\"name\": \"a\", \"value\": \"x\", \"domain\": \".co.uk\"}]}", "“a” is refused"),
        ("{\"auth\": 5}", "auth is not a JSON object"),
        ("{\"auth\": {\"type\": \"ntlm\", \"raw_auth\": \"x\"}}", "“ntlm”"),
        ("{\"auth\": {\"type\": \"basic\"}}", "auth.raw_auth is not a string"),
        (String(repeating: "[", count: 100_000), "nested deeper than 32 levels at line 1, byte 33"),
    ])
    func aFileThatMakesNoSenseIsTold(text: String, problem: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "s.json")
            try Data(text.utf8).write(to: file)
            try await Self.server().use { server in
                let run = try await run(folder, "--session", file.path, server.url)
                #expect(run.status == 1, "\(run)")
                #expect(run.stderr.contains("the session file \(file.path) cannot be used: "))
                #expect(run.stderr.contains(problem), "\(run)")
                #expect(server.acceptedConnections == 0)
                #expect(try String(contentsOf: file, encoding: .utf8) == text)
            }
        }
    }

    @Test(arguments: ["..", ".hidden", "a b", "", "ü", "a\\b"])
    func whatIsNoNameOfASessionIsWrongUsage(name: String) async throws {
        try await withFolder { folder in
            try await Self.server().use { server in
                let run = try await run(folder, "--session", name, server.url)
                #expect(run.status == 64 && run.stderr.contains("no name of a session"), "\(run)")
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test func whatCannotBeKeptIsToldBeforeAnythingIsSent() async throws {
        try await withFolder { folder in
            try await Self.server().use { server in
                let notes = folder.appending(path: "notes")
                try Data().write(to: notes)
                for path in [notes.path + "/s.json", "/proc/none/s.json"] {
                    let run = try await run(folder, "--session", path, server.url)
                    #expect(run.status == 1 && run.stderr.contains(" the session"), "\(run)")
                    #expect(run.stderr.contains("cannot be "))
                }
                let both = try await run(folder, "--session=a", "--session-read-only=b", server.url)
                #expect(both.status == 64)
                #expect(try await run(folder, "--session=a", "--cookie-jar=b", server.url).status == 64)
                #expect(server.acceptedConnections == 0)
            }
        }
    }
}
#endif

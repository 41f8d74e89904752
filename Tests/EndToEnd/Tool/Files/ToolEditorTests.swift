// ToolEditorTests: `tsubame run` with the files and settings of the editors that made the format.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolEditorTests {
    private func run(
        _ files: [String: String], _ arguments: String..., server: ScriptedServer, environment: [String: String] = [:]
    ) async throws -> ProductRun {
        try await withFolder { folder in
            try Self.write(files, in: folder)
            return try await ToolProcess(
                ["run", "--var", "base=\(server.url)"] + arguments, environment: environment, directory: folder
            ).finished()
        }
    }

    private static func write(_ files: [String: String], in folder: URL) throws {
        for (name, text) in files {
            let place = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place)
        }
    }

    @Test func `a script fails its own request`() async throws {
        let text = """
            ### first
            {{base}}/1

            > {%
                client.global.set("a", "b")
            %}
            ### second
            {{base}}/2
            """
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let whole = try await run(["a.http": text], "a.http", "-k", server: server)
            #expect(whole.status == 1 && whole.stdout.contains("a.http:4: first, GET {{base}}/1\n"), "\(whole)")
            #expect(whole.stdout.contains("JavaScript is not run") && whole.stdout.contains("2 requests"), "\(whole)")
            let named = try await run(["a.http": text], "a.http", "--name=second", server: server)
            #expect(named.status == 0, "\(named)")
            let checked = try await run(["a.http": text], "a.http", "--check", server: server)
            #expect(checked.status == 64 && checked.stderr.contains("a.http:4:1: JavaScript"), "\(checked)")
            #expect(server.requests.map(\.target) == ["/2", "/2"])
        }
    }

    @Test func `the settings of VS Code belong to the requests`() async throws {
        let settings = """
            {
              // Comments are allowed here.
              "rest-client.followredirect": false,
              "rest-client.timeoutinmilliseconds": 20000,
              "rest-client.rememberCookiesForSubsequentRequests": false,
              "rest-client.defaultHeaders": {"User-Agent": "mine", "X": "y"},
              "rest-client.environmentVariables": {"$shared": {"v": 1}, "dev": {"v": 2}},
            }
            """
        let text = """
            {{base}}/{{v}}
            x: z
            # > status == 302
            ###
            # @location true
            {{base}}/again
            """
        try await ScriptedServer.start { request in
            request.target == "/end"
                ? .ok("hi")
                : .status(302, headers: [.location: "/end", .setCookie: "a=b"])
        }.use { server in
            let files = [".vscode/settings.json": settings, "requests/a.http": text]
            let run = try await run(files, "requests/a.http", "--env=dev", server: server)
            #expect(run.status == 0, "\(run)")
            let requests = server.requests
            #expect(requests.map(\.target) == ["/2", "/again", "/end"])
            #expect(requests.map { $0["User-Agent"] } == ["mine", "mine", "mine"])
            #expect(requests.map { $0["X"] } == ["z", "y", "y"])
            #expect(requests.allSatisfy { $0["Cookie"] == nil })
        }
    }

    @Test func `an option of the command line is stronger than the format`() async throws {
        try await ScriptedServer.start { _ in .redirect(to: "/end") }.use { server in
            let run = try await run(
                ["a.http": "{{base}}/a\n# > status == 302\n"], "a.http", "--option", "location=false", server: server)
            #expect(run.status == 0 && server.requests.count == 1, "\(run)")
        }
    }

    @Test func `certificates of VS Code and of JetBrains`() async throws {
        let client = ClientCertificate.self
        let identity = TLSIdentity.localhost.with(clientAuthorityPEM: client.pem)
        try await ScriptedServer.start(tls: identity) { _ in .ok("hi") }.use { server in
            let host = server.url.replacingOccurrences(of: "https://", with: "")
            let settings = """
                {"rest-client.certificates": {"\(host)": {"cert": "c.pem", "key": "k.pem", "passphrase": "\(client.passphrase)"}}}
                """
            let environment = """
                {"dev": {"SSLConfiguration": {"clientCertificate": {"path": "c.pem"}, "clientCertificateKey": "p.pem",
                 "verifyHostCertificate": false}}}
                """
            let keys = ["c.pem": client.pem, "k.pem": client.encryptedKeyPEM, "p.pem": client.keyPEM]
            let text = "@host = {{base}}\n###\n{{host}}/a\n"
            let code = keys.merging([".vscode/settings.json": settings, "a.http": text]) { $1 }
            let first = try await run(code, "a.http", "--verify=no", server: server)
            #expect(first.status == 0, "\(first)")
            let brains = keys.merging(["http-client.env.json": environment, "a.http": text]) { $1 }
            let second = try await run(brains, "a.http", "--env=dev", server: server)
            #expect(second.status == 0, "\(second)")
            let none = try await run(["a.http": text], "a.http", "--verify=no", server: server)
            #expect(none.status == 1, "\(none)")
            let archive = #"{"rest-client.certificates": {"h": {"pfx": "a.p12"}}}"#
            let wrong = try await run([".vscode/settings.json": archive, "a.http": text], "a.http", server: server)
            #expect(wrong.status == 64 && wrong.stderr.contains("Only PEM is read"), "\(wrong)")
        }
    }

    @Test func `the forms of a target, and charsets of files`() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let host = server.url.replacingOccurrences(of: "http://", with: "")
            let text = """
                OPTIONS *
                Host: \(server.url)
                ###
                /b
                Host: \(host)
                ###
                POST {{base}}
                    c
                    /d
                    ?x=1
                X: one,
                  two

                <@latin1 f.txt
                """
            try await withFolder { folder in
                try Data(text.utf8).write(to: folder.appending(path: "a.http"))
                try Data([0xE4, 0x3D] + Array("{{base}}".utf8)).write(to: folder.appending(path: "f.txt"))
                let run = try await ToolProcess(
                    ["run", "--var", "base=\(server.url)", "a.http"], directory: folder
                ).finished()
                #expect(run.status == 0, "\(run)")
            }
            #expect(server.requests.map(\.target) == ["*", "/b", "/c/d?x=1"])
            #expect(server.requests.map { $0["Host"] } == [host, host, host])
            #expect(server.requests[2]["X"] == "one, two")
            #expect(server.requests[2].body == Array("ä=\(server.url)".utf8))
        }
    }

    @Test func `a curl line is sent as curl sends it`() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let text =
                "@id = 7\n###\ncurl -X PUT {{base}}/u/{{id}} \\\n  -u joe:{{id}} -H 'X: {{id}}' -d 'a={{id}}'\n# > status == 200\n"
            let run = try await run(["a.http": text], "a.http", server: server)
            #expect(run.status == 0, "\(run)")
            let request = try #require(server.requests.first)
            #expect(request.method == "PUT" && request.target == "/u/7" && request.body == Array("a=7".utf8))
            #expect(request["X"] == "7" && request["Authorization"] == "Basic am9lOjc=")
            #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        }
    }

    @Test func `a request is signed for AWS`() async throws {
        let text = """
            PUT {{base}}/a%20b?x=1
            Authorization: AWS AKID {{secret}} region:eu-west-1 service:s3 token:tok

            < f.txt
            ###
            POST {{base}}/
            Authorization: AWS AKID {{secret}}

            a
            """
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let run = try await run(
                ["a.http": text, "f.txt": "text"], "a.http", "--var=secret=key", server: server)
            #expect(run.status == 1 && run.stdout.contains("shows no region and no service"), "\(run)")
            let request = try #require(server.requests.first)
            let names = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
            #expect(request["Authorization"]?.contains("eu-west-1/s3/aws4_request, SignedHeaders=\(names), ") == true)
            #expect(request["Authorization"]?.contains("key") == false && request["X-Amz-Date"]?.count == 16)
            #expect(
                request["X-Amz-Content-Sha256"] == "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1")
            #expect(server.requests.count == 1 && request.values("X-Amz-Security-Token") == ["tok"])
        }
    }

    @Test func `local time has the zone of the environment`() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let text = "{{base}}/\nA: {{$localDatetime iso8601}}\nB: {{$datetime iso8601}}\n"
            let run = try await run(
                ["a.http": text], "a.http", server: server, environment: ["TZ": "XYZ-9"])
            #expect(run.status == 0, "\(run)")
            let headers = try #require(server.requests.first)
            #expect(headers["A"]?.hasSuffix("+09:00") == true && headers["B"]?.hasSuffix("Z") == true)
            #expect(headers["A"]?.prefix(19) != headers["B"]?.prefix(19))
        }
    }

    // MARK: Loops, folders, interruption, mistakes

    @Test func `each row of a loop is a request of its own`() async throws {
        let text = "# @loop row of r.csv\n{{base}}/{{row.a}}\n# > status == {{row.s}}\n###\n{{base}}/end\n"
        let files = ["a.http": text, "r.csv": "a,s\n1,200\n2,201\n3,200\n"]
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let first = try await run(files, "a.http", "-v", server: server)
            #expect(first.status == 1 && first.stdout.contains("1 failed, 1 not run, 2 requests"), "\(first)")
            #expect(first.stdout.contains("/1, row 1: 200") && first.stdout.contains("/2, row 2"), "\(first)")
            let all = try await run(files, "a.http", "-k", "--report=json=/dev/stdout", server: server)
            #expect(all.stdout.contains("1 failed, 4 requests") && all.stdout.contains(", row 3\""), "\(all)")
            #expect(server.requests.map(\.target) == ["/1", "/2", "/1", "/2", "/3", "/end"])
        }
    }

    @Test func `a folder means the files of requests in it`() async throws {
        let files = [
            "t/b.http": "{{base}}/b", "t/in/a.hurl": "GET {{base}}/a\n", "t/.hidden/c.http": "{{base}}/c",
            "t/d.har": "{}", "t/e.txt": "e", "t/f.http/no.txt": "a folder",
        ]
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let run = try await run(files, "t", server: server)
            #expect(run.status == 0 && server.requests.map(\.target) == ["/b", "/a"], "\(run)")
            #expect(run.stdout.contains("t/b.http: ok") && run.stdout.contains("t/in/a.hurl: ok"), "\(run)")
            let none = try await self.run(["x.txt": ""], ".", server: server)
            #expect(none.status == 64 && none.stderr.contains("no .http, .rest or .hurl file"), "\(none)")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `an interrupted run writes its reports`(signal: Int32) async throws {
        try await ScriptedServer.start { $0.target == "/1" ? .ok("hi") : .stall }.use { server in
            try await withFolder { folder in
                let text =
                    "GET \(server.url)/1\nHTTP 200\nGET \(server.url)/2\n[Options]\nretry: -1\nGET \(server.url)/3\n"
                try Data(text.utf8).write(to: folder.appending(path: "a.hurl"))
                let tool = try ToolProcess(["run", "a.hurl", "-k", "--report", "json=r.json"], directory: folder)
                while server.requests.count < 2 { try Task.checkCancellation(); await Task.yield() }
                tool.send(signal: signal)
                let run = try await tool.finished()
                #expect(run.status == 128 + signal && run.stdout.contains("1 failed, 1 not run"), "\(run)")
                let report = try String(contentsOf: folder.appending(path: "r.json"), encoding: .utf8)
                #expect(report.contains("/1\"") && report.contains("cancelled"), "\(report)")
            }
        }
    }

    @Test func `a run that is interrupted is no success`() async throws {
        try await ScriptedServer.start { _ in .stall }.use { server in
            try await withFolder { folder in
                for name in ["a.hurl", "b.hurl"] {
                    try Data("GET \(server.url)/\(name)\n".utf8).write(to: folder.appending(path: name))
                }
                let tool = try ToolProcess(["run", "a.hurl", "b.hurl", "--report=json=r.json"], directory: folder)
                while server.requests.isEmpty { try Task.checkCancellation(); await Task.yield() }
                tool.send(signal: SIGINT)
                let run = try await tool.finished()
                #expect(run.status == 128 + SIGINT && run.stdout.contains("b.hurl: interrupted, 1 not run"), "\(run)")
                let report = try String(contentsOf: folder.appending(path: "r.json"), encoding: .utf8)
                #expect(!report.contains("\"success\": true") && !report.contains("\"success\":true"), "\(report)")
            }
        }
    }

    @Test func `secrets are hidden in URLs, in JSON and in credentials`() async throws {
        let text = """
            GET {{base}}/{{s}}?a={{s}}
            [Query]
            b: {{s}}
            GET http://joe:{{t}}@{{host}}/
            """
        try await ScriptedServer.start { request in
            .ok("{\"url\": \"\(request.target)\", \"x\": \"\\u00e4\"}")
        }.use { server in
            let host = server.url.replacingOccurrences(of: "http://", with: "")
            let run = try await run(
                ["a.hurl": text], "a.hurl", "-v", "--print=HBhb", "--var", "host=\(host)", server: server,
                environment: ["HURL_SECRET_s": "ä/\"b+c=d e", "HURL_SECRET_t": "s3cret"])
            #expect(run.status == 0, "\(run)")
            for shown in ["%C3%A4", "%c3%a4", "u00e4\\/", "am9l", "s3cret", "b+c", "b%2Bc"] {
                #expect(!run.stdout.contains(shown), "\(shown) in \(run)")
            }
        }
    }

    @Test func `no colour comes between the characters of a secret`() async throws {
        let text = "POST {{base}}/\n[Form]\na: {{s}}\n\nPOST {{base}}/\n{\"a\": \"{{s}}\"}\n"
        try await ScriptedServer.start { .ok($0.body, headers: [.contentType: "application/json"]) }.use { server in
            try await withFolder { folder in
                let file = folder.appending(path: "a.hurl")
                try Data(text.utf8).write(to: file)
                let run = try await ToolProcess(
                    ["run", "-p", "HBhb", "--var", "base=\(server.url)", file.path], output: .terminal,
                    environment: ["HURL_SECRET_s": "p@ss \"w0rd", "TERM": "xterm-256color"]
                ).finished()
                #expect(run.status == 0 && run.stdout.contains("***"), "\(run)")
                #expect(!run.stdout.contains("w0rd") && !run.stdout.contains("ss"), "\(run)")
                // Nor does the layout divide one that is JSON or has several lines.
                try Data("POST {{base}}/\nContent-Type: application/json\n`{{s}}`\n".utf8).write(to: file)
                for secret in ["{\"key\":\"s3cr3t\",\"id\":7}", "[1,\r\n\"s3cr3t\"]"] {
                    let run = try await ToolProcess(
                        ["run", "-p", "HBhb", "--var", "base=\(server.url)", file.path], output: .terminal,
                        environment: ["HURL_SECRET_s": secret, "TERM": "xterm-256color"]
                    ).finished()
                    #expect(run.status == 0 && run.stdout.contains("***"), "\(run)")
                    #expect(!run.stdout.contains("s3cr3t"), "\(run)")
                }
            }
        }
    }

    @Test func `a value that would be hidden stays hidden without its capture`() async throws {
        let text = "GET {{base}}/\nHTTP 201\n[Captures]\nt: regex /tok=(\\w+)/ redact\n"
        try await ScriptedServer.start { _ in .ok("tok=s3cret") }.use { server in
            let run = try await run(["a.hurl": text], "a.hurl", "-p", "b", server: server)
            #expect(run.status == 1 && run.stdout.contains("tok=***"), "\(run)")
        }
    }

    @Test func `a private environment decides about certificates`() async throws {
        try await ScriptedServer.start(tls: .localhost) { _ in .ok("hi") }.use { server in
            func environment(_ verifies: Bool) -> String {
                "{\"dev\": {\"SSLConfiguration\": {\"verifyHostCertificate\": \(verifies)}}}"
            }
            let files = ["a.http": "{{base}}/", "http-client.env.json": environment(false)]
            let trusting = try await run(files, "a.http", "--env=dev", server: server)
            #expect(trusting.status == 0, "\(trusting)")
            let strict = try await run(
                files.merging(["http-client.private.env.json": environment(true)]) { $1 }, "a.http", "--env=dev",
                server: server)
            #expect(strict.status == 1 && strict.stdout.contains("is not trusted"), "\(strict)")
        }
    }

    @Test func `settings that mean nothing are named or have no effect`() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            func run(_ settings: String, _ arguments: String...) async throws -> ProductRun {
                try await withFolder { folder in
                    try Self.write([".vscode/settings.json": settings, "a.http": "\(server.url)/"], in: folder)
                    return try await ToolProcess(["run", "a.http"] + arguments, directory: folder).finished()
                }
            }
            let long = try await run("{\"rest-client.timeoutinmilliseconds\": 2147483647}")
            #expect(long.status == 0, "\(long)")
            let broken = try await run("{bad")
            #expect(broken.status == 0 && broken.stderr.contains("is no JSON"), "\(broken)")
            let wrong = try await run("{\"rest-client.environmentVariables\": {\"dev\": 5}}", "--env=dev")
            #expect(wrong.status == 64 && wrong.stderr.contains("“dev” is no object"), "\(wrong)")
        }
    }

    @Test func `an imported request runs right before the first that needs it`() async throws {
        let files = [
            "a.http":
                "# @import lib.http\n###\n# @capture user = body\n{{base}}/1\n###\n{{base}}/2?{{login.response.body}}",
            "lib.http": "# @name login\n{{base}}/login?u={{user}}",
        ]
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let run = try await run(files, "a.http", server: server)
            #expect(run.status == 0, "\(run)")
            #expect(server.requests.map(\.target) == ["/1", "/login?u=hi", "/2?hi"])
        }
    }

    @Test func `a loop goes over the elements of a list`() async throws {
        let text = "# @loop x of l.json\n{{base}}/{{x}}-{{index}}\n"
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let run = try await run(["a.http": text, "l.json": "[1, \"two\", true]"], "a.http", server: server)
            #expect(run.status == 0 && server.requests.map(\.target) == ["/1-0", "/two-1", "/true-2"], "\(run)")
        }
    }

    @Test func `an address in the query is no scheme`() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let host = server.url.replacingOccurrences(of: "http://", with: "")
            let run = try await run(["a.http": "\(host)/a?u=http://x/"], "a.http", server: server)
            #expect(run.status == 0 && server.requests.map(\.target) == ["/a?u=http://x/"], "\(run)")
        }
    }

    @Test func `a secret is hidden wherever a long output is cut`() async throws {
        let body = String(repeating: "x s3cret-text ", count: 150_000)
        try await ScriptedServer.start { _ in .ok(body) }.use { server in
            let run = try await run(
                ["a.hurl": "GET \(server.url)\n"], "a.hurl", "-p", "b", server: server,
                environment: ["HURL_SECRET_a": "s3cret-text"])
            #expect(run.status == 0 && !run.stdout.contains("s3cr"))
            #expect(run.stdout.components(separatedBy: "x *** ").count == 150_001)
        }
    }

    @Test(
        arguments: [
            ("a.http", "POST http://h\n\n< no.txt", "a.http:1: there is no file no.txt"),
            ("a.http", "# @loop r of no.csv\nhttp://h", "there is no file no.csv"),
            ("a.hurl", "POST http://h\nfile,../x;\n", "outside of the folder"),
            ("a.hurl", "POST http://h\n[Multipart]\nf: file,no.txt;\n", "there is no file no.txt"),
            ("a.hurl", "GET http://h\nHTTP 200\nfile,no.txt;\n", "there is no file no.txt"),
            (
                "a.hurl",
                "GET http://h\nHTTP 200\n[Asserts]\nxpath \"\(String(repeating: "(", count: 60_000))1\" exists\n",
                "XPath"
            ),
            ("a.hurl", "GET http://h\nHTTP 200\n[Asserts]\nxpath \"//a[\" exists\n", "a.hurl:4:7: “//a[” is no XPath"),
        ])
    func `a check finds missing files and wrong XPath`(name: String, text: String, reason: String) async throws {
        try await withFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: name))
            let run = try await ToolProcess(["run", "--check", name], directory: folder).finished()
            #expect(run.status == 64 && run.stderr.contains(reason), "\(run)")
        }
    }

    @Test func `a check names all mistakes of a file`() async throws {
        try await withFolder { folder in
            let text =
                "http://h/{{$nope}}\n\n> {% x %}\n###\nPOST http://h\n\n< no.txt\n###\nhttp://h/{{no.response.body}}\n"
            try Data(text.utf8).write(to: folder.appending(path: "a.http"))
            let run = try await ToolProcess(["run", "--check", "a.http"], directory: folder).finished()
            #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
            for reason in ["$nope is no generated", "a.http:3:1: JavaScript", "no file no.txt", "has the name no"] {
                #expect(run.stderr.contains(reason), "\(run)")
            }
        }
    }

    @Test func `a check knows files that an earlier request writes`() async throws {
        try await withFolder { folder in
            let text = "GET http://h\n[Options]\noutput: made.txt\n\nPOST http://h\nfile,made.txt;\n"
            try Data(text.utf8).write(to: folder.appending(path: "a.hurl"))
            let run = try await ToolProcess(["run", "--check", "a.hurl"], directory: folder).finished()
            #expect(run.status == 0, "\(run)")
        }
    }

    @Test(
        arguments: [
            ("--variable", "--var name=value"), ("--test", "each run checks"), ("--retry", "--option retry=VALUE"),
            ("--report-junit", "--report junit=FILE"), ("--parallel", "--jobs"), ("--insecure", "--option insecure"),
        ])
    func `options of Hurl get a hint`(option: String, hint: String) async throws {
        let run = try await ToolProcess(["run", option, "a.hurl"]).finished()
        #expect(run.status == 64 && run.stderr.contains(hint), "\(run)")
    }
}
#endif

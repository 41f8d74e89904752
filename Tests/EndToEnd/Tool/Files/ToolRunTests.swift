// ToolRunTests: `tsubame run` with files of requests and real servers.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubamePlatform
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolRunTests {
    /// Runs the tool in a folder with these files, against a server that answers as httpbin does.
    private func run(
        _ files: [String: String], _ arguments: String..., environment: [String: String] = [:],
        check: (URL) throws -> Void = { _ in }
    ) async throws -> ProductRun {
        try await withFolder { folder in
            for (name, text) in files {
                try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            }
            return try await withHTTPBin { url, _ in
                let run = try await ToolProcess(
                    ["run", "--var", "base=\(url)"] + arguments, environment: environment, directory: folder
                ).finished()
                try check(folder)
                return run
            }
        }
    }

    private static let login = """
        POST {{base}}/post
        {"token": "abc", "id": 7}
        HTTP 200
        [Captures]
        token: jsonpath "$.json.token"
        [Asserts]
        jsonpath "$.json.id" == 7

        GET {{base}}/get
        X-Token: {{token}}
        HTTP 200
        [Asserts]
        jsonpath "$.headers['X-Token']" == "abc"
        """

    @Test func `captures go from one request to the next`() async throws {
        let run = try await run(["a.hurl": Self.login], "a.hurl", "--verbose")
        #expect(run.status == 0 && run.stdout.contains("a.hurl: ok, 2 requests in "), "\(run)")
        #expect(run.stdout.contains("/post: 200, ") && run.stdout.contains("/get: 200, "), "\(run)")
    }

    @Test func `a failed assert names place, expectation and value`() async throws {
        let text = Self.login.replacingOccurrences(of: "== 7", with: "== 8")
        let run = try await run(["a.hurl": text], "a.hurl")
        #expect(run.status == 1, "\(run)")
        #expect(
            run.stdout.contains("a.hurl:7: POST http")
                && run.stdout.contains(
                    "\n  jsonpath \"$.json.id\" == 8\n  expected: == integer <8>\n  came:     integer <7>\n")
                && run.stdout.contains("a.hurl: 1 failed, 1 not run, 1 request in "), "\(run)")
    }

    @Test func `with --keep-going all requests run`() async throws {
        let text = Self.login.replacingOccurrences(of: "== 7", with: "== 8")
        let run = try await run(["a.hurl": text], "a.hurl", "-k")
        #expect(run.status == 1 && run.stdout.contains("a.hurl: 1 failed, 2 requests in "), "\(run)")
    }

    private static let collection = """
        @type = application/json
        ### Login
        # @name login
        POST {{base}}/post
            ?x=1
        Content-Type: {{type}}

        {"token": "t{{$randomInt 5 6}}"}

        # > status == 200
        # @capture token = jsonpath "$.json.token"

        ### Use
        # @tag smoke
        GET {{base}}/get?a={{login.response.body.$.json.token}}&b={{token}}
        Authorization: Basic joe secret
        # > jsonpath "$.args.a" == "t5"
        # > jsonpath "$.args.b" == "t5"
        # > jsonpath "$.headers.Authorization" == "Basic am9lOnNlY3JldA=="
        ###
        # @no-redirect
        {{base}}/redirect/1
        # > status == 302
        ### Followed
        {{base}}/redirect/1
        # > status == 200
        ### Table
        # @loop row of rows.csv
        POST {{base}}/post
        Content-Type: application/x-www-form-urlencoded

        name={{row.name}}
        &age={{row.age}}

        # > jsonpath "$.form.name" == "{{row.name}}"
        # > jsonpath "$.form.age" == "{{row.age}}"
        ### File
        POST {{base}}/post
        Content-Type: text/plain

        < rows.csv

        # > jsonpath "$.data" startsWith "name,age"
        """

    @Test func `a collection of an editor runs with its environment`() async throws {
        let files = ["a.http": Self.collection, "rows.csv": "name,age\nJoe,3\nMia,4\n"]
        let whole = try await run(files, "a.http")
        #expect(whole.status == 0 && whole.stdout.contains("a.http: ok, 7 requests in "), "\(whole)")
        // A chosen request needs the one whose response it uses.
        let named = try await run(files, "a.http", "--name", "Use", "-v")
        #expect(named.status == 0 && named.stdout.contains("a.http: ok, 2 requests in "), "\(named)")
        let tagged = try await run(files, "a.http", "--tag", "smoke")
        #expect(tagged.status == 0 && tagged.stdout.contains("2 requests"), "\(tagged)")
    }

    @Test func `environments, private values and given variables`() async throws {
        let files = [
            "a.http": "{{base}}/get?a={{a}}&b={{b}}&c={{c}}&d={{$dotenv D}}\n# > jsonpath \"$.args\" == \"x\"\n",
            "http-client.env.json": "{\"$shared\": {\"a\": 1, \"c\": 0}, \"dev\": {\"a\": 2, \"b\": \"x\"}}",
            "http-client.private.env.json": "{\"dev\": {\"b\": \"y\"}}", ".env": "D='d e'\n",
        ]
        let run = try await run(files, "a.http", "--env", "dev", "--var", "c=3")
        #expect(run.stdout.contains(#"{"a":"2","b":"y","c":"3","d":"d e"}"#), "\(run)")
        let wrong = try await self.run(files, "a.http", "--env", "prod")
        #expect(wrong.status == 64 && wrong.stderr.contains("no environment “prod”"), "\(wrong)")
    }

    @Test func `an imported request runs if another one refers to it`() async throws {
        let files = [
            "a.http":
                "# @import lib.http\n###\nGET {{base}}/get?{{query}}&t={{login.response.body.$.args.t}}\n# > jsonpath \"$.args.t\" == \"5\"",
            "lib.http": "@query = q=1\n###\n# @name login\n{{base}}/get?t=5\n###\n# @name other\n{{base}}/status/500",
        ]
        let run = try await run(files, "a.http", "-v")
        #expect(run.status == 0 && run.stdout.contains("2 requests"), "\(run)")
    }

    @Test func `a request is sent again until its assert holds`() async throws {
        try await withFolder { folder in
            try await ScriptedServer.start { .ok("\($0.index)") }.use { server in
                let text =
                    "GET \(server.url)\n[Options]\nretry: 5\nretry-interval: 1ms\nHTTP 200\n[Asserts]\nbody == \"2\"\n"
                try Data(text.utf8).write(to: folder.appendingPathComponent("a.hurl"))
                let run = try await ToolProcess(["run", "-v", "a.hurl"], directory: folder).finished()
                #expect(run.status == 0 && run.stdout.contains("200, sent 3 times"), "\(run)")
                #expect(server.requests.count == 3)
            }
        }
    }

    @Test func `files run side by side, each with its own cookies`() async throws {
        var files: [String: String] = [:]
        for name in ["a", "b", "c"] {
            files["\(name).hurl"] =
                "GET {{base}}/cookies/set?n=\(name)\nHTTP 302\nGET {{base}}/cookies\nHTTP 200\n[Asserts]\njsonpath \"$.cookies.n\" == \"\(name)\"\n"
        }
        let run = try await run(files, "a.hurl", "b.hurl", "c.hurl", "--jobs", "3")
        #expect(run.status == 0 && run.stdout.contains("3 files: all ok, 6 requests in "), "\(run)")
    }

    @Test func `reports for programs and for a browser`() async throws {
        let text = "GET {{base}}/get?<&\"\nHTTP 201\n"
        let run = try await run(
            ["a.hurl": text], "a.hurl", "--report", "junit=r.xml,json=r.json,html=r.html"
        ) { folder in
            func read(_ name: String) throws -> String {
                try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            }
            let junit = try read("r.xml")
            #expect(junit.contains("name=\"GET {{base}}/get?&lt;&amp;&quot;\" time="), "\(junit)")
            #expect(
                junit.contains("<failure message=\"line 2: HTTP 201\" type=\"assert\">line 2: HTTP 201\n"), "\(junit)")
            #expect(junit.contains("tests=\"1\" failures=\"1\""))
            let json = try JSONSerialization.jsonObject(with: Data(read("r.json").utf8)) as? [[String: Any]]
            #expect(json?.first?["success"] as? Bool == false)
            #expect(try read("r.html").contains("expected: 201"))
        }
        #expect(run.status == 1, "\(run)")
    }

    @Test func `a report tells a request without an answer from a check that failed`() async throws {
        let text = "GET http://127.0.0.1:1/\n\nGET {{base}}/get\nHTTP 404\n\nGET {{base}}/get\nHTTP 200\n"
        let run = try await run(["a.hurl": text], "a.hurl", "-k", "--report", "junit=r.xml") { folder in
            let junit = try String(contentsOf: folder.appendingPathComponent("r.xml"), encoding: .utf8)
            #expect(junit.contains("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""), "\(junit)")
            #expect(junit.contains("<error message=\"line 1: ") && junit.contains("\" type=\"request\">"), "\(junit)")
            #expect(junit.contains("<failure message=\"line 4: HTTP 404\" type=\"assert\">"), "\(junit)")
        }
        #expect(run.status == 1, "\(run)")
    }

    @Test func `a variable of the environment that is missing is empty, and is named once`() async throws {
        let entry = "GET {{base}}/get?a={{$processEnv TSUBAME_MISSING}}\n# > jsonpath \"$.args.a\" == \"\"\n"
        let run = try await run(["a.http": entry + "\n###\n" + entry], "a.http")
        let warning = "the environment has no variable TSUBAME_MISSING"
        #expect(run.status == 0 && run.stderr.components(separatedBy: warning).count == 2, "\(run)")
    }

    @Test func `only mistakes are looked for with --check`() async throws {
        let good = try await run(["a.hurl": Self.login], "--check", "a.hurl")
        #expect(good.status == 0 && good.stdout == "1 file, 2 requests: no mistakes\n", "\(good)")
        let bad = try await run(["a.hurl": "GET http://h\nHTTP 200\n[Asserts]\nstatus = 3"], "--check", "a.hurl")
        #expect(
            bad.status == 64 && bad.stderr.contains("a.hurl:4:8: ") && bad.stderr.contains("status = 3\n"), "\(bad)")
    }

    @Test(
        arguments: [
            ([], "There is no file"), (["no.hurl"], "cannot be read"), (["a.txt"], ".rest, .hurl or .har"),
            (["--var", "x", "a.hurl"], "name=value"), (["--jobs", "0", "a.hurl"], "1 to 64"),
            (["--report", "pdf=x", "a.hurl"], "junit=FILE"), (["--name", "no", "a.hurl"], "No request has that name"),
            (["--check", "--report", "json=x", "a.hurl"], "nothing to --report"),
            (["--check", "--option", "locaton=true", "a.hurl"], "is location meant?"),
        ] as [([String], String)])
    func `wrong arguments are named`(arguments: [String], text: String) async throws {
        try await withFolder { folder in
            try Data("GET http://127.0.0.1:1\n".utf8).write(to: folder.appendingPathComponent("a.hurl"))
            let run = try await ToolProcess(["run"] + arguments, directory: folder).finished()
            #expect(run.status != 0 && run.stderr.contains(text) && run.stdout.isEmpty, "\(run)")
        }
    }

    @Test func `a server that does not answer is a failure with its reason`() async throws {
        try await withFolder { folder in
            try Data("GET http://127.0.0.1:1/\n".utf8).write(to: folder.appendingPathComponent("a.hurl"))
            let run = try await ToolProcess(["run", "a.hurl"], directory: folder).finished()
            #expect(
                run.status == 1 && run.stdout.contains("a.hurl:1: GET http") && run.stdout.contains("refused"), "\(run)"
            )
        }
    }

    @Test func `an entry writes only into its folder`() async throws {
        let run = try await run(["a.hurl": "GET {{base}}/get\n[Options]\noutput: ../x\nHTTP 200\n"], "a.hurl")
        #expect(run.status == 1 && run.stdout.contains("outside of the folder"), "\(run)")
        let good = try await self.run(["a.hurl": "GET {{base}}/get\n[Options]\noutput: x.json\nHTTP 200\n"], "a.hurl") {
            let data = try Data(contentsOf: $0.appendingPathComponent("x.json"))
            #expect(data.first == UInt8(ascii: "{"))
        }
        #expect(good.status == 0, "\(good)")
    }

    @Test func `the exchanges are printed before the lines about them`() async throws {
        let run = try await run(["a.hurl": "GET {{base}}/get?x=1\nHTTP 200\n"], "a.hurl", "--print=Hb")
        let places = ["GET /get?x=1 HTTP/1.1\r\n", "\"args\": {", "a.hurl: ok"].map { run.stdout.firstRange(of: $0) }
        #expect(run.status == 0 && places.allSatisfy { $0 != nil }, "\(run)")
        #expect(places.compactMap { $0?.lowerBound } == places.compactMap { $0?.lowerBound }.sorted())
    }

    @Test func `a body is checked with and without its codings`() async throws {
        let text = """
            GET {{base}}/gzip
            [Options]
            compressed: true
            HTTP 200
            Content-Encoding: gzip
            [Asserts]
            jsonpath "$.gzipped" == true
            rawbytes startsWith hex,1f8b;
            bytes not startsWith hex,1f8b;
            """
        let run = try await run(["a.hurl": text], "a.hurl")
        #expect(run.status == 0, "\(run)")
    }

    @Test func `the certificate of a server is checked`() async throws {
        try await withFolder { folder in
            let server = try RunningProduct(
                "tsubame", ["serve", "--port", "0", "--tls-ca", folder.appending(path: "ca.pem").path])
            let line = try await server.line { $0.contains("https://") }
            let port = try #require(line.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) })
            let text = """
                GET https://localhost:\(port)/get
                [Options]
                cacert: ca.pem
                HTTP 200
                [Asserts]
                certificate "Expire-Date" daysAfterNow >= 0
                certificate "Expire-Date" isDate
                certificate "Start-Date" daysBeforeNow < 3
                certificate "Subject-Alt-Name" contains "DNS:localhost"
                certificate "Serial-Number" matches /^[0-9a-f:]+$/
                certificate "Value" startsWith "-----BEGIN CERTIFICATE-----"
                certificate "Issuer" contains "="
                certificate "Nope" exists
                """
            try Data(text.utf8).write(to: folder.appending(path: "a.hurl"))
            let run = try await ToolProcess(["run", "a.hurl"], directory: folder).finished()
            #expect(
                run.status == 1 && run.stdout.contains("“Nope” is no attribute of a certificate; there are Subject,"),
                "\(run)")
            #expect(run.stdout.components(separatedBy: "expected:").count == 2, "\(run)")
            server.send(signal: SIGINT)
            _ = try await server.finished()
        }
    }

    @Test(.enabled(if: SharedLibrary("xml2", version: 2) != nil, "libxml2 is not installed"))
    func `XPath reads XML and HTML`() async throws {
        let text = """
            GET {{base}}/xml
            HTTP 200
            [Asserts]
            xpath "count(//slide)" == 2
            xpath "string(/slideshow/@author)" == "Yours Truly"
            xpath "//slide/title" nth 1 == "Overview"
            xpath "//nothing" not exists
            xpath "boolean(//item)" == true
            GET {{base}}/html
            HTTP 200
            [Captures]
            title: xpath "string(//h1)"
            [Asserts]
            variable "title" == "Herman Melville - Moby-Dick"
            """
        let run = try await run(["a.hurl": text], "a.hurl")
        #expect(run.status == 0, "\(run)")
        let wrong = try await self.run(
            ["a.hurl": "GET {{base}}/xml\nHTTP 200\n[Asserts]\nxpath \"//[\" exists\n"], "a.hurl")
        #expect(wrong.status == 64 && wrong.stderr.contains("a.hurl:4:7: “//[” is no XPath"), "\(wrong)")
        let late = try await self.run(
            ["a.hurl": "GET {{base}}/xml\nHTTP 200\n[Asserts]\nxpath \"{{path}}\" exists\n"], "a.hurl", "--var=path=//["
        )
        #expect(late.status == 1 && late.stdout.contains("no XPath expression") && late.stderr.isEmpty, "\(late)")
        let other = try await self.run(
            ["a.hurl": "GET {{base}}/get\nHTTP 200\n[Asserts]\nxpath \"//a\" exists\n"], "a.hurl")
        #expect(other.status == 1 && other.stdout.contains("the body is no XML") && other.stderr.isEmpty, "\(other)")
    }

    @Test func `a redacted capture is not shown`() async throws {
        let text = """
            GET {{base}}/get?x=s3cret
            HTTP 200
            [Captures]
            x: jsonpath "$.args.x" redact
            GET {{base}}/get?y={{x}}
            HTTP 201
            """
        let run = try await run(["a.hurl": text], "a.hurl", "-v")
        #expect(run.status == 1 && run.stdout.contains("?y=***") && !run.stdout.contains("y=s3cret"), "\(run)")
        let printed = try await self.run(["a.hurl": text], "a.hurl", "--print=HBhb")
        #expect(printed.stdout.contains("GET /get?x=*** HTTP/1.1") && !printed.stdout.contains("s3cret"), "\(printed)")
    }

    @Test func `secrets of the environment are not printed`() async throws {
        let text = """
            POST {{base}}/post
            Authorization: Bearer {{token}}
            [BasicAuth]
            joe: {{token}}
            `{{token}}`
            GET {{base}}/get
            [BasicAuth]
            joe: {{token}}
            GET {{base}}/get
            [Options]
            user: joe:{{token}}
            """
        let run = try await run(
            ["a.hurl": text], "a.hurl", "--print=HBhb", environment: ["HURL_SECRET_token": "s3 cr\"et"])
        #expect(run.status == 0 && run.stdout.contains("Bearer ***") && run.stdout.contains("Basic ***"), "\(run)")
        for secret in ["s3 cr", "am9lOnMz", "s3%20cr"] { #expect(!run.stdout.contains(secret), "\(run)") }
    }
}
#endif

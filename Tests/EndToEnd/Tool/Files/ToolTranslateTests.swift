// ToolTranslateTests: `from-curl`, `--as`, `--har`, `convert`, `fmt`, and a load from a file.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolTranslateTests {
    private func tool(_ arguments: [String], input: ToolProcess.Input = .null, in folder: URL? = nil) async throws
        -> ProductRun
    {
        try await ToolProcess(arguments, input: input, directory: folder).finished()
    }

    @Test(arguments: [
        (["--proxy", "none", "https://h/"], "--proxy ''", ""),
        (["--proxy", "https:http://p:3128", "http://h/"], "--proxy ''", ""),
        (["-A", "any", "-a", "u:pw", "http://h/"], "--anyauth --user 'u:pw'", ""),
        (["--multipart", "POST", "http://h/", "Content-Type:", "a=b"], "--form-string", "the item Content-Type:"),
        (["--proxy", "http:http://p:3128", "--proxy", "https:none", "http://h/"], "--proxy 'http://p:3128'", ""),
        (["-A", "digest", "http://u:pw@h/"], "--digest --user 'u:pw'", ""),
        (["POST", "http://h/", "Content-Type:", "--raw", "abc"], "--header 'Content-Type:'", ""),
        (["-o", "out", "http://h/"], "curl", "left out: --output"),
        (["--verify", "ca.pem", "http://h/"], "curl", "left out: --cacert"),
    ])
    func `a line for curl does what the tool would do, or says what it leaves out`(
        words: [String], text: String, said: String
    ) async throws {
        let run = try await tool(["--ignore-config", "--ignore-netrc", "--as", "curl"] + words)
        #expect(run.status == 0 && run.stdout.contains(text), "\(run)")
        #expect(said.isEmpty ? run.stderr.isEmpty : run.stderr.contains(said), "\(run)")
        #expect(!run.stdout.contains("Content-Type: application") && !run.stdout.contains("proxy 'none'"), "\(run)")
    }

    @Test func `an option of an entry is kept by curl, or named`() async throws {
        let text = """
            GET https://h/
            [Options]
            cacert: ca.pem
            cert: c.pem
            key: k.pem
            unix-socket: s
            compressed: true
            connect-timeout: 3s
            http1.1: true
            no-header: Accept
            delay: 1s
            proxy: {{p}}
            HTTP 200
            """
        try await withFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "sub"), withIntermediateDirectories: false)
            try Data(text.utf8).write(to: folder.appending(path: "sub/a.hurl"))
            let curl = try await tool(
                ["convert", "sub/a.hurl", "-", "--to", "curl", "--var", "p=http://p"], in: folder)
            for part in [
                "--cacert 'sub/ca.pem'", "--cert 'sub/c.pem'", "--key 'sub/k.pem'", "--unix-socket 'sub/s'",
                "--compressed",
                "--connect-timeout 3", "--http1.1", "--header 'Accept:'",
            ] { #expect(curl.stdout.contains(part), "\(part) in \(curl)") }
            #expect(
                curl.stderr == "tsubame: left out: the option delay of GET https://h/\n"
                    + "tsubame: left out: the option proxy of GET https://h/\n"
                    + "tsubame: left out: the checks and captures of 1 request\n", "\(curl)")
            let archive = try await tool(
                ["convert", "sub/a.hurl", "-", "--to", "har", "--var", "p=http://p"], in: folder)
            for name in ["cacert", "unix-socket", "delay"] {
                #expect(archive.stderr.contains("left out: the option \(name) of"), "\(archive)")
            }
        }
    }

    @Test func `a line for curl becomes an entry, or its options are named`() async throws {
        try await withFolder { folder in
            let line = "curl --cacert ca.pem -E c.pem:pw -o out -x '' -A '' -H 'Accept:' http://h/\n"
            try Data(line.utf8).write(to: folder.appending(path: "a.curl"))
            let run = try await tool(["convert", "a.curl", "-", "--to", "hurl"], in: folder)
            for name in ["--cacert", "--cert", "--output", "--proxy none"] {
                #expect(run.stderr.contains("left out: \(name) of GET http://h/"), "\(run)")
            }
            #expect(run.stdout.contains("no-header: Accept\n") && !run.stdout.contains("Tsubame/"), "\(run)")
        }
    }

    /// The method, target, fields and body of a request, without the fields that each program sets by itself.
    private func shown(_ record: RequestRecord, without names: Set<String> = ["host", "user-agent"]) -> String {
        let type = record.fields.first { $0.name.lowercased() == "content-type" }?.value
        let boundary = type.flatMap { $0.contains("boundary=") ? $0.split(separator: "boundary=").last : nil }
        // Each program chooses a boundary, whose length counts.
        let names = boundary == nil ? names : names.union(["content-length"])
        let fields = record.fields.map { "\($0.name.lowercased()): \($0.value)" }
            .filter { field in !names.contains(String(field.prefix { $0 != ":" })) }.sorted()
        let text = "\(record.method) \(record.target)\n\(fields.joined(separator: "\n"))\n\n\(record.text)"
        return boundary.map { text.replacing($0, with: "BOUNDARY") } ?? text
    }

    private static let lines = [
        "curl URL/anything", "curl -X PUT URL/anything -H 'A: b' -H 'Empty;' --data-raw '{\"a\": \"it'\\''s\"}'",
        "curl URL/anything --data-urlencode 'a=b c' -d x=1 -G", "curl -u joe:secret URL/anything?x=1",
        "curl URL/anything -d a=1 --data b=2 -A agent -b 'c=d' -e http://r/", "curl -I URL/anything",
        "curl --json '{\"a\":1}' URL/anything",
        "curl URL/anything -H 'Content-Type: text/plain' --data-binary @file.txt",
        "curl URL/anything -F a=b -F 'f=@file.txt;type=text/x' -F 'm={\"a\":[1,2]};type=application/json'",
        "curl URL/anything -F 'e=\"x;y\"' -F 't=<file.txt' -F 'c= d ;z=1' -F 'g=@\"file.txt\";filename=h.txt'",
        "curl -T file.txt URL/anything/", "curl -T file.txt -X POST 'URL/anything/?q=1'",
        "curl -z '-Wed, 21 Oct 2015 07:28:00 GMT' URL/anything", "curl -e ';auto' URL/anything",
        "curl -H 'Referer: a' -e b -H 'Cookie: z=1' -b a=b URL/anything",
        "curl -A '' -H 'User-Agent: y' -e x -e '' -r 0-3 -r 1-2 URL/anything", "curl -A '' -A x -A z URL/anything",
        "curl -z 'Wed, 21 Oct 2015 07:28:00 GMT' -z '-Wed, 21 Oct 2015 07:28:00 GMT' -r 0-3 -H 'Range: a' URL/anything",
        "curl --json '{}' -H 'Accept: x' --oauth2-bearer tok -u a:b URL/anything",
        "curl -T file.txt URL/anything", "curl -r 0-3 --compressed -H 'Accept-Encoding: gzip' URL/anything",
    ]

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "there is no /usr/bin/curl"),
        arguments: Self.lines)
    func `the server gets the same from curl and from a pasted line`(line: String) async throws {
        try await withFolder { folder in
            try Data("a file\nwith lines\n".utf8).write(to: folder.appending(path: "file.txt"))
            try await withHTTPBin { url, log in
                let line = line.replacing("URL", with: url)
                let child = try ChildProcess(
                    "/bin/sh", ["-c", "cd '\(folder.path)' && \(line) --silent --noproxy '*' -H Expect: > /dev/null"],
                    streams: [nil, 1, 2], environment: ["PATH": "/usr/bin:/bin"])
                let status = await withCheckedContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(returning: child.collect()) }
                }
                let run = try await tool(["from-curl", line], in: folder)
                #expect(status == 0 && run.status == 0, "\(run)")
                let records = log.all
                try #require(records.count == 2, "\(run)")
                let names: Set = line.contains(" -A ") ? ["host"] : ["host", "user-agent"]
                #expect(shown(records[0], without: names) == shown(records[1], without: names))
            }
        }
    }

    /// Lines whose bodies look like something else in a file.
    private static let bodies = [
        "curl URL/anything -d '{\"a\": \"it is\"}'", "curl URL/anything -d $'l1\\nl2 & x'",
        "curl URL/anything -d 'a=b c&d=%41+x'",
        "curl URL/anything -H 'Content-Type: text/plain' -d $'# a\\n### b\\n{{c}}\\n'",
        "curl URL/anything -H 'Content-Type: application/x-ndjson' --data-binary '{}'",
        "curl URL/anything -H 'X-Request-Type: GraphQL' -H 'Content-Type: text/plain' -d '{ a }'",
        "curl URL/anything -H 'Authorization: Basic a b' -H 'Content-Type: text/x' -d $'```\\nx\\r\\ny`'",
        "curl URL/anything -F 'f=@file.txt;filename=h.txt' -F 'a=b'",
    ]

    @Test(arguments: Self.lines + Self.bodies, ["http", "hurl"])
    func `a printed file sends what the pasted line sends`(line: String, language: String) async throws {
        try await withFolder { folder in
            try Data("a file\nwith lines\n".utf8).write(to: folder.appending(path: "file.txt"))
            try await withHTTPBin { url, log in
                let line = line.replacing("URL", with: url)
                let sent = try await tool(["from-curl", line], in: folder)
                let printed = try await tool(["from-curl", line, "--as", language], in: folder)
                #expect(sent.status == 0 && printed.status == 0, "\(printed)")
                let name = "a.\(language)"
                try Data(printed.stdout.utf8).write(to: folder.appending(path: name))
                let run = try await tool(["run", name], in: folder)
                #expect(run.status == 0, "\(run) \(printed.stdout)")
                let records = log.all
                try #require(records.count == 2, "\(printed.stdout)")
                let losses = printed.stderr
                guard losses.isEmpty else {
                    #expect(
                        losses.contains("filename") || losses.contains("the type") || losses.contains("line ends"),
                        "\(losses)")
                    return
                }
                let left: Set = ["host", "user-agent", "accept-encoding"]
                #expect(shown(records[0], without: left) == shown(records[1], without: left), "\(printed.stdout)")
            }
        }
    }

    @Test func `words after curl may be pasted without quotes`() async throws {
        try await withHTTPBin { url, log in
            let run = try await tool(["from-curl", "--print=h", "curl", "-H", "A: b", url + "/get", "-s"])
            #expect(run.status == 0 && run.stdout.hasPrefix("HTTP/1.1 200"), "\(run)")
            #expect(log.all.first?.fields.contains { $0.name.lowercased() == "a" && $0.value == "b" } == true)
            let piped = try await tool(
                ["from-curl", "-", "--as", "http"], input: .pipe(Array("curl \(url)/x -d a".utf8)))
            #expect(piped.status == 0 && piped.stdout.contains("POST \(url)/x\n"), "\(piped)")
            #expect(log.all.count == 1)
        }
    }

    @Test(
        arguments: [
            (["from-curl"], "There is no curl command"), (["from-curl", "curl --ntlm http://h"], "NTLM"),
            (["from-curl", "curl \"http://h/$(id)\""], "run a command"),
            (["from-curl", "curl a; curl b"], "2 commands"),
            (["--as", "rust", "http://h"], "is none of curl"),
            (["Authorization: Bearer t", "h"], "the URL goes before the items.\n"),
            (["X-Token:secret", "http://h"], "the URL goes before the items.\n"),
            (["password=secret", "http://h"], "the URL goes before the items.\n"),
            (["POST", "http://127.0.0.1:1", "Transfer-Encoding:chunked", "a=b"], "--chunked sends"),
            (["--as", "curl", "--offline", "http://h"], "goes with neither"),
            (["--har", "x.har", "--offline", "http://h"], "nothing for --har"),
            (["--har", "/nonexistent/x.har", "http://127.0.0.1:1"], "cannot be written"),
            (["--har", ".", "http://127.0.0.1:1"], "the archive . cannot be written"),
            (["convert", "a.http"], "Two files"), (["convert", "a.xyz", "-"], "shows no format"),
            (["fmt"], "There is no file"),
            (["bench", "--requests-of", "a.http", "http://h"], "goes with it"),
            (["bench", "--env", "x", "http://h"], "--requests-of"),
        ])
    func `wrong arguments are named`(arguments: [String], text: String) async throws {
        let run = try await tool(arguments)
        #expect(run.status != 0 && run.stderr.contains(text) && run.stdout.isEmpty, "\(run)")
    }

    @Test func `options without a counterpart are named, and a chunked body is one`() async throws {
        let run = try await tool(["--as", "swift", "--chunked", "--cookie-jar", "x", "http://h", "a=b"])
        #expect(run.status == 0 && run.stderr == "tsubame: left out: --cookie-jar\ntsubame: left out: --chunked\n")
        let curl = try await tool(["--as", "curl", "--chunked", "http://h", "a=b"])
        #expect(curl.stderr.isEmpty && curl.stdout.contains("--header 'Transfer-Encoding: chunked'"), "\(curl)")
        try await ScriptedServer.start { _ in .ok("") }.use { server in
            let line = "curl -H 'Transfer-Encoding: chunked' -d a=b \(server.url)"
            let sent = try await tool(["from-curl", line])
            #expect(sent.status == 0 && sent.stderr.isEmpty, "\(sent)")
            #expect(server.requests.first?["transfer-encoding"] == "chunked")
        }
    }

    @Test func `an archive has the whole body, also if it is not printed`() async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, _ in
                let run = try await tool(["--har", "a.har", "--print=h", url + "/range/100000"], in: folder)
                #expect(run.status == 0, "\(run)")
                let archive = try String(contentsOf: folder.appending(path: "a.har"), encoding: .utf8)
                #expect(archive.contains(/"bodySize"\s*:\s*100000/), "\(archive.prefix(2_000))")
            }
        }
    }

    @Test(arguments: ["http", "hurl"])
    func `a printed file sends the same request`(format: String) async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, log in
                let words = ["PUT", url + "/anything?q=1", "a=it's {{b}}", "n:=[1]", "X-A:b", "Authorization:Bearer t"]
                let printed = try await tool(["--as", format] + words)
                #expect(printed.status == 0 && log.all.isEmpty, "\(printed)")
                try Data(printed.stdout.utf8).write(to: folder.appending(path: "a.\(format)"))
                let sent = try await tool(words)
                let run = try await tool(["run", "a.\(format)", "--var", "b={{b}}"], in: folder)
                #expect(sent.status == 0 && run.status == 0, "\(run)")
                try #require(log.all.count == 2)
                #expect(shown(log.all[0]) == shown(log.all[1]))
            }
        }
    }

    @Test func `an archive has the exchange, and is replayed`() async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, log in
                let run = try await tool(["--har", "a.har", "-F", url + "/redirect/1", "A:b"], in: folder)
                #expect(run.status == 0, "\(run)")
                let path = folder.appending(path: "a.har").path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let replayed = try await tool(["run", "a.har", "-v"], in: folder)
                #expect(replayed.status == 0 && replayed.stdout.contains("a.har: ok, 2 requests in "), "\(replayed)")
                #expect(log.all.count == 4 && shown(log.all[1]) == shown(log.all[3]))
                let converted = try await tool(["convert", "a.har", "-", "--to", "http"], in: folder)
                #expect(
                    converted.stdout.contains("GET \(url)/redirect/1\n")
                        && converted.stdout.contains("# > status == 302\n"), "\(converted)")
            }
        }
    }

    @Test func `a pipe takes the archive, and stays a pipe`() async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, _ in
                let script =
                    "mkfifo p; cat p > copy & \"$1\" --har p -q \"$2/get\"; wait; [ -p p ] && grep -c '\"log\"' copy"
                let path = try BuiltProducts.url(of: "tsubame").path
                let run = try await RunningProduct(
                    "/bin/sh", ["-c", "cd \"$0\"; \(script)", folder.path, path, url]
                ).finished()
                #expect(run.status == 0 && run.stdout == "1\n", "\(run)")
            }
        }
    }

    @Test func `an archive on the standard output leaves what is there`() async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, _ in
                let path = try BuiltProducts.url(of: "tsubame").path
                let script =
                    "cd \"$0\"; echo before > all; \"$1\" --har /dev/stdout -q \"$2/get\" >> all; head -1 all; grep -c log all"
                let run = try await RunningProduct("/bin/sh", ["-c", script, folder.path, path, url]).finished()
                #expect(run.status == 0 && run.stdout == "before\n1\n", "\(run)")
            }
        }
    }

    @Test func `a file is not translated into itself`() async throws {
        try await withFolder { folder in
            let text = "GET http://127.0.0.1:1/\n\n> {% client.log(1) %}\n"
            let file = folder.appending(path: "a.http")
            try Data(text.utf8).write(to: file)
            let run = try await tool(["convert", "a.http", "./a.http"], in: folder)
            #expect(run.status == 64 && run.stderr.contains("the same file"), "\(run)")
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test func `files are translated, and losses are named`() async throws {
        try await withFolder { folder in
            let http = "@base = http://127.0.0.1:1\n### One\n# @loop for 2\nGET {{base}}/x\nA: b\n\n# > status == 200\n"
            try Data(http.utf8).write(to: folder.appending(path: "a.http"))
            let hurl = try await tool(["convert", "a.http", "a.hurl"], in: folder)
            #expect(hurl.status == 0 && hurl.stderr.contains("left out: the loop of GET {{base}}/x"), "\(hurl)")
            let text = try String(contentsOf: folder.appending(path: "a.hurl"), encoding: .utf8)
            #expect(text.contains("variable: base=http://127.0.0.1:1\n") && text.contains("status == 200\n"))
            let curl = try await tool(["convert", "a.http", "-", "--to", "curl"], in: folder)
            #expect(
                curl.stdout.contains("--header 'A: b'") && curl.stdout.hasSuffix("'http://127.0.0.1:1/x'\n"), "\(curl)")
            try Data(curl.stdoutBytes).write(to: folder.appending(path: "a.sh"))
            let postman = try await tool(["convert", "a.sh", "a.json"], in: folder)
            let back = try await tool(["convert", "a.json", "-", "--to", "http"], in: folder)
            #expect(postman.status == 0 && back.stdout.contains("GET http://127.0.0.1:1/x\n"), "\(postman) \(back)")
            let unknown = try await tool(["convert", "a.hurl", "-", "--to", "curl", "--var", "base={{c}}"], in: folder)
            #expect(unknown.status == 0, "\(unknown)")
        }
    }

    @Test func `files are formatted in place`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.hurl")
            try Data("GET http://h  \nA:b\n".utf8).write(to: file)
            let check = try await tool(["fmt", "--check", "a.hurl"], in: folder)
            #expect(check.status == 1 && check.stdout.contains("a.hurl"), "\(check)")
            let run = try await tool(["fmt", "a.hurl"], in: folder)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(run.status == 0 && text == "GET http://h\nA: b\n", "\(run)")
            #expect(try await tool(["fmt", "--check", "a.hurl"], in: folder).status == 0)
            try Data("GET\n".utf8).write(to: file)
            #expect(try await tool(["fmt", "a.hurl"], in: folder).status == 64)
        }
    }

    @Test func `a file of requests is a load`() async throws {
        try await withFolder { folder in
            try await withHTTPBin { url, log in
                let http =
                    "GET {{base}}/get?a=1\n###\nPOST {{base}}/post\nContent-Type: application/json\n\n{\"a\": {{n}}}\n"
                try Data(http.utf8).write(to: folder.appending(path: "load.http"))
                let run = try await tool(
                    [
                        "bench", "-n", "10", "-c", "2", "--requests-of", "load.http", "--var", "base=\(url)", "--var",
                        "n=3",
                    ],
                    in: folder)
                #expect(run.status == 0 && run.stdout.contains("2 URLs of load.http"), "\(run)")
                #expect(log("GET", "/get").count == 5 && log("POST", "/post").allSatisfy { $0.text == "{\"a\": 3}" })
            }
        }
    }
}
#endif

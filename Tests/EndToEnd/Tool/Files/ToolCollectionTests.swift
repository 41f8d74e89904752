// ToolCollectionTests: collections as users write them, where a translation could lose something.
#if Server
import Foundation
import HTTPBin
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolCollectionTests {
    private func tool(
        _ files: [String: String], _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (run: ProductRun, log: [RequestRecord]) {
        try await withFolder { folder in
            try await withHTTPBin { url, log in
                for (name, text) in files {
                    let file = folder.appending(path: name)
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(text.replacing("URL", with: url).utf8).write(to: file)
                }
                // The words of several commands are divided by a semicolon, and the last one counts.
                var run: ProductRun?
                for words in arguments.split(separator: ";") {
                    run = try await ToolProcess(
                        words.map { $0.replacing("URL", with: url) }, environment: environment, directory: folder
                    ).finished()
                }
                return (try #require(run), log.all)
            }
        }
    }

    @Test func `an archive gets bodies of files, and the rest is named`() async throws {
        let files = ["a.http": "PUT URL/anything\nContent-Type: text/plain\n\n< f.txt\n", "f.txt": "of a file"]
        let (run, log) = try await tool(files, ["convert", "a.http", "a.har", ";", "run", "a.har"])
        #expect(run.status == 0 && log.map(\.text) == ["of a file"], "\(run)")
        let parts = ["a.hurl": "POST URL/anything\n[Multipart]\nf: file,f.txt;\n", "f.txt": "x"]
        let lost = try await tool(parts, ["convert", "a.hurl", "a.har"]).run
        #expect(lost.stderr.contains("left out: the body of POST "), "\(lost)")
        let digest = ["a.http": "GET URL/anything\nAuthorization: Digest joe secret\n"]
        let challenge = try await tool(digest, ["convert", "a.http", "a.har"]).run
        #expect(challenge.stderr.contains("left out: the credentials of GET "), "\(challenge)")
    }

    @Test func `an archive may have parts in place of a body`() async throws {
        let har = """
            {"log": {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": [{"startedDateTime": "x",
             "request": {"method": "POST", "url": "URL/post", "headers": [{"name": "Content-Type",
               "value": "multipart/form-data; boundary=XX"}], "postData": {"mimeType": "multipart/form-data; boundary=XX",
               "params": [{"name": "a", "value": "1"}, {"name": "f", "fileName": "a.txt", "contentType": "text/plain",
               "value": "hello"}]}}, "response": {"status": 200}}]}}
            """
        let (run, log) = try await tool(["a.har": har], ["run", "a.har", "--print", "b"])
        #expect(run.status == 0 && run.stdout.contains("\"a\": \"1\"") && run.stdout.contains("hello"), "\(run)")
        #expect(
            log.first?.text.contains("name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhello") == true)
    }

    @Test(
        arguments: [
            ("QZXhunter2", "QZXhunter2"), ("QZX<173%", "173%"), ("QZX\"é-key", "-key"), ("QZX|a%41", "a%41"),
        ], ["json", "junit", "html"])
    func `no output shows a secret`(secret: (value: String, part: String), report: String) async throws {
        let text = """
            GET URL/anything?k={{token}}
            [BasicAuth]
            joe: {{token}}
            HTTP 200
            [Asserts]
            jsonpath "$.headers.Authorization" == "x"
            body contains "zzz"
            """
        let (run, log) = try await tool(
            ["a.hurl": text], ["run", "a.hurl", "--print", "HhBb", "--report", "\(report)=/dev/stdout"],
            environment: ["HURL_SECRET_token": secret.value])
        #expect(run.status == 1 && log.count == 1)
        let marks = ["json": "{", "junit": "<testsuite", "html": "<html"]
        #expect(marks[report].map(run.stdout.contains) == true, "\(run)")
        let basic = Data("joe:\(secret.value)".utf8).base64EncodedString()
        let all = run.stdout + run.stderr
        #expect(!all.contains(secret.part) && !all.contains(basic) && !all.contains("QZX"), "\(run)")
    }

    @Test(arguments: ["curl", "http", "hurl", "tsubame", "swift"])
    func `printed requests keep the number of redirects and dot segments`(language: String) async throws {
        let run = try await tool(
            [:], ["--as", language, "-F", "--max-redirects", "2", "--path-as-is", "URL/a/../b", "User-Agent:"]
        ).run
        let number =
            [
                "curl": "--max-redirs 2", "http": "# @max-redirs 2", "hurl": "max-redirs: 2",
                "tsubame": "--max-redirects=2",
            ][
                language] ?? ".follow(max: 2)"
        #expect(run.status == 0 && run.stdout.contains(number) && run.stdout.contains("/a/../b"), "\(run)")
        let agent =
            [
                "curl": "'User-Agent:'", "http": "# @no-header User-Agent", "hurl": "no-header: User-Agent",
                "tsubame": "User-Agent:",
            ][
                language] ?? ""
        #expect(run.stdout.contains(agent) || run.stderr.contains("User-Agent:"), "\(run)")
    }

    @Test(arguments: ["http", "hurl", "python"])
    func `a target that is no URL is named`(language: String) async throws {
        let run = try await tool([:], ["--as", language, "OPTIONS", "URL", "--request-target", "*"]).run
        #expect(run.status == 0 && run.stderr.contains("left out: --request-target *"), "\(run)")
    }

    @Test func `a collection of Postman keeps blanks, all files and disabled parameters`() async throws {
        let collection = """
            {"info": {"name": "x", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
             "item": [
               {"name": "one", "request": {"method": "GET", "url": "URL/anything?q=a b"}},
               {"name": "two", "request": {"method": "GET", "url": {"raw": "URL/anything?on=1&off=2", "query": [
                 {"key": "on", "value": "1"}, {"key": "off", "value": "2", "disabled": true}]}}},
               {"name": "three", "request": {"method": "POST", "url": "URL/anything", "body": {"mode": "formdata", "formdata": [
                 {"key": "g", "type": "file", "src": ["a.txt", "b.txt"]}, {"key": "n", "type": "file", "src": null}]}}},
               {"name": "four", "request": {"method": "POST", "url": "URL/anything", "body": {"mode": "raw", "raw": "<a/>",
                 "options": {"raw": {"language": "xml"}}}}}]}
            """
        for format in ["http", "hurl"] {
            let (run, log) = try await tool(
                ["p.json": collection, "a.txt": "first", "b.txt": "second"],
                ["convert", "p.json", "p.\(format)", ";", "run", "p.\(format)"])
            #expect(run.status == 0 && log.count == 4, "\(run)")
            try #require(log.count == 4)
            #expect(log[0].target.hasSuffix("/anything?q=a%20b") && log[1].target.hasSuffix("/anything?on=1"))
            #expect(log[2].text.contains("first") && log[2].text.contains("second"))
            #expect(log[3].fields.contains { $0.value.hasPrefix("application/xml") }, "\(log[3].fields)")
        }
    }

    @Test func `a right Content-Length is no mistake, and a wrong one says why`() async throws {
        let (run, log) = try await tool(
            ["a.hurl": "POST URL/anything\nContent-Length: 3\n`abc`\n"],
            ["run", "a.hurl", ";", "from-curl", "curl URL/anything -H 'Content-Length: 3' -d abc"])
        #expect(run.status == 0 && log.map(\.text) == ["abc", "abc"], "\(run)")
        let wrong = try await tool([:], ["from-curl", "curl URL/anything -H 'Content-Length: 4' -d abc"]).run
        #expect(wrong.status == 64 && wrong.stderr.contains("is 4, but the body has 3 bytes"), "\(wrong)")
    }

    @Test func `messages say which command, environment and character are meant`() async throws {
        let lines = "curl URL/get\ncurl URL/get --ntlm\n"
        let curl = try await tool(["a.sh": lines], ["convert", "a.sh", "a.http"]).run
        #expect(curl.status == 64 && curl.stderr.contains("a.sh, command 2: "), "\(curl)")
        let files = ["http-client.env.json": "{\"dev\": {\"n\": \"1\"}}", "a.http": "GET URL/get?n={{n}}\n"]
        let environment = try await tool(files, ["run", "a.http"]).run
        #expect(
            environment.stdout.contains("no environment is chosen, and there are dev: give --env"), "\(environment)")
        let text = "POST URL/anything\n\na\u{A0}b\n# > jsonpath \"$.data\" == \"a b\"\n"
        let alike = try await tool(["a.http": text], ["run", "a.http"]).run
        #expect(
            alike.stdout.contains("came:     string <a\\u{a0}b>"), "\(alike)")
    }

    @Test func `a check without a request is a mistake`() async throws {
        let text = "### Get\n# > status == 404\n\n### Get it\nGET URL/get\n"
        let run = try await tool(["a.http": text], ["run", "a.http"]).run
        #expect(run.status == 64 && run.stderr.contains("a.http:2:1: a check or a capture needs a request"), "\(run)")
    }

    @Test func `comments and quotation marks of a dotenv file are no values`() async throws {
        let lines = "A=1 # comment\nexport B=\"x y\" # c\nC='l1\nl2'\nD=\"a\\nb\"\nE=p#q\n# F=1\nG=\n"
        let text =
            "POST URL/anything\n\n{{$dotenv A}}|{{$dotenv B}}|{{$dotenv C}}|{{$dotenv D}}|{{$dotenv E}}|{{$dotenv G}}|\n"
        let (run, log) = try await tool([".env": lines, "a.http": text], ["run", "a.http"])
        #expect(run.status == 0 && log.first?.text == "1|x y|l1\nl2|a\nb|p#q||", "\(run) \(log.first?.text ?? "")")
    }

    @Test func `an environment may begin with a byte order mark, and a device is no file`() async throws {
        let files = ["http-client.env.json": "\u{FEFF}{\"dev\": {\"n\": \"1\"}}", "a.http": "GET URL/get?n={{n}}\n"]
        let (run, log) = try await tool(files, ["run", "--env", "dev", "a.http"])
        #expect(run.status == 0 && log.first?.target.hasSuffix("/get?n=1") == true, "\(run)")
        let device = try await tool([:], ["convert", "--from", "http", "/dev/zero", "a.hurl"]).run
        #expect(device.status == 1 && device.stderr.contains("neither a file nor a pipe"), "\(device)")
    }
}
#endif

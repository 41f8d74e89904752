// FileWriterTests: files that are written in another format, and read again.

import HTTPTypes
import Testing
import TsubameCore

@testable import TsubameRequestFiles

@Suite struct FileWriterTests {
    private static let hurl = """
        # The first
        POST http://h/{{path}}?a=1
        X-A: b\\#c {{d}}
        [Options]
        location: true
        retry: 3
        [Query]
        q: a b
        [Cookies]
        c: d
        [BasicAuth]
        joe: {{secret}}
        {"a": "{{b}}", "n": [1]}

        HTTP/1.1 201
        Location: /x
        [Captures]
        id: jsonpath "$.id" toString redact
        [Asserts]
        jsonpath "$.a" == "b"
        header "A" not exists

        POST http://h/form
        [Form]
        a: 1 2
        b: {{c}}
        HTTP *

        POST http://h/files
        [Multipart]
        a: text
        f: file,a b.txt; text/plain
        HTTP 200
        ```
        two
        lines
        ```

        PUT http://h/bytes
        base64,AP8=;
        """

    @Test func `Hurl is written as it was read`() throws {
        let file = try HurlParser.parse(Self.hurl, path: "a.hurl")
        let once = HurlWriter(file)
        let again = HurlWriter(try HurlParser.parse(once.text, path: "b.hurl"))
        #expect(once.text == again.text && once.losses.isEmpty)
        #expect(once.text.contains("X-A: b\\#c {{d}}\n") && once.text.contains("q: a b\n"))
        #expect(once.text.contains("id: jsonpath \"$.id\" toString redact\n") && once.text.contains("HTTP/1.1 201\n"))
    }

    @Test func `Hurl becomes an http file that means the same`() throws {
        let file = try HurlParser.parse(Self.hurl, path: "a.hurl")
        let writer = HTTPFileWriter(file)
        let http = try HTTPFileParser.parse(writer.text, path: "a.http")
        #expect(http.entries.count == 4 && writer.losses == ["a body of 2 bytes, which has to be a file here"])
        #expect(
            http.entries[0].url.source == "http://h/{{path}}?a=1&q=a%20b" && http.entries[0].user?.name.source == "joe")
        #expect(
            http.entries[0].response?.assertions.count == 5
                && http.entries[0].response?.captures.first?.isRedacted == true)
        #expect(http.entries[0].fields.map(\.name.source) == ["X-A", "Cookie", "Content-Type"])
        #expect(http.entries[2].options.first?.value.source == "false")
        // Once it is an http file, nothing changes any more.
        #expect(
            HTTPFileWriter(http).text
                == HTTPFileWriter(try HTTPFileParser.parse(HTTPFileWriter(http).text, path: "b.http")).text)
    }

    private static let http = """
        @base = http://h
        ### Login
        # @name login
        # @tag a
        # @timeout 10s
        POST {{base}}/login HTTP/1.1
        Content-Type: application/json

        {"a": {"b": {{c}}}}

        # @capture id = jsonpath "$.id"
        # > status == 200
        ###
        # @no-redirect
        # @loop row of rows.csv
        # @prompt otp
        GET {{base}}/x

        """

    @Test func `an http file is written as it was read`() throws {
        let file = try HTTPFileParser.parse(Self.http, path: "a.http")
        let writer = HTTPFileWriter(file)
        let again = try HTTPFileParser.parse(writer.text, path: "b.http")
        #expect(HTTPFileWriter(again).text == writer.text && writer.losses.isEmpty)
        #expect(again.entries[1].options.first?.value.source == "false" && again.entries[1].prompts.count == 1)
        let hurl = HurlWriter(file)
        #expect(hurl.text.contains("variable: base=http://h\n") && hurl.losses.count == 2)
        #expect(try HurlParser.parse(hurl.text, path: "a.hurl").entries.count == 2)
    }

    @Test func `expressions about responses become captures of Hurl`() throws {
        let file = try HTTPFileParser.parse(
            """
            @base = http://h
            @token = {{login.response.headers.X-Token}}
            @auth = Bearer {{token}}
            ### login
            {{base}}/login
            ###
            POST {{base}}/{{login.response.body.$.list[0].id}}?again={{login.response.body.$.list[0].id}}
            Authorization: {{auth}}
            X: {{login.response.status}} {{login.response.body.*}} {{login.response.body.//a/@b}} {{login.request.body.*}}

            {"all": "{{auth}}"}
            """, path: "a.http")
        let writer = HurlWriter(file)
        let entries = try HurlParser.parse(writer.text, path: "a.hurl").entries
        #expect(
            entries[0].response?.captures.map { "\($0.name.source): \($0.text)" } == [
                "login_body_list_0_id: jsonpath \"$.list[0].id\"", "login_headers_X_Token: header \"X-Token\"",
                "login_status: status", "login_body: body", "login_body_a_b: xpath \"string(//a/@b)\"",
            ])
        #expect(
            entries[1].url.source
                == "{{base}}/{{login_body_list_0_id}}?again={{login_body_list_0_id}}")
        #expect(entries[1].fields[0].value.source == "Bearer {{login_headers_X_Token}}")
        #expect(entries[0].options.filter { $0.name == "variable" }.map(\.value.source) == ["base=http://h"])
        #expect(writer.losses.count == 1 && writer.losses[0].contains("login.request.body"))
    }

    @Test func `a form with files becomes parts of Hurl`() throws {
        let head = "POST http://h\nContent-Type: multipart/form-data; boundary=X\n\n"
        let text = """
            --X
            Content-Disposition: form-data; name="t"

            two
            lines of {{x}}
            --X
            Content-Disposition: form-data; name="f"; filename="a.txt"
            Content-Type: text/plain

            < dir/a.txt
            --X--
            """
        let writer = HurlWriter(try HTTPFileParser.parse(head + text, path: "a.http"))
        let entry = try #require(try HurlParser.parse(writer.text, path: "a.hurl").entries.first)
        #expect(entry.parts.map(\.name.source) == ["t", "f"] && entry.fields.isEmpty && writer.losses.isEmpty)
        guard case .text(let found) = entry.parts[0].content, case .file(let path) = entry.parts[1].content
        else {
            Issue.record("the parts are of other kinds")
            return
        }
        #expect(
            found.source == "two\r\nlines of {{x}}" && path.source == "dir/a.txt"
                && entry.parts[1].contentType?.source == "text/plain")
        // Hurl has no other name for a file.
        let other = HurlWriter(
            try HTTPFileParser.parse(head + text.replacing("\"a.txt\"", with: "\"b.txt\""), path: "a.http"))
        #expect(other.losses == ["the filename b.txt of the part f"])
    }

    private func archive(of requests: [Request]) throws -> [UInt8] {
        let entry = FileEntry(place: FilePlace(line: 1, column: 1), method: "GET", url: TemplateText())
        return try ArchiveReader.archive(
            of: requests.map { ($0, entry) }, started: "2026-01-30T10:00:00.000Z", version: "1"
        ) { _ in [] }.json
    }

    @Test func `a replay keeps no cookies in an http file, either`() throws {
        let request = Request(.get, url: "http://h/", encodedQuery: "", headers: ["#tag": "x"], body: .empty)
        let bytes = try archive(of: [request])
        let writer = HTTPFileWriter(try ArchiveReader.file(bytes, path: "a.har"))
        #expect(writer.text.contains("# @no-cookie-jar\n") && writer.text.contains("# @compressed false\n"))
        #expect(writer.losses == ["the exact fields of GET http://h/"])
    }

    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", "{\"a\": \"b c\"}"),
            ("application/x-www-form-urlencoded", "a=1\nb=2 "),
            ("application/x-ndjson", "{}"), ("application/x-ndjson", "{}\n"), ("text/plain", "a\rb\r\nc\n\n"),
            ("text/plain", "\n a\n# > status == 1\n###\n> {% x %}\n<@ f\n{{x}} {{{y}}"),
            ("multipart/form-data; boundary=X", "--X\r\n\r\na\r\n--X--\r\n"),
        ])
    func `recorded bodies stay what they are`(type: String, body: String) throws {
        let place = FilePlace(line: 1, column: 1)
        var entry = FileEntry(place: place, method: "POST", url: TemplateText("http://h/"))
        entry.fields = [FileEntry.Field(name: TemplateText("Content-Type"), value: TemplateText(type), place: place)]
        entry.body = .text(TemplateText(body), .plain)
        let file = RequestFile(path: "", entries: [entry])
        let (http, hurl) = (HTTPFileWriter(file), HurlWriter(file))
        #expect(http.losses.isEmpty && hurl.losses.isEmpty)
        for again in [
            try HTTPFileParser.parse(http.text, path: "a.http"), try HurlParser.parse(hurl.text, path: "a.hurl"),
        ] {
            var variables = FileVariables()
            for variable in again.variables { variables.define(variable.name.source, variable.value) }
            switch again.entries.first?.body {
            case .text(let text, let kind):
                let found = try variables.text(of: text)
                #expect((kind == .form ? FormText.encoded(found) : found) == body)
            case .bytes(let bytes): #expect(bytes == Array(body.utf8))
            default: Issue.record("the body is of another kind: \(http.text)")
            }
            #expect(try again.entries.first.map { try variables.text(of: $0.fields[0].value) } == type)
        }
    }

    @Test func `captures of Hurl belong to the entry that answered last, under names of their own`() throws {
        let file = try HTTPFileParser.parse(
            """
            # @name login
            # @capture login_body_url = status
            http://h/1
            ###
            # @name use
            http://h/{{login.response.body.$.url}}/{{login_body_url}}
            ###
            # @name login
            http://h/2
            ###
            http://h/{{login.response.body.$.url}}
            # > status == {{login.response.status}}
            """, path: "a.http")
        let writer = HurlWriter(file)
        let entries = try HurlParser.parse(writer.text, path: "a.hurl").entries
        #expect(entries[1].url.source == "http://h/{{login_body_url_2}}/{{login_body_url}}")
        #expect(entries[3].url.source == "http://h/{{login_body_url_3}}")
        #expect(
            writer.losses == [
                "the value of {{login.response.status}} in a check of GET http://h/{{login.response.body.$.url}}"
            ])
    }

    @Test func `another type of a form is named as a loss`() throws {
        let text = "POST http://h\nContent-Type: multipart/mixed\n[Multipart]\na: b\n"
        let writer = HTTPFileWriter(try HurlParser.parse(text, path: "a.hurl"))
        #expect(writer.losses == ["the Content-Type multipart/mixed of POST http://h"])
    }

    @Test func `XML and HTML stay readable`() throws {
        let text = "POST http://h\n```xml\n<a>\n  <b/>\n</a>\n```\n"
        let writer = HTTPFileWriter(try HurlParser.parse(text, path: "a.hurl"))
        #expect(writer.text.contains("\n\n<a>\n  <b/>\n</a>\n") && writer.losses.isEmpty)
    }

    @Test func `variables that double do not`() throws {
        let lines = (1...40).map { "@a\($0) = {{a\($0 - 1)}}{{a\($0 - 1)}}" }.joined(separator: "\n")
        let file = try HTTPFileParser.parse(
            "@a0 = {{l.response.status}}\n\(lines)\n###\n# @name l\nhttp://h\n###\nhttp://h/{{a40}}", path: "a.http")
        let writer = HurlWriter(file)
        #expect(writer.text.utf8.count < 1_000_000 && writer.losses.contains { $0.contains("uses too many others") })
    }

    @Test func `checks of several lines become one line or a loss`() throws {
        let text = "GET http://h\nHTTP 200\n[Asserts]\nbody contains ```\n### a\n```\nbody == ```graphql\n{ a }\n```\n"
        let writer = HTTPFileWriter(try HurlParser.parse(text, path: "a.hurl"))
        let again = try HTTPFileParser.parse(writer.text, path: "a.http")
        #expect(again.entries.count == 1 && writer.text.contains("# > body contains \"### a\\n\"\n"))
        #expect(writer.losses == ["a check of several lines of GET http://h"])
    }

    @Test func `names that are missing are losses, and a colon begins no pair`() throws {
        let text =
            "POST http://h\n[Options]\nvariable: =t\nvariable: b=c\nHTTP 200\n[Captures]\na: body\nGET \\u{3a}x\n"
        let file = try HurlParser.parse(text, path: "a.hurl")
        let http = HTTPFileWriter(file)
        #expect(http.losses == ["the variable of an option without a name: =t"] && http.text.hasPrefix("@b = c\n"))
        #expect(try HTTPFileParser.parse(http.text, path: "a.http").entries.count == 2)
        let again = try HurlParser.parse(HurlWriter(file).text, path: "b.hurl")
        #expect(
            again.entries.map(\.url.source) == ["http://h", ":x"] && again.entries.first?.response?.captures.count == 1)
    }

    @Test(
        arguments: [
            ("a\nb", "```\na\nb```"), ("{\n  \"a\": \"\\n{{b}}\"\n}", "```\n{\n  \"a\": \"\\n{{b}}\"\n}```"),
            ("a\n\nb\n`", "`a\\n\\nb\\n\\``"), ("<<x", "`<<x`"),
            // A mark before or after a character hides it from a search by characters.
            ("a\n\u{600}```\nPOST http://e\nfile,s;#", "`a\\n\u{600}\\`\\`\\`\\nPOST http://e\\nfile,s;#`"),
            ("```\u{301}\na", "`\\`\\`\\`\u{301}\\na`"), ("b\n\u{600}`", "`b\\n\u{600}\\``"),
            ("b {{$guid}}\nc", "```\nb {{newUuid}}\nc```"),
        ])
    func `a body of several lines keeps its lines in Hurl's format`(body: String, written: String) throws {
        let file = try HTTPFileParser.parse("POST http://h\nContent-Type: text/plain\n\n\(body)\n", path: "a.http")
        let hurl = HurlWriter(file).text
        #expect(hurl.hasSuffix("\n\(written)\n"), "\(hurl)")
        let again = try #require(try HurlParser.parse(hurl, path: "a.hurl").entries.first)
        guard case .text(let text, _) = again.body else {
            Issue.record("the body is \(String(describing: again.body))")
            return
        }
        #expect(text.source == body.replacing("$guid", with: "newUuid"))
    }

    @Test func `parts get a boundary that they do not contain, and Postman gets them, too`() throws {
        let text = "POST http://h\n[Multipart]\na: --tsubame-boundary--\nf: file,d/a.json;\n"
        let file = try HurlParser.parse(text, path: "a.hurl")
        let http = HTTPFileWriter(file)
        #expect(
            !http.text.contains("boundary=tsubame-boundary")
                && http.text.contains("Content-Type: application/json\n"))
        let read = try HTTPFileParser.parse(http.text, path: "a.http")
        let postman = PostmanWriter(read, name: "a")
        let again = try PostmanReader(postman.json, path: "a.json").file.entries[0]
        #expect(again.parts.map(\.name.source) == ["a", "f"] && again.fields.isEmpty && postman.losses.isEmpty)
    }

    @Test func `Postman gets credentials, redirects and variables of GraphQL`() throws {
        let file = try HTTPFileParser.parse(
            """
            # @no-redirect
            # @insecure
            POST http://h
            Authorization: Digest joe secret
            X-Request-Type: GraphQL

            query { a }

            {"n": 1}
            """, path: "a.http")
        let writer = PostmanWriter(file, name: "a")
        let text = writer.json.compactText
        #expect(
            text.contains("\"query\":\"query { a }\",\"variables\":\"{\\\"n\\\": 1}\"")
                && text.contains("\"type\":\"digest\""))
        #expect(text.contains("\"followRedirects\":false") && writer.losses == ["the option insecure of POST http://h"])
    }

    @Test func `a request that cannot run is named as a loss`() throws {
        let file = try HTTPFileParser.parse("http://h\n\n> {% x %}\n", path: "a.http")
        for losses in [HurlWriter(file).losses, HTTPFileWriter(file).losses] {
            #expect(losses.count == 1 && losses[0].hasPrefix("a.http:3: JavaScript is not run"))
        }
    }

    @Test func `names and values with CR LF stay one`() throws {
        var file = try HurlParser.parse("POST http://h\n[Multipart]\na: b\n", path: "a.hurl")
        let part = file.entries[0].parts[0]
        let name = TemplateText([.text("x\r\n\r\n< secret.txt")])
        file.entries[0].parts = [FileEntry.Part(name: name, content: part.content, place: part.place)]
        let text = HTTPFileWriter(file).text
        #expect(text.contains("name=\"x%0D%0A%0D%0A< secret.txt\"") && !text.contains("\n< secret"), "\(text)")
        var variables = try HTTPFileParser.parse("@a = x\n###\nhttp://h", path: "a.http")
        let variable = variables.variables[0]
        variables.variables = [
            FileEntry.Field(name: variable.name, value: TemplateText([.text("x\r\ny")]), place: variable.place)
        ]
        let again = try HTTPFileParser.parse(HTTPFileWriter(variables).text, path: "a.http")
        #expect(again.variables[0].value.source == "x\r\ny")
    }

    @Test func `a text that Hurl would read as a file is left out`() throws {
        var file = try HurlParser.parse("POST http://h\n[Multipart]\na: b\n", path: "a.hurl")
        let part = file.entries[0].parts[0]
        file.entries[0].parts = [
            FileEntry.Part(name: part.name, content: .text(TemplateText("file,/etc/passwd;")), place: part.place)
        ]
        let writer = HurlWriter(file)
        #expect(!writer.text.contains("passwd") && writer.losses == ["the part a, whose text begins with file,"])
    }

    @Test func `variables keep line ends and backslashes`() throws {
        let file = try HTTPFileParser.parse("@a = x\\ny\\\\z {{b}}\n###\nhttp://h", path: "a.http")
        let again = try HTTPFileParser.parse(HTTPFileWriter(file).text, path: "a.http")
        #expect(file.variables[0].value.source == "x\ny\\z {{b}}")
        #expect(again.variables[0].value.source == file.variables[0].value.source)
    }

    @Test func `a collection of Postman is read and written`() throws {
        let json = try JSONValue(
            """
            {"info": {"name": "c", "schema": "…/v2.1.0/collection.json"}, "variable": [{"key": "base", "value": "http://h"}],
             "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{t}}"}]},
             "item": [
              {"name": "Folder", "item": [
               {"name": "One", "request": {"method": "POST", "url": {"raw": "{{base}}/u/:id?x=1", "variable": [{"key": "id", "value": "7"}]},
                "header": [{"key": "A", "value": "b"}, {"key": "Off", "value": "b", "disabled": true}],
                "body": {"mode": "raw", "raw": "{\\"a\\": 1}", "options": {"raw": {"language": "json"}}}},
                "event": [{"listen": "test"}]}]},
              {"name": "Two", "request": {"method": "POST", "url": "http://h", "auth": {"type": "basic", "basic": [{"key": "username", "value": "joe"}, {"key": "password", "value": "x"}]},
                "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1"}]}}},
              {"name": "Three", "request": {"method": "POST", "url": "http://h", "auth": {"type": "noauth"},
                "body": {"mode": "formdata", "formdata": [{"key": "f", "type": "file", "src": "a.txt"}, {"key": "t", "value": "v"}]}}},
              {"name": "Four", "request": "http://h/four"},
              {"name": "Five", "request": {"url": "http://h", "auth": {"type": "oauth2"}, "body": {"mode": "graphql", "graphql": {"query": "{a}", "variables": "{}"}}}}
             ]}
            """)
        let reader = try PostmanReader(json, path: "c.json")
        let entries = reader.file.entries
        #expect(entries.map(\.name) == ["Folder / One", "Two", "Three", "Four", "Five"])
        #expect(entries[0].url.source == "{{base}}/u/7?x=1")
        #expect(
            entries[0].fields.map { "\($0.name.source): \($0.value.source)" } == [
                "A: b", "Authorization: Bearer {{t}}",
            ])
        #expect(entries[1].user?.value.source == "x" && entries[1].form.count == 1 && entries[2].parts.count == 2)
        #expect(reader.file.variables.map(\.value.source) == ["http://h"])
        #expect(
            reader.losses == [
                "the scripts of One", "the disabled fields and parameters of One",
                "the credentials of Five, which are of the kind oauth2",
            ])
        let written = PostmanWriter(reader.file, name: "c")
        let again = try PostmanReader(written.json, path: "d.json")
        #expect(HurlWriter(again.file).text == HurlWriter(reader.file).text)
        #expect(throws: FileProblem.self) { try PostmanReader(.object([]), path: "c.json") }
    }

    @Test func `an archive is read, and requests become one`() throws {
        let requests = [
            Request(
                .post, url: "http://h/a?b=1", encodedQuery: "", headers: ["A": "b"],
                body: .bytes(Bytes("text"), contentType: "text/plain"))
        ]
        let bytes = try archive(of: requests)
        let file = try ArchiveReader.file(bytes, path: "a.har")
        let entry = try #require(file.entries.first)
        #expect(entry.url.source == "http://h/a?b=1" && entry.fields.map(\.name.source) == ["A", "Content-Type"])
        #expect(entry.standardOptions.map(\.value.source) == ["false", "false"] && entry.response == nil)
        #expect(throws: FileProblem.self) { try ArchiveReader.file(Array("{}".utf8), path: "a.har") }
    }

    @Test func `recorded text does not become expressions, checks or requests`() throws {
        let text = "### GET http://evil\n# > status == 1\n< /etc/passwd\n{{$processEnv HOME}}\n"
        var entry = FileEntry(
            place: FilePlace(line: 1, column: 1), method: "POST", url: TemplateText("http://h/?a={{b}}"))
        entry.fields = [
            FileEntry.Field(
                name: TemplateText("A"), value: TemplateText("{{{c}}\nB: d"), place: FilePlace(line: 1, column: 1))
        ]
        entry.body = .text(TemplateText(text), .plain)
        let file = RequestFile(path: "", entries: [entry])
        let http = try HTTPFileParser.parse(HTTPFileWriter(file).text, path: "a.http")
        #expect(http.entries.count == 1 && http.entries[0].response == nil)
        var variables = FileVariables()
        for variable in http.variables { variables.define(variable.name.source, variable.value) }
        #expect(try variables.text(of: http.entries[0].url) == "http://h/?a={{b}}")
        #expect(try variables.text(of: http.entries[0].fields[0].value) == "{{{c}} B: d")
        guard case .text(let body, _) = http.entries[0].body else {
            Issue.record("the body is no text")
            return
        }
        #expect(try variables.text(of: body) == text)
    }

    @Test(
        arguments: [
            ("GET http://h  \nA:b\n\n\n\n# next\nGET http://h\n", "GET http://h\nA: b\n\n# next\nGET http://h\n"),
            ("GET http://h\n[Options]\nretry :3\nHTTP 200\n", "GET http://h\n[Options]\nretry: 3\nHTTP 200\n"),
            ("POST http://h\n```\n  a:b  \n\n\n```\n", "POST http://h\n```\n  a:b  \n\n\n```\n"),
            ("POST http://h\n{\n   \"a\":1\n}\nHTTP 200", "POST http://h\n{\n   \"a\":1\n}\nHTTP 200\n"),
            ("POST http://h\n<a>\n  x:y\n</a>\n", "POST http://h\n<a>\n  x:y\n</a>\n"), ("", ""),
        ])
    func `Hurl in one style`(text: String, formatted: String) throws {
        let found = try FileFormatter.hurl(text, path: "a.hurl")
        #expect(found == formatted)
        #expect(try FileFormatter.hurl(found, path: "a.hurl") == found)
    }

    @Test(
        arguments: [
            ("###First\nGET http://h\nA:b\n\n\nbody:x  \n", "### First\nGET http://h\nA: b\n\n\nbody:x  \n"),
            ("@a=b\n\n\n\nGET http://h\n  ?x=1\n###\nhttp://h", "@a=b\n\nGET http://h\n    ?x=1\n\n###\nhttp://h\n"),
            ("# @name x\nhttp://h\n\n# > status == 200\n", "# @name x\nhttp://h\n\n# > status == 200\n"),
        ])
    func `an http file in one style`(text: String, formatted: String) throws {
        let found = try FileFormatter.http(text, path: "a.http")
        #expect(found == formatted)
        #expect(try FileFormatter.http(found, path: "a.http") == found)
    }

    @Test(
        arguments: [
            ("{\"a\": 1, // x\n \"b\": [1,2,],}", "{\"a\":1,\"b\":[1,2]}"),
            ("/* a */ {\"//\": \"/*\"}", "{\"//\":\"/*\"}"),
            ("{\"a\": \"\\\",}\"}", "{\"a\":\"\\\",}\"}"), ("[1, /* , */ 2] /* x", "[1,2]"),
        ])
    func `comments in JSON`(text: String, json: String) throws {
        let found = JSONComments.removed(from: text)
        #expect(try JSONValue(found).compactText == json && found.utf8.count == text.utf8.count)
    }
}

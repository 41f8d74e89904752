// HTTPFileParserTests: the format of the HTTP clients of JetBrains and VS Code.

import Testing

@testable import TsubameRequestFiles

@Suite struct HTTPFileParserTests {
    @Test func `errors show no secrets`() throws {
        let lines = [
            ("GET https://me:hunter2@h.example/a?x=1&api_key=k3y&y={{z}} HTTP/3", ["x=1", "y={{z}}", "h.example"]),
            ("GET http://h\nAuthorization Bearer s3cret {{token}}", ["Authorization", "{{token}}"]),
            (
                "curl -u me:hunter2 'http://h.example/' -H 'Authorization: Bearer s3cret' --bogus",
                ["h.example", "--bogus"]
            ),
        ]
        for (text, shown) in lines {
            let problem = try #require(throws: FileProblem.self) { try parse(text) }
            let message = "\(problem)"
            for secret in ["hunter2", "k3y", "s3cret"] { #expect(!message.contains(secret), "\(message)") }
            for part in shown { #expect(message.contains(part), "\(message)") }
        }
        for (line, shown) in [
            (#"  "password" : "a \"b", "name": "c""#, #"  "password" : "* ***", "name": "c""#),
            ("GET http://a@b/c@d {{x}}", "GET http://*@b/c@d {{x}}"), ("GET me:pw@h/a x", "GET *****@h/a x"),
            ("https://me:{{pw@h", "https://*******@h"), ("https://{{a}}:{{b}}@h", "https://{{a}}*{{b}}@h"),
            ("password: x y", "password: * *"), ("token: jsonpath \"$.t\"", "token: jsonpath \"$.t\""),
            ("name: x@y", "name: x@y"), ("a=1&token=b&c=d", "a=1&token=*&c=d"),
        ] {
            #expect(HiddenSecrets.line(line) == shown)
        }
    }

    @Test func `long texts take no time that grows with their square`() throws {
        let braces = String(repeating: "{{", count: 100_000)
        #expect(
            HiddenSecrets.line("token=\(braces)}}a\(braces)").hasSuffix("}}*" + String(repeating: "*", count: 200_000)))
        let open = String(repeating: "{{\n", count: 100_000) + "}}"
        #expect(TemplateText(parsing: open).plain == open)
        let lines = "GET http://h/a\n" + String(repeating: "  b\n", count: 50_000)
        #expect(try parse(lines).entries.first?.url.source.utf8.count == "http://h/a".utf8.count + 100_000)
    }

    private func parse(_ text: String) throws -> RequestFile { try HTTPFileParser.parse(text, path: "a.http") }

    private func body(_ entry: FileEntry?) -> String? {
        switch entry?.body {
        case .text(let text, _): text.source
        case .pieces(let pieces):
            pieces.map { piece in
                switch piece {
                case .text(let text): text.source
                case .file(let path, let charset): "<\(charset == nil ? "" : "@")\(path.source)>"
                }
            }.joined()
        case .file(let path): "<\(path.source)>"
        case .bytes, nil: nil
        }
    }

    @Test(
        arguments: [
            ("http://h/a", "GET", "http://h/a"), ("GET http://h/a HTTP/1.1", "GET", "http://h/a"),
            ("POST http://h/a b", "POST", "http://h/a%20b"), ("http://h/{{ x }}", "GET", "http://h/{{x}}"),
            ("GET http://h/a\n  ?x=1\n  &y=2", "GET", "http://h/a?x=1&y=2"),
            ("GET http://h/a\n  ?x=1 HTTP/1.1", "GET", "http://h/a?x=1"),
            ("GET http://h\n\t/a\n\t/b", "GET", "http://h/a/b"), ("example.com", "GET", "example.com"),
            ("http://h/{{$randomInt 1 2}}", "GET", "http://h/{{$randomInt 1 2}}"),
        ])
    func `the request line`(text: String, method: String, url: String) throws {
        let file = try parse(text + "\nA: b\n")
        #expect(file.entries.map(\.method) == [method] && file.entries.map(\.url.source) == [url])
        #expect(file.entries.first?.fields.count == 1)
    }

    @Test func `divisions, comments, variables and names`() throws {
        let file = try parse(
            """
            @base = http://h
            # a comment
            ### First
            GET {{base}}/1
            // a comment between
            A: b

            ###
            # @name second
            # @tag slow, big
            # @no-redirect
            # @timeout 10 s
            {{base}}/2
            ### only a title
            ###
            """)
        #expect(file.variables.map(\.name.source) == ["base"])
        #expect(file.entries.map(\.name) == ["First", "second"])
        #expect(file.entries.map(\.fields.count) == [1, 0])
        #expect(file.entries[1].tags == ["slow", "big"] && file.entries[1].place.line == 13)
        #expect(
            file.entries[1].options.map { "\($0.name) \($0.value.source)" } == [
                "location false", "max-time 10s",
            ])
        #expect(file.entries[0].standardOptions.map(\.name) == ["location", "compressed"])
    }

    @Test(
        arguments: [
            ("Content-Type: text/plain\n\na\n\nb\n\n", "a\n\nb"), ("\n< ./a.json\n", "<./a.json>"),
            ("\n<@ a.json", "<@a.json>"), ("\n<@utf8 a.json", "<@a.json>"), ("\na\n# b\n  // c\nd\n", "a\nd"),
            ("\n{{nothing}}# Title\n", "{{nothing}}# Title"),
            ("Content-Type: application/x-ndjson\n\n{}\n[]\n", "{}\n[]\n"), ("Content-Length: 9\n\na", "a"),
            ("\n<@latin1 a.txt\n", "<@a.txt>"), ("\n<\ta.txt\n", "<a.txt>"),
            ("Content-Type: application/x-www-form-urlencoded\n\na=1 &\nb=2\nc\n&d=4", "a=1 &b=2\nc&d=4"),
            ("\na\n< x\nb\n", "a\n<x>\nb"), ("\n<> a.200.json\n", nil), ("\nabc\n>> out.txt\n", "abc"),
            ("Content-Type: application/x-www-form-urlencoded\n\na=1\n&b=2\n", "a=1&b=2"), ("", nil),
            (
                "Content-Type: multipart/form-data; boundary=X\n\n--X\nA: b\n\n< f\n--X--\n",
                "--X\r\nA: b\r\n\r\n<f>\r\n--X--\r\n"
            ),
            ("\n{{\"a\": 1}\n", "{{\"a\": 1}"), ("\n<html>\n", "<html>"), ("\nabc\n\n# > status == 200\n", "abc"),
        ] as [(String, String?)])
    func `the body`(text: String, expected: String?) throws {
        let file = try parse("POST http://h\n" + text)
        #expect(body(file.entries.first) == expected)
    }

    @Test func `checks and captures stand before the request, between fields, and at the end`() throws {
        let file = try parse(
            """
            # > status == 200
            POST http://h
            # > header "A" exists
            A: b

            {}
            // @capture id = jsonpath "$.id"
            # > jsonpath "$.id" == {{id}}
            """)
        let response = try #require(file.entries.first?.response)
        #expect(response.assertions.map(\.path.place.line) == [1, 3, 8] && response.status == nil)
        #expect(response.assertions.map(\.path.place.column) == [5, 5, 5])
        #expect(response.captures.map(\.name.source) == ["id"] && body(file.entries.first) == "{}")
    }

    @Test func `GraphQL, and short forms of credentials`() throws {
        let file = try parse(
            """
            GRAPHQL http://h
            Authorization: Basic joe {{password}}

            query { a }

            {"x": 1}
            ###
            POST http://h
            X-Request-Type: GraphQL
            Authorization: Basic am9lOng=

            { a }
            ###
            http://h
            Authorization: Digest joe secret
            """)
        #expect(file.entries.map(\.method) == ["POST", "POST", "GET"])
        #expect(body(file.entries[0]) == "query { a }\nvariables {\"x\": 1}" && body(file.entries[1]) == "{ a }")
        #expect(file.entries[0].user?.value.source == "{{password}}" && file.entries[0].fields.isEmpty)
        #expect(file.entries[1].user == nil && file.entries[1].fields.map(\.name.source) == ["Authorization"])
        #expect(file.entries[2].options.suffix(2).map(\.name) == ["user", "digest"])
    }

    @Test func `loops, prompts and imports`() throws {
        let file = try parse(
            "# @import a.http\n###\n# @loop row of rows.csv\n# @prompt otp The code\nhttp://h\n###\n# @loop for 3\nhttp://h"
        )
        #expect(
            file.imports.map(\.name.source) == ["a.http"] && file.entries[0].prompts.map(\.value.source) == ["The code"]
        )
        guard case .rows("row", "rows.csv") = file.entries[0].loop, case .times(3) = file.entries[1].loop else {
            Issue.record("the loops are not read")
            return
        }
    }

    @Test(
        arguments: [
            ("http://h\nno field", 2, "Name: value"),
            ("@x\n", 1, "@name = value"), ("GET http://h HTTP/4", 1, "version is"),
            ("http://h\n\n<@klingon a.txt", 3, "charsets are"),
            ("http://h\n# > body == ```\na\n```\n", 2, "one line"),
            ("# > statuz == 200\nhttp://h", 1, "statuz is no query; is status meant?"),
            ("# > status = 200\nhttp://h", 1, "predicate"),
            ("# @capture x\nhttp://h", 1, "# @capture name"), ("# @loop a b\nhttp://h", 1, "# @loop row of"),
            ("POST", 1, "URL is missing"), ("# @retrry 3\nhttp://h", 1, "is @retry meant?"),
            ("\ncurl --ntlm http://h", 2, "NTLM"), ("curl 'http://h", 1, "not closed"), ("curl -d a", 1, "no URL"),
            ("curl --tls-max 1.2 http://h", 1, "--tls-max has no counterpart in a file"),
            ("curl http://h\ncurl http://i", 1, "### divides"),
        ])
    func `a mistake is named with its place`(text: String, line: Int, reason: String) {
        let problem = #expect(throws: FileProblem.self) { try parse(text) }
        #expect(
            problem?.place.line == line && problem?.reason.contains(reason) == true, "\(problem?.description ?? "")")
    }

    @Test(
        arguments: [
            ("http://h\n\n> {% client.test() %}", 3), ("< {% x %}\nhttp://h", 1), ("http://h\n\n> ./check.js", 3),
            ("http://h\n\na\n> {%\n  client.test(\"###\")\n%}", 4), ("< {%\nhttp://not\n%}\nhttp://h\n\na", 1),
        ])
    func `a script refuses only the request of its block`(text: String, line: Int) throws {
        let file = try parse("\(text)\n###\nhttp://second")
        #expect(file.entries.map(\.url.source) == ["http://h", "http://second"])
        #expect(file.entries.first?.refusal?.place.line == line && file.entries.last?.refusal == nil)
        #expect(file.entries.first?.refusal?.reason.contains("JavaScript is not run") == true)
    }

    @Test(arguments: ["WEBSOCKET ws://h", "GRPC h/x", "run #login"])
    func `a request of another kind refuses only itself`(line: String) throws {
        let file = try parse("http://h\n###\n\(line)\n###\nhttp://i")
        #expect(file.entries.map { $0.refusal?.place.line } == [nil, 3, nil])
    }

    @Test(arguments: ["# @ capture x = status", "//  @\tcapture x = status", "# @=capture a = status", "# @", "# @@x"])
    func `a mark without a name is no setting`(line: String) throws {
        #expect(try parse("\(line)\nhttp://h").entries.count == 1)
    }

    @Test func `many continued lines take no longer than their length`() throws {
        let lines = String(repeating: "  b\n", count: 50_000)
        let file = try parse("POST http://h\nA: x\n\(lines)\n")
        #expect(file.entries.first?.fields.first?.value.source.utf8.count == 100_001)
        let blanks = String(repeating: "\n\n{", count: 20_000)
        #expect(try parse("GRAPHQL http://h\n\nq\(blanks)}").entries.count == 1)
    }

    @Test func `the credentials of AWS become options of Hurl`() throws {
        let file = try parse(
            "http://h\nAuthorization: AWS {{id}} se/cret region:eu-west-1 token:{{t}}\n###\nhttp://i\nAuthorization: AWS a"
        )
        #expect(
            file.entries[0].options.map { "\($0.name) \($0.value.source)" } == [
                "user {{id}}:se/cret", "aws-sigv4 aws:amz:eu-west-1:",
            ])
        #expect(file.entries[0].fields.map { "\($0.name.source) \($0.value.source)" } == ["X-Amz-Security-Token {{t}}"])
        #expect(file.entries[1].fields.map(\.value.source) == ["AWS a"])
    }

    @Test func `a curl line is a request`() throws {
        let file = try parse(
            """
            # @name first
            curl -X PUT {{base}}/a \\
              -H 'X: {{x}}' -H Accept: -b a=b --user {{user}}:secret
              -d '{"id": {{id}}}' --max-time 1.5 -k
            # > status == 200
            ###
            curl -iv "http://h/?q={{$guid}}" -F a=1 -F 'f=@a.txt;type=text/plain' --compressed -s
            ###
            curl h -G --data-urlencode 'q=a b {{c}}'
            """)
        try #require(file.entries.count == 3)
        let (first, second, third) = (file.entries[0], file.entries[1], file.entries[2])
        #expect(first.method == "PUT" && first.url.source == "{{base}}/a" && first.name == "first")
        #expect(
            first.fields.map { "\($0.name.source): \($0.value.source)" } == [
                "X: {{x}}", "Cookie: a=b", "Content-Type: application/x-www-form-urlencoded",
            ])
        #expect(
            first.options.map { "\($0.name) \($0.value.source)" } == [
                "max-time 1500ms", "insecure true", "no-header Accept", "user {{user}}:secret",
            ])
        #expect(body(first) == "{\"id\": {{id}}}" && first.response?.assertions.count == 1)
        #expect(second.url.source == "http://h/?q={{$guid}}" && second.parts.map(\.name.source) == ["a", "f"])
        #expect(third.url.source == "h?q=a+b+{{%c}}" && third.method == "GET" && third.body == nil)
    }

    @Test func `line ends of Windows are line ends`() throws {
        let file = try parse("@a = b\r\nPOST http://h\r\nA: b\r\n\r\nc\r\nd\r\n###\r\nhttp://h\r\n")
        #expect(file.entries.count == 2 && body(file.entries.first) == "c\nd")
        #expect(file.entries[0].fields.map(\.value.source) == ["b"] && file.variables[0].value.source == "b")
    }
}

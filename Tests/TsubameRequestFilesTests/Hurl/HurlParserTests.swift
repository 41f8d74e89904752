// HurlParserTests: the format of Hurl, and the messages about its mistakes.

import Testing

@testable import TsubameRequestFiles

@Suite struct HurlParserTests {
    private func parse(_ text: String) throws -> RequestFile { try HurlParser.parse(text, path: "a.hurl") }

    @Test func `an entry has fields, sections, a body and a response`() throws {
        let file = try parse(
            """
            # First
            POST http://h/{{path}} # to the end
            X-A: 1 # no value
            X-B: a\\#b
            [Query]
            q: {{q}}
            [Cookies]
            c: d
            [BasicAuth]
            joe: secret
            [Options]
            location: true
            {"a": [1, "}", {{n}}]}

            HTTP/1.1 201
            Location: /x
            [Captures]
            id: jsonpath "$.id" toString redact
            [Asserts]
            status == 201
            header "A" not exists
            ```
            body
            ```
            GET http://h
            HTTP *
            """)
        #expect(file.entries.count == 2)
        let entry = try #require(file.entries.first)
        #expect(entry.method == "POST" && entry.url.source == "http://h/{{path}}")
        #expect(entry.fields.map(\.value.source) == ["1", "a#b"])
        #expect(entry.query.map(\.value.source) == ["{{q}}"] && entry.cookies.map(\.name.source) == ["c"])
        #expect(entry.user?.name.source == "joe" && entry.options.map(\.name) == ["location"])
        guard case .text(let body, .json) = entry.body else {
            Issue.record("the body is no JSON")
            return
        }
        #expect(body.source == #"{"a": [1, "}", {{n}}]}"#)
        let response = try #require(entry.response)
        #expect(response.status == 201 && response.version == "HTTP/1.1" && response.fields.count == 1)
        #expect(response.captures.map(\.isRedacted) == [true] && response.captures[0].path.filters.count == 1)
        #expect(response.assertions.map(\.isNegated) == [false, true])
        #expect(
            response.assertions.map(\.path.place) == [FilePlace(line: 20, column: 1), FilePlace(line: 21, column: 1)])
        guard case .text(let expected, .plain) = response.body else {
            Issue.record("the expected body is no text")
            return
        }
        #expect(expected.plain == "body\n" && file.entries[1].response?.status == nil)
    }

    @Test(arguments: [
        ("x\\u{20}", "x "), ("x\\u{20} \t", "x "), ("x ", "x"), ("x\\ ", "x "), ("x\\  ", "x "), ("x\\\\ ", "x\\"),
        ("\\u{20} ", " "), ("x\\u{20} # c", "x "),
    ])
    func `a blank that is an escape belongs to a value`(source: String, text: String) throws {
        let file = try parse("POST http://h\n[Form]\na: \(source)\n")
        #expect(file.entries.first?.form.first?.value.source == text)
    }

    @Test(
        arguments: [
            ("`a b`", "a b"), ("```\na\nb\n```", "a\nb\n"), ("```json\n{}\n```", "{}\n"),
            ("<a><b x='>'/></a>", "<a><b x='>'/></a>"),
            ("true", "true"), ("[1]", "[1]"), (#""a\"b""#, #""a\"b""#), ("```escape\na\\nb\n```", "a\nb\n"),
            ("```novariable\n{{a}}\n```", "{{a}}\n"),
        ])
    func `a body of text`(source: String, text: String) throws {
        let file = try parse("POST http://h\n\(source)\nHTTP 200\n")
        guard case .text(let body, _)? = file.entries.first?.body else {
            Issue.record("the body is no text")
            return
        }
        #expect(body.source == text && file.entries.first?.response?.status == 200)
    }

    @Test(
        arguments: [("hex,00 ff;", [0, 255]), ("base64,AP8=;", [0, 255]), ("base64,AP8;", [0, 255])]
            as [(String, [UInt8])])
    func `a body of bytes`(source: String, bytes: [UInt8]) throws {
        guard case .bytes(let found)? = try parse("POST http://h\n\(source)").entries.first?.body else {
            Issue.record("the body has no bytes")
            return
        }
        #expect(found == bytes)
    }

    @Test(
        arguments: [
            ("get http://h", 1, 1, "method in capitals"), ("GET", 1, 1, "method in capitals"),
            ("GET ", 1, 5, "URL is missing"),
            ("GET http://h\nHTTP 2x0", 2, 6, "100 to 999"), ("GET http://h\nHTTP 099", 2, 6, "100 to 999"),
            ("GET http://h\nHTTP/9 200", 2, 1, "version is"),
            ("GET http://h/{{a", 1, 14, "not closed"), ("GET http://h\n[Nope]\n", 2, 1, "no section of a request"),
            ("GET http://h\nHTTP 200\n[Query]\n", 3, 1, "no section of a response"),
            ("GET http://h\nHTTP 200\n[Asserts]\nstatus is 3", 4, 8, "is is no filter"),
            ("GET http://h\nHTTP 200\n[Asserts]\nstatus ==", 4, 10, "value is missing"),
            ("GET http://h\nHTTP 200\n[Asserts]\njsonpath \"$[\" exists", 4, 10, "JSONPath"),
            ("GET http://h\nHTTP 200\n[Asserts]\nbody matches /(/", 4, 14, "pattern"),
            ("GET http://h\nHTTP 200\n[Captures]\na: nope", 4, 4, "query is missing"),
            ("POST http://h\n{\"a\": 1", 2, 1, "does not end"), ("POST http://h\n```\nabc", 2, 1, "does not end"),
            ("POST http://h\nhex,0;", 2, 1, "hexadecimal"), ("POST http://h\n<a>", 2, 1, "XML does not end"),
            ("POST http://h\n[Multipart]\nf: file,a.txt", 3, 1, "semicolon"),
            ("GET http://h\nHTTP 200 x", 2, 10, "should end here"),
            ("GET http://h\nHTTP 200\n[Asserts]\nbody == \"\\u{110000}\"", 4, 10, "number"),
        ])
    func `a mistake is named with its place`(text: String, line: Int, column: Int, reason: String) {
        let problem = #expect(throws: FileProblem.self) { try parse(text) }
        #expect(problem?.place == FilePlace(line: line, column: column), "\(problem?.description ?? "")")
        #expect(problem?.reason.contains(reason) == true, "\(problem?.description ?? "")")
    }

    /// The beginnings of a file are files that end too early. Each of them is read, or has a mistake.
    @Test func `no beginning of a file traps`() {
        let text =
            "POST http://h\nA: {{b}}\n[Form]\na: \\u{41}\n[Multipart]\nf: file,x;y\nHTTP 200\n[Captures]\nx: jsonpath \"$.a[?@.b]\"\n"
            + "[Asserts]\nbody matches /a\\/b/\nbytes == hex,00;\n{\"a\": \"\\\"{{x}}\"}\n"
        for count in 0...text.count { _ = try? parse(String(text.prefix(count))) }
        #expect(throws: Never.self) { try parse(text) }
    }
}

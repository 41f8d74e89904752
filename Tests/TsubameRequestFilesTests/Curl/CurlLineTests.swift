// CurlLineTests: commands that were copied for curl, as words of this tool.

import Testing

@testable import TsubameRequestFiles

@Suite struct CurlLineTests {
    private func commands(_ text: String) throws -> [[String]] {
        try ShellLine.commands(in: text) { ["TOKEN": "t k", "A": "1"][$0] }
    }

    @Test(
        arguments: [
            ("curl 'a b' \"c d\" e\\ f", [["curl", "a b", "c d", "e f"]]), ("curl a \\\n  b", [["curl", "a", "b"]]),
            ("curl a\ncurl b; curl c", [["curl", "a"], ["curl", "b"], ["curl", "c"]]),
            ("# comment\ncurl a # more\n", [["curl", "a"]]), ("curl 'it'\\''s'", [["curl", "it's"]]),
            ("curl \"a\\\"b\\n$A\"", [["curl", "a\"b\\n1"]]),
            ("curl $'a\\n\\x41\\u00e9\\ud83d\\udc26\\''", [["curl", "a\nAé🐦'"]]),
            ("curl $TOKEN ${A}b $ $1", [["curl", "t k", "1b", "$", "$1"]]), ("curl ''", [["curl", ""]]), ("", []),
            ("\n\n", []),
            ("curl ^\"http://h/?a=1^&b=2^\" ^\n  -H ^\"A: b^\"", [["curl", "http://h/?a=1&b=2", "-H", "A: b"]]),
            ("curl $'\\303\\274'", [["curl", "ü"]]), ("curl a\r\ncurl b", [["curl", "a"], ["curl", "b"]]),
        ])
    func `words of a shell`(text: String, words: [[String]]) throws {
        #expect(try commands(text) == words)
    }

    @Test(
        arguments: [
            ("curl 'a", "' is not closed"), ("curl \"a", "\" is not closed"), ("curl $'a", "$' is not closed"),
            ("curl $(id)", "run a command"), ("curl \"`id`\"", "run a command"),
            ("curl a | sh", "belongs to the shell"),
            ("curl $NOPE", "no variable NOPE"), ("curl ${A:-b}", "only ${NAME}"), ("curl $'\\xff'", "not UTF-8"),
            ("curl a > b", "belongs to the shell"), ("curl a && rm b", "belongs to the shell"),
        ])
    func `nothing is run`(text: String, reason: String) {
        let problem = #expect(throws: ShellLine.Problem.self) { try commands(text) }
        #expect(problem?.reason.contains(reason) == true, "\(problem?.reason ?? "")")
    }

    private static let standard = ["--ignore-netrc", "--ignore-stdin"]
    private static let ending = ["Accept:*/*", "Accept-Encoding:"]

    @Test(
        arguments: [
            (["h/a"], standard + ["--", "GET", "http://h/a"] + ending),
            (["-X", "PUT", "https://h"], standard + ["--", "PUT", "https://h"] + ending),
            (
                ["-H", "A: b", "-H", "Accept;", "-H", "User-Agent:", "h"],
                standard + ["--", "GET", "http://h", "A:b", "Accept;", "User-Agent:", "Accept-Encoding:"]
            ),
            (["-kLsS", "h"], ["--verify=no", "--follow"] + standard + ["--", "GET", "http://h"] + ending),
            (["--compressed", "h"], standard + ["--", "GET", "http://h", "Accept:*/*"]),
            (["-I", "h"], ["--print=h"] + standard + ["--", "HEAD", "http://h"] + ending),
            (
                ["-d", "a=1", "-d", "b=2", "h"],
                [
                    "--raw", "a=1&b=2", "--ignore-netrc", "--", "POST", "http://h", "Accept:*/*",
                    "Content-Type:application/x-www-form-urlencoded", "Accept-Encoding:",
                ]
            ),
            (
                ["-G", "-d", "a=1", "--data-urlencode", "b=c d", "h?x"],
                standard + ["--", "GET", "http://h?x&a=1&b=c+d"] + ending
            ),
            (
                ["--json", "{}", "h"],
                [
                    "--raw", "{}", "--ignore-netrc", "--", "POST", "http://h", "Accept:application/json",
                    "Content-Type:application/json", "Accept-Encoding:",
                ]
            ),
            (
                ["-d", "@f", "h"],
                [
                    "--raw", "text of f", "--ignore-netrc", "--", "POST", "http://h", "Accept:*/*",
                    "Content-Type:application/x-www-form-urlencoded", "Accept-Encoding:",
                ]
            ),
            (
                ["--data-binary", "@f", "-H", "Content-Type: a/b", "h"],
                ["--raw", "@f", "--ignore-netrc", "--", "POST", "http://h", "Content-Type:a/b"] + ending
            ),
            (
                ["-d", "@-", "h"],
                [
                    "--raw", "@-", "--ignore-netrc", "--", "POST", "http://h", "Accept:*/*",
                    "Content-Type:application/x-www-form-urlencoded", "Accept-Encoding:",
                ]
            ),
            (
                ["-T", "f", "h"],
                ["--raw", "@f", "--ignore-netrc", "--", "PUT", "http://h/f"] + ending + ["Content-Type:"]
            ),
            (
                ["-T", "a/f g", "h?x#y"],
                ["--raw", "@a/f g", "--ignore-netrc", "--", "PUT", "http://h/f%20g?x#y"] + ending + ["Content-Type:"]
            ),
            (
                ["-F", "a=b", "-F", "f=@x.png;type=image/png", "-F", "t=<n", "--form-string", "s=@x", "h"],
                ["--multipart", "--ignore-netrc", "--", "POST", "http://h"] + ending
                    + ["a=b", "f@x.png;type=image/png", "t=@n", "s=\\@x"]
            ),
            (
                ["-u", "joe:x", "--digest", "h"],
                ["--auth-type=digest", "--auth=joe:x", "--ignore-stdin", "--", "GET", "http://h"] + ending
            ),
            (
                ["-b", "a=1; b=2", "-e", "http://r", "-A", "me", "-r", "0-9", "h"],
                standard + [
                    "--", "GET", "http://h", "Cookie:a=1; b=2", "Referer:http://r", "User-Agent:me", "Range:bytes=0-9",
                ] + ending
            ),
            (
                ["-x", "p:8080", "-U", "a b:c", "h"],
                standard + ["--proxy=http://a%20b:c@p:8080", "--", "GET", "http://h"] + ending
            ),
            (
                ["-m", "5", "--connect-timeout", "2", "-o", "out", "h"],
                ["--timeout=5", "--connect-timeout=2", "--output=out"] + standard + ["--", "GET", "http://h"] + ending
            ),
            (["-H", "X: =a", "-H", "Y: @b", "h"], standard + ["--", "GET", "http://h", "X:\\=a", "Y:\\@b"] + ending),
            (["-Hfoo:bar", "-XPOST", "--url", "h"], standard + ["--", "POST", "http://h", "foo:bar"] + ending),
            (["--head", "--", "-h"], ["--print=h"] + standard + ["--", "HEAD", "http://-h"] + ending),
            (["--user-a", "me", "h"], standard + ["--", "GET", "http://h", "User-Agent:me"] + ending),
        ] as [([String], [String])])
    func `options of curl`(arguments: [String], words: [String]) throws {
        let line = try CurlLine(arguments) { path throws(ShellLine.Problem) in "text of \(path)\n" }
        #expect(line.words == words)
    }

    @Test func `a line in a file keeps its token and certificate, or names what a file does not have`() throws {
        let place = FilePlace(line: 1, column: 1)
        let line = try CurlLine(ofFile: ["--oauth2-bearer", "t0k", "-E", "c.pem:pw", "--key", "k.pem", "https://h"])
        let entry = try line.entry(at: place)
        #expect(entry.fields.contains { $0.name.source == "Authorization" && $0.value.source == "Bearer t0k" })
        #expect(entry.options.map { "\($0.name)=\($0.value.source)" } == ["cert=c.pem:pw", "key=k.pem"])
        #expect(throws: ShellLine.Problem.self) { try CurlLine(ofFile: ["-C", "-", "https://h"]).entry(at: place) }
        let conditional = try CurlLine(ofFile: ["-z", "{{date}}", "https://h"]).entry(at: place)
        #expect(conditional.fields.first?.name.source == "If-Modified-Since")
    }

    @Test func `only line ends and NUL are left out of a file`() throws {
        let line = try CurlLine(["-d", "@f", "h"]) { _ throws(ShellLine.Problem) in "a\u{2028}b\r\nc\0\u{85}d\n" }
        #expect(line.words.contains { $0.hasSuffix("a\u{2028}bc\u{85}d") }, "\(line.words)")
    }

    @Test(
        arguments: [
            ([], "no URL"), (["a", "b"], "two URLs"), (["--nope", "h"], "not known"), (["-", "h"], "two URLs"),
            (["-H"], "needs a value"), (["--ntlm", "h"], "NTLM"), (["-K", "f", "h"], "not read"),
            (["h", "--next", "h"], "one request"),
            (["http://h/{a,b}"], "--globoff"), (["http://h/[1-3]"], "--globoff"),
            (["-d", "a", "-F", "a=b", "h"], "both give a body"),
            (["-F", "a", "h"], "name=content"), (["-H", "a", "h"], "no field"), (["-H", "@f", "h"], "from a file"),
            (["-d", "\\@x", "h"], "in a file"), (["-H", "A: b\\:c", "h"], "backslash"),
            (["-H", "a=b: c", "h"], "no name of a field"), (["-b", "jar", "h"], "--cookie-jar"),
            (["--netrc-file", "f", "h"], "another one"), (["-F", "a=b;filename=c", "h"], "only a file"),
            (["-F", "a=@b,c", "h"], "several files"),
            (["--data-binary", "@a", "--data-binary", "@b", "h"], "several files"),
            (["--json", "@a", "--json", "@b", "h"], "several files"),
            (["-F", "a=b;encoder=base64", "h"], "encoding of its own"),
            (["--aws-sigv4", "aws:amz", "h"], "needs a file of requests"), (["-z", "page.html", "h"], "a date"),
            (["-G", "--data-binary", "@f", "h"], "-G reads no file"), (["-L", "--post302", "h"], "another one"),
        ])
    func `an option that cannot be obeyed is named`(arguments: [String], reason: String) {
        let problem = #expect(throws: ShellLine.Problem.self) {
            try CurlLine(arguments) { _ throws(ShellLine.Problem) in "" }
        }
        #expect(problem?.reason.contains(reason) == true, "\(problem?.reason ?? "")")
    }

    @Test func `options without a meaning are listed`() throws {
        let line = try CurlLine(["-sS", "-w", "%{http_code}", "--no-buffer", "-#", "http://[::1]/"]) {
            _ throws(ShellLine.Problem) in ""
        }
        #expect(line.ignored == ["-w", "--no-buffer", "-#"] && line.words.contains("http://[::1]/"))
    }
}

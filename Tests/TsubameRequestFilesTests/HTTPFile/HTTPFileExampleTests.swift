// HTTPFileExampleTests: the examples of the two documents that define `.http` files, as facts in our own words.

import Testing

@testable import TsubameRequestFiles

/// A request of one line for each fact: method, URL, fields and body, with `|` between.
@Suite struct HTTPFileExampleTests {
    private func shown(_ text: String) throws -> [String] {
        try HTTPFileParser.parse(text, path: "a.http").entries.map { entry in
            let fields = entry.fields.map { "\($0.name.source): \($0.value.source)" }
            let user = entry.user.map { ["user \($0.name.source):\($0.value.source)"] } ?? []
            let options = entry.options.map { "\($0.name)=\($0.value.source)" }
            let body: [String] =
                switch entry.body {
                case nil: []
                case .text(let text, _): [text.source]
                case .bytes(let bytes): ["\(bytes)"]
                case .file(let path): ["<\(path.source)>"]
                case .pieces(let pieces):
                    [
                        pieces.map { piece in
                            switch piece {
                            case .text(let text): text.source.replacing("\r\n", with: "~")
                            case .file(let path, let charset): "<\(path.source)\(charset.map { " \($0)" } ?? "")>"
                            }
                        }.joined()
                    ]
                }
            return (["\(entry.method) \(entry.url.source)"] + fields + user + options + body).joined(separator: " | ")
        }
    }

    /// JetBrains, “HTTP Request in Editor”, by its sections.
    @Test(
        arguments: [
            // 1.2, an example as a whole
            (
                "###\nPOST http://h/add\nContent-Type: application/json\n\n{\n  \"a\": 1\n}",
                ["POST http://h/add | Content-Type: application/json | {\n  \"a\": 1\n}"]
            ),
            // 2.4, comments; also in a body, with and without an indent
            ("# one\n// two\nhttp://h\n# three\nA: b\n\nx\n  # four\n// five\ny", ["GET http://h | A: b | x\ny"]),
            // 2.5 and 3.1, separators: none, one or several, with and without a text
            ("###\nGET http://a\n###\nGET http://b\n###\n", ["GET http://a", "GET http://b"]),
            ("###\n###\n### x\nGET http://a\n### request comment\n###\n###", ["GET http://a"]),
            // 3.2, a body from a file, and the reference to an earlier response
            (
                "POST http://h/auth\nContent-Type: application/json\n\n< input.json\n<> previous.200.json\n",
                ["POST http://h/auth | Content-Type: application/json | <input.json>"]
            ),
            // 3.2.1, the request line
            ("http://example.com", ["GET http://example.com"]),
            ("GET http://example.com HTTP/1.1", ["GET http://example.com | http1.1=true"]),
            ("GET http://example.com HTTP/2", ["GET http://example.com | http2=true"]),
            (
                "GET http://example.com HTTP/2 (Prior Knowledge)",
                ["GET http://example.com | http2-prior-knowledge=true"]
            ),
            (
                "CONNECT http://h\n###\nTRACE http://h\n###\nPATCH http://h",
                ["CONNECT http://h", "TRACE http://h", "PATCH http://h"]
            ),
            // 3.2.1.1, the forms of the target
            ("GET /api/get\nHost: example.com", ["GET /api/get | Host: example.com"]),
            ("GET example.com/api", ["GET example.com/api"]),
            (
                "OPTIONS * HTTP/1.1\nHost: http://example.com:8080",
                ["OPTIONS * | Host: http://example.com:8080 | http1.1=true"]
            ),
            // 3.2.1.2, authorities
            ("http://[::1]", ["GET http://[::1]"]), ("http://127.0.0.1:8080", ["GET http://127.0.0.1:8080"]),
            // 3.2.1.3 and 4.2.1, a path and a query in several lines
            ("http://example.com/\n    api\n    /get", ["GET http://example.com/api/get"]),
            ("http://example.com/\n    %20api%20\n    +/get+", ["GET http://example.com/%20api%20/+/get+"]),
            (
                "GET http://h:8080\n    /api\n    /html\n    ?id=1\n    &value=c",
                ["GET http://h:8080/api/html?id=1&value=c"]
            ),
            ("http://h/schön?q=ä", ["GET http://h/schön?q=ä"]),
            // 3.2.1.4, query and fragment
            ("http://h/get?id=42", ["GET http://h/get?id=42"]), ("http://h/get#q=a+b", ["GET http://h/get#q=a+b"]),
            // 3.2.2, fields, also in several lines
            ("GET http://h\nFrom: user@example.com", ["GET http://h | From: user@example.com"]),
            ("GET http://h\nA:  b  \nX: one,\n   two\n\tthree", ["GET http://h | A: b | X: one, two three"]),
            // 3.2.3, bodies
            ("POST http://h\n\n< ./input.json", ["POST http://h | <./input.json>"]),
            // 3.2.3.1, a form with a text and a file
            (
                "POST http://h\nContent-Type: multipart/form-data; boundary=abcd\n\n--abcd\nContent-Disposition: form-data; name=\"text\"\n\nText\n--abcd\nContent-Disposition: form-data; name=\"f\"; filename=\"input.txt\"\n\n< ./input.txt\n--abcd--",
                [
                    "POST http://h | Content-Type: multipart/form-data; boundary=abcd | --abcd~Content-Disposition: form-data; name=\"text\"~~Text~--abcd~Content-Disposition: form-data; name=\"f\"; filename=\"input.txt\"~~<./input.txt>~--abcd--~"
                ]
            ),
            // 3.2.6, variables
            ("GET http://{{host}}/get?id={{ element-id }}", ["GET http://{{host}}/get?id={{element-id}}"]),
            // 4.2.2, white space around a body
            ("###\nPOST http://h/add\n\n\nmessage-body\n\n###\n", ["POST http://h/add | message-body"]),
        ])
    func `examples of JetBrains`(text: String, expected: [String]) throws { #expect(try shown(text) == expected) }

    /// VS Code, “REST Client”, by its headings.
    @Test(
        arguments: [
            // Usage
            ("https://example.com/comments/1", ["GET https://example.com/comments/1"]),
            (
                "POST https://h/comments HTTP/1.1\ncontent-type: application/json\n\n{\n    \"a\": 1\n}\n\n",
                ["POST https://h/comments | content-type: application/json | http1.1=true | {\n    \"a\": 1\n}"]
            ),
            (
                "GET https://h/1 HTTP/1.1\n\n#####\n\nGET https://h/2\n",
                ["GET https://h/1 | http1.1=true", "GET https://h/2"]
            ),
            ("get https://h", ["GET https://h"]),
            // Query strings
            ("GET https://h/comments?page=2&pageSize=10", ["GET https://h/comments?page=2&pageSize=10"]),
            ("GET https://h/comments\n    ?page=2\n    &pageSize=10", ["GET https://h/comments?page=2&pageSize=10"]),
            ("GET https://h\n?a=1\n&b=2\nA: b", ["GET https://h?a=1&b=2 | A: b"]),
            // Request headers; an indent has no meaning
            (
                "GET https://h\n  User-Agent: rest-client\nAccept-Language: en-GB,en;q=0.8",
                ["GET https://h | User-Agent: rest-client | Accept-Language: en-GB,en;q=0.8"]
            ),
            // Request body
            (
                "POST https://h\nContent-Type: application/xml\nAuthorization: token xxx\n\n<request>\n    <name>sample</name>\n</request>",
                [
                    "POST https://h | Content-Type: application/xml | Authorization: token xxx | <request>\n    <name>sample</name>\n</request>"
                ]
            ),
            ("POST https://h\n\n< C:\\Users\\demo.xml", ["POST https://h | <C:\\Users\\demo.xml>"]),
            ("POST https://h\n\n<@ ./demo.xml", ["POST https://h | <./demo.xml utf8>"]),
            ("POST https://h\n\n<@latin1 ./demo.xml", ["POST https://h | <./demo.xml latin1>"]),
            (
                "POST https://h\nContent-Type: application/x-www-form-urlencoded\n\nname=foo\n&password=bar",
                ["POST https://h | Content-Type: application/x-www-form-urlencoded | name=foo&password=bar"]
            ),
            // GraphQL, with and without variables
            (
                "POST https://h\nX-REQUEST-TYPE: GraphQL\n\nquery ($n: String!) {\n  a(n: $n)\n}\n\n{\n    \"n\": \"b\"\n}",
                ["POST https://h | query ($n: String!) {\n  a(n: $n)\n}\nvariables {\n    \"n\": \"b\"\n}"]
            ),
            // curl
            (
                "curl -X POST https://h -d a=b -I",
                ["POST https://h | Accept: */* | Content-Type: application/x-www-form-urlencoded | a=b"]
            ),
            // Basic and digest credentials
            ("GET https://h\nAuthorization: Basic user:passwd", ["GET https://h | user user:passwd"]),
            (
                "GET https://h\nAuthorization: Basic dXNlcjpwYXNzd2Q=",
                ["GET https://h | Authorization: Basic dXNlcjpwYXNzd2Q="]
            ),
            ("GET https://h\nAuthorization: Basic user passwd", ["GET https://h | user user:passwd"]),
            ("GET https://h\nAuthorization: Digest user passwd", ["GET https://h | user=user:passwd | digest=true"]),
            // File variables: a block of their own, and above a request
            (
                "@host = {{name}}:{{port}}\n@name = h\n\n###\n\n@id = 1\n\nGET https://{{host}}/{{id}}",
                ["GET https://{{host}}/{{id}}"]
            ),
            // Request variables
            (
                "# @name login\nPOST {{base}}/login HTTP/1.1\n\na=b\n\n###\n\n@token = {{login.response.headers.X-AuthToken}}\n\n# @name next\nGET {{base}}/{{login.response.body.//reply[1]/@id}}\nAuthorization: {{token}}",
                [
                    "POST {{base}}/login | http1.1=true | a=b",
                    "GET {{base}}/{{login.response.body.//reply[1]/@id}} | Authorization: {{token}}",
                ]
            ),
            // System variables
            (
                "POST https://h\nDate: {{$datetime rfc1123}}\n\n{\"a\": \"{{$timestamp -1 d}}\", \"b\": \"{{$datetime 'YYYY-MM-DD'}}\"}",
                [
                    "POST https://h | Date: {{$datetime rfc1123}} | {\"a\": \"{{$timestamp -1 d}}\", \"b\": \"{{$datetime 'YYYY-MM-DD'}}\"}"
                ]
            ),
            // Settings of one request; a recorded response is no request
            ("# @note\n// @name x\nGET https://h\n###\nHTTP/1.1 200 OK\nA: b\n\nbody\n", ["GET https://h"]),
        ])
    func `examples of VS Code`(text: String, expected: [String]) throws { #expect(try shown(text) == expected) }

    @Test func `the backslash in a variable of VS Code`() throws {
        let file = try HTTPFileParser.parse("@a = x\\ny\\\\z\\tq\\\"{{b}}\n", path: "a.http")
        #expect(file.variables.map(\.value.source) == ["x\ny\\z\tq\"{{b}}"])
    }
}

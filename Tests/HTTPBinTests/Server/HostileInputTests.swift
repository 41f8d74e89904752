// HostileInputTests: requests that try to break a server: each is refused or answered, and the server continues.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HostileInputTests {
    /// Bytes whose name the log shows in their place.
    struct Input: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String

        init(_ name: String, _ text: String) {
            testDescription = name
            self.text = text
        }
    }

    static let numbers = [
        "-1", "", "nan", "-inf", "+", "0x10", "1e-320", "%", "%zz", "%00", "%0d%0aX:1", "%ff%fe", "%F0%9F%90%A6",
        "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551616", String(repeating: "9", count: 5000),
    ]

    @Test(arguments: [
        "/bytes/", "/stream/", "/redirect/", "/relative-redirect/", "/absolute-redirect/", "/status/",
        "/status/200,300:", "/status/200:1,",
        "/bytes/3?seed=", "/drip?duration=0&numbytes=1&code=", "/keyvalue?code=", "/timeline/x.xml?count=",
        "/cookies/set/a/",
        "/redirect-to?url=/&status_code=", "/redirect-to?url=", "/response-headers?a=", "/response-headers?",
        "/cookies/set?",
        "/timeline/", "/basic-auth/a/", "/anything/", "/anything?", "/stream-bytes/", "/stream-bytes/3?chunk_size=",
        "/stream-bytes/3?seed=", "/range/", "/range/3?chunk_size=", "/cache/", "/etag/", "/links/", "/links/3/",
        "/base64/", "/image/", "/trailers?a=", "/trailers?", "/hidden-basic-auth/a/", "/digest-auth/",
        "/digest-auth/auth/a/", "/digest-auth/auth/a/b/", "/digest-auth/auth/a/b/MD5/",
    ])
    func numbersAndEscapesInTargets(prefix: String) async throws {
        try await withServer { server async throws in
            for number in Self.numbers {
                let answer = try await server.get(prefix + number)
                #expect((200..<500).contains(answer.status) || answer.status == 999, "\(prefix)\(number.prefix(30))")
                #expect(answer["X"] == nil)
            }
        }
    }

    /// Responses of an unusual kind, even to well-formed requests.
    @Test(arguments: ["/truncate/", "/truncate/3?announce=", "/truncate/3?chunked=", "/early-hints?link="])
    func numbersAndEscapesInTargetsOfOddAnswers(prefix: String) async throws {
        try await withServer { server async throws in
            for number in Self.numbers {
                try await RawConnection.open(to: server) { connection async throws in
                    try await connection.send(
                        "GET \(prefix)\(number) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                    let answer = String(decoding: await connection.rest(), as: UTF8.self)
                    #expect(["HTTP/1.1 1", "HTTP/1.1 2", "HTTP/1.1 4"].contains { answer.hasPrefix($0) })
                    // The content of an error may quote the faulty input.
                    let head = answer.split(separator: "\r\n\r\n", maxSplits: 1).first ?? ""
                    #expect(!head.contains("\r\nX:1"))
                }
            }
        }
    }

    @Test(arguments: [
        "/delay/", "/drip?duration=", "/drip?numbytes=1&duration=0&delay=", "/sse?n=1&delay=",
        "/drip?duration=0&numbytes=", "/jsonl?n=", "/range/3?duration=", "/slow-headers/", "/early-hints?delay=",
    ])
    func timesAndCountsThatAreNone(prefix: String) async throws {
        try await withServer { server async throws in
            for number in ["-1", "nan", "-inf", "-1e400", "%", "x", "%F0%9F%90%A6"] {
                #expect(try await server.get(prefix + number).status == 400, "\(prefix)\(number)")
            }
        }
    }

    @Test(arguments: ["100", "101", "199", "1000", "-200", "99999999999999999999", "0"])
    func statusesThatCannotEndAnExchange(code: String) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/status/\(code)").status == 400)
            #expect(try await server.get("/drip?duration=0&code=\(code)").status == 400)
        }
    }

    @Test(arguments: [
        "=", "\"", ",,,=,", "nonce", "nonce=", "nonce=\"", "nonce=\"\\", "nonce=a, qop=", "nonce=a, qop=x, username=a",
        "nonce=a, qop=auth, username=a", "nonce=a, username*=x'y, realm=\"\\\"", "username*=utf-8''%, nonce=\u{FF}",
        "nonce=\r\n stale=1",
    ])
    func digestCredentialsThatAreNone(text: String) async throws {
        try await withServer { server async throws in
            for path in ["/digest-auth/auth/a/b", "/digest-auth/x/a/b/SHA-512/0", "/digest-auth/auth-int/a/b?x=%"] {
                let status = try await server.get(path, "Authorization: Digest \(text)").status
                #expect(status == 400 || status == 401, "\(path)")
            }
        }
    }

    @Test(arguments: ["204", "304"])
    func aStatusWithoutContentGetsNone(code: String) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                for target in ["/drip?duration=0&code=\(code)", "/keyvalue?code=\(code)", "/status/\(code)"] {
                    try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                    #expect(try await connection.answer().status == Int(code))
                }
                try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    @Test(arguments: [
        Input("a method and the end", "GET"),
        Input("zeros", "\0\0\0\0"),
        Input("a version that is none", "GET / HTTP/9.9\r\n\r\n"),
        Input("no target", "GET  HTTP/1.1\r\n\r\n"),
        Input("an asterisk for GET", "GET * HTTP/1.1\r\n\r\n"),
        Input("a URL without a host", "GET http:// HTTP/1.1\r\n\r\n"),
        Input("a target with colons", "GET a:b:c HTTP/1.1\r\n\r\n"),
        Input("a query only", "GET ?a HTTP/1.1\r\n\r\n"),
        Input("CONNECT", "CONNECT a:1 HTTP/1.1\r\n\r\n"),
        Input("an unknown method", "BREW / HTTP/1.1\r\n\r\n"),
        Input("two hosts", "GET /get HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Input("a control character in Host", "GET /get HTTP/1.1\r\nHost: \u{1}\r\n\r\n"),
        Input("a field without a name", "GET /get HTTP/1.1\r\n: a\r\n\r\n"),
        Input("a negative length", "POST /post HTTP/1.1\r\nContent-Length: -5\r\n\r\nhello"),
        Input("a length past 2^64", "POST /post HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\nhello"),
        Input("two lengths", "POST /post HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        Input("a body cut short", "POST /post HTTP/1.1\r\nContent-Length: 9\r\n\r\nhello"),
        Input("an upload cut short", "POST /upload HTTP/1.1\r\nContent-Length: 9\r\n\r\nhello"),
        Input("a chunk size that is none", "POST /post HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        Input("a huge chunk", "POST /post HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
        Input(
            "chunks and a length", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"
        ),
        Input("a cookie of punctuation", "GET /cookies HTTP/1.1\r\nCookie: =;;\"\\\r\n\r\n"),
        Input("octal escapes that are none", "GET /cookies HTTP/1.1\r\nCookie: a=\"\\3\"; b=\"\\400\"\r\n\r\n"),
        Input("2,000 fields", "GET /headers HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 2000) + "\r\n"),
        Input("a target of 200,000 bytes", "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\n\r\n"),
    ])
    func brokenRequestsAreRefusedOrAnswered(request: Input) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                // The server may have closed the connection before everything was sent.
                try? await connection.send(request.text)
                connection.finishSending()
                let answer = String(decoding: await connection.rest(), as: UTF8.self)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "), "\(answer.prefix(100))")
                #expect(!answer.hasPrefix("HTTP/1.1 5"), "\(answer.prefix(100))")
            }
            #expect(try await server.get("/get").status == 200)
        }
    }

    @Test(arguments: [
        Input("deep lists", String(repeating: "[", count: 100_000)),
        Input("deep objects", String(repeating: "{\"a\":", count: 50_000)),
        Input("half a surrogate pair", "\"\\ud800\""),
        Input("an escape cut short", "\"\\ud800\\u"),
        Input("a string that ends in a backslash", "\"\\"),
        Input("a number past every type", "1e99999"),
    ])
    func brokenJSONIsShownOrLeftOut(body: Input) async throws {
        try await expectAnswer(toBody: body.text, type: "application/json")
    }

    @Test(arguments: [
        Input("dashes", String(repeating: "-", count: 50_000)),
        Input("one delimiter", "--b"),
        Input("one delimiter line", "--b\r\n"),
        Input("a closing delimiter", "--b--"),
        Input("a part without a head", "--b\r\n\r\n--b--"),
        Input("parts of nothing", "--b\n--b\n--b--"),
        Input("an extended name cut short", "--b\r\nContent-Disposition: form-data; name*=x'y\r\n\r\n\r\n--b--"),
        Input("parameters of punctuation", "--b\r\nContent-Disposition: ;;;=\"\\\r\n\r\n\r\n--b--"),
    ])
    func brokenMultipartFormsAreEmpty(body: Input) async throws {
        for boundary in ["b", "-", "\"b", "\"\"", String(repeating: "b", count: 10_000)] {
            try await expectAnswer(toBody: body.text, type: "multipart/form-data; boundary=\(boundary)")
        }
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "%&=+%%2&&="), ("multipart/form-data", "x"), (";;;", "x"), ("", "x"),
    ])
    func contentTypesOfPunctuationAreNone(type: String, body: String) async throws {
        try await expectAnswer(toBody: body, type: type)
    }

    private func expectAnswer(toBody body: String, type: String) async throws {
        try await withServer { server in
            let answer = try await server.post("/post", "Content-Type: \(type)", body: body)
            #expect(answer.status == 200)
            #expect(answer.text.hasSuffix("}\n"))
        }
    }

    @Test func moreNamesAndValuesThanAnyoneSendsAreRefused() async throws {
        try await withServer { server async throws in
            let body = String(repeating: "a&", count: 200_000)
            #expect(
                try await server.post("/post", "Content-Type: application/x-www-form-urlencoded", body: body).status
                    == 413)
            let query = (0..<600).map { "a\($0)" }.joined(separator: "&")
            #expect(try await server.get("/response-headers?\(query)").status == 400)
            #expect(try await server.get("/cookies/set?\(query)").status == 400)
        }
    }
}

#endif

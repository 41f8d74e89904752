// OwnEndpointTests: the endpoints that httpbin does not have.
#if Server
import HTTPBin
import Testing

extension RunningHTTPBin {
    func signIn(
        name: String = HTTPBin.sampleAccount.name, password: String = HTTPBin.sampleAccount.password,
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> Answer {
        func escaped(_ text: String) -> String {
            text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return try await post(
            "/login", "Content-Type: \(type)", body: "name=\(escaped(name))&password=\(escaped(password))")
    }
}

@Suite(.timeLimit(.minutes(2)))
struct OwnEndpointTests {
    @Test func eventsHaveNumbersNamesAndDataOfTwoLines() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/sse?n=2")
            #expect(answer["Content-Type"] == "text/event-stream")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer.chunks.count == 2)
            #expect(
                answer.text == """
                    id: 0
                    event: swallow
                    data: {"id": 0,
                    data:  "text": "燕 0"}

                    id: 1
                    event: swallow
                    data: {"id": 1,
                    data:  "text": "燕 1"}


                    """)
        }
    }

    @Test(arguments: [("0", 2), ("1", 1), ("2", 0), ("7", 0), ("x", 3), ("99999999999999999999", 0)])
    func eventsGoOnBehindTheLastOneSeen(last: String, left: Int) async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/sse?n=3", "Last-Event-ID: \(last)")
            #expect(
                answer.text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
                    == (3 - left..<3).map(String.init))
        }
    }

    @Test func linesOfJSONAreCounted() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/jsonl?n=3&delay=0.001")
            #expect(answer["Content-Type"] == "application/jsonl")
            #expect(answer.text == (0..<3).map { "{\"line\": \($0), \"text\": \"燕 \($0)\"}\n" }.joined())
            #expect(try await server.get("/jsonl?n=0").body.isEmpty)
        }
    }

    @Test func aJapanesePageComesAsTheBytesOfItsCharset() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/euc-jp")
            #expect(answer["Content-Type"] == "text/html; charset=EUC-JP")
            // ツバメの日記, then 鷗 of JIS X 0212, then half-width ﾂ.
            let heading: [UInt8] = [0xA5, 0xC4, 0xA5, 0xD0, 0xA5, 0xE1, 0xA4, 0xCE, 0xC6, 0xFC, 0xB5, 0xAD]
            for bytes in [heading, [0x8F, 0xEC, 0xBF], [0x8E, 0xC2]] as [[UInt8]] {
                #expect(answer.body.indices.contains { answer.body[$0...].starts(with: bytes) })
            }
            #expect(String(validating: answer.body, as: UTF8.self) == nil)
        }
    }

    @Test func aTimelineNamesTheUserDecodedAndEscaped() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/timeline/a%20%26%3C%2F%E7%87%95%22.xml")
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "application/xml; charset=utf-8")
            #expect(
                answer.text.hasPrefix(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<statuses type=\"array\">\n  <status>\n"))
            #expect(answer.text.contains("<screen_name>a &amp;&lt;/燕&quot;</screen_name>"))
            #expect(answer.text.contains("<text>Fish &amp; chips &lt; 10 km"))
            #expect(answer.text.hasSuffix("  </status>\n</statuses>\n"))
            #expect(try await server.get("/timeline/x.xml?count=7").text.split(separator: "<status>").count == 8)
        }
    }

    @Test(arguments: [
        ("nobody.xml", 404), ("nobody", 404), ("a/b.xml", 404), (".xml", 404), ("a%01.xml", 400), ("a%0A.xml", 200),
    ])
    func aTimelineThatCannotBeIsRefused(user: String, status: Int) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/timeline/\(user)").status == status)
        }
    }

    @Test func aFormLoginGivesASession() async throws {
        try await withServer { server async throws in
            let login = try await server.signIn()
            #expect(login.status == 200)
            let cookie = try #require(login["Set-Cookie"])
            #expect(cookie.hasPrefix("session=") && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
            let session = try #require(cookie.split(separator: ";").first)
            let me = try await server.get("/me", "Cookie: theme=dark; \(session)")
            #expect(me.text == "{\n  \"name\": \"swallow\"\n}\n")
        }
    }

    @Test func loginTakesItsAccountsFromTheSettings() async throws {
        try await withServer(HTTPBin(accounts: ["燕": "é"])) { server async throws in
            #expect(try await server.signIn(name: "燕", password: "é").status == 200)
            // A canonically equivalent text with other bytes.
            #expect(try await server.signIn(name: "燕", password: "e\u{301}").status == 401)
            #expect(try await server.signIn().status == 401)
        }
    }

    @Test func loginRefusesWhatIsNoFormOrNoAccount() async throws {
        try await withServer { server async throws in
            #expect(try await server.signIn(password: "wrong").status == 401)
            #expect(try await server.signIn(name: "nobody").status == 401)
            let mislabelled = try await server.signIn(type: "application/json")
            #expect(mislabelled.status == 401)
            #expect(mislabelled.text.contains("no form"))
            #expect(mislabelled["Set-Cookie"] == nil)
            #expect(mislabelled["WWW-Authenticate"] != nil)
            #expect(try await server.get("/login").text.contains("\"password\""))
        }
    }

    @Test(arguments: ["X-None: ", "Cookie: session=", "Cookie: session=0123456789abcdef", "Cookie: other=1"])
    func meIsClosedWithoutASession(field: String) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/me", field).status == 401)
        }
    }

    @Test func keyValuesEndWithENDAndAreCutInsideACharacter() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/keyvalue?messageType=login&dateTime=20260401120000")
            #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
            #expect(
                answer.text
                    == "messageType=login&dateTime=20260401120000&message=燕は春に来る&expression=a=b==c&empty=&resultCode=0"
                    + "&END&resultCode=999&garbage=無視\r\n")
            #expect(answer.chunks.count == 2)
            #expect(String(validating: answer.chunks[0], as: UTF8.self) == nil)
        }
    }

    @Test func keyValuesTakeAFormAndAStatus() async throws {
        try await withServer { server async throws in
            let type = "Content-Type: application/x-www-form-urlencoded"
            let answer = try await server.post(
                "/keyvalue?code=503", type, body: "messageType=%E7%87%95%26%3D%25&dateTime=1")
            #expect(answer.status == 503)
            #expect(answer.text.hasPrefix("messageType=燕%26=%25&dateTime=1&message="))
        }
    }

    @Test func anUploadIsCountedHoweverLongItIs() async throws {
        try await withServer(HTTPBin(bodyLimit: 10)) { server async throws in
            let answer = try await server.request("PUT", "/upload", body: Array(repeating: 7, count: 3_000_000))
            #expect(answer.text == "{\n  \"bytes\": 3000000\n}\n")
            let chunked = try await server.exchange(
                "POST /upload HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            )
            #expect(chunked.text == "{\n  \"bytes\": 5\n}\n")
            #expect(try await server.request("POST", "/upload").text == "{\n  \"bytes\": 0\n}\n")
        }
    }
}

#endif

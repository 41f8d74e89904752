// HTTPBinEndpointTests: the endpoints that httpbin also has. Scripts/check/httpbin/compare-httpbin.py compares them with
// httpbin in full.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HTTPBinEndpointTests {
    @Test func getShowsArgumentsFieldsOriginAndURL() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/get?b=2&a=1&b=%E7%87%95+x&c", "x-under-way: 1", "X-Under-Way: 2")
            #expect(answer["Content-Type"] == "application/json")
            #expect(
                answer.text == #"""
                    {
                      "args": {
                        "a": "1",
                        "b": [
                          "2",
                          "\u71d5 x"
                        ],
                        "c": ""
                      },
                      "headers": {
                        "Host": "test",
                        "X-Under-Way": "1,2"
                      },
                      "origin": "127.0.0.1",
                      "url": "http://test/get?b=2&a=1&b=\u71d5+x&c"
                    }

                    """#)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "QUERY"])
    func everyMethodWithABodyShowsIt(method: String) async throws {
        try await withServer { server async throws in
            let fields = ["Content-Type: application/json"]
            let answer = try await server.request(
                method, "/\(method.lowercased())", fields, body: Array(#"{"b": [1.50], "a": 1}"#.utf8))
            #expect(answer.text.contains(#""data": "{\"b\": [1.50], \"a\": 1}""#))
            #expect(answer.text.contains("  \"json\": {\n    \"a\": 1,\n    \"b\": [\n      1.50\n    ]\n  },\n"))
            let anything = try await server.request(method, "/anything/a/b", fields, body: [])
            #expect(anything.text.contains("\"method\": \"\(method)\""))
        }
    }

    @Test func bytesThatAreNoTextComeBackAsADataURL() async throws {
        try await withServer { server async throws in
            let answer = try await server.request("POST", "/post", body: [0xFF, 0x00, 0xFE])
            #expect(answer.text.contains(#""data": "data:application/octet-stream;base64,/wD+""#))
            #expect(answer.text.contains("\"json\": null"))
        }
    }

    @Test func aMultipartFormIsReadWithItsFiles() async throws {
        let body = """
            --x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x-\r\n\r\n--x\r\n\
            Content-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\n燕\r\n--x\r\n\
            Content-Disposition: form-data; name="a"\r\n\r\n\r\n--x--\r\n
            """
        try await withServer { server async throws in
            let answer = try await server.post("/post", #"Content-Type: multipart/form-data; boundary="x""#, body: body)
            #expect(
                answer.text.contains("\"form\": {\n    \"a\": [\n      \"1\\r\\n--x-\\r\\n\",\n      \"\"\n    ]\n  }"))
            #expect(answer.text.contains("\"files\": {\n    \"f\": \"\\u71d5\"\n  }"))
            #expect(answer.text.contains("\"data\": \"\""))
        }
    }

    @Test(arguments: [200, 204, 304, 404, 418, 500, 599, 999])
    func aStatusIsAnsweredAsAsked(code: Int) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/status/\(code)").status == code)
        }
    }

    @Test func oneOfSeveralStatusesIsChosenByWeight() async throws {
        try await withServer { server async throws in
            var seen: Set<Int> = []
            while seen.count < 2 {
                let status = try await server.get("/status/201:1,500:0,202:2").status
                #expect([201, 202].contains(status))
                seen.insert(status)
            }
        }
    }

    @Test(arguments: [
        ("/redirect/1", "/get"), ("/redirect/3", "/relative-redirect/2"),
        ("/relative-redirect/2", "/relative-redirect/1"),
        ("/absolute-redirect/2", "http://test/absolute-redirect/1"),
        ("/redirect/2?absolute=true", "http://test/absolute-redirect/1"),
        ("/redirect-to?url=http%3A%2F%2Fa.example%2F%3Fb%3Dc", "http://a.example/?b=c"),
        ("/redirect-to?url=/%E7%87%95", "/%E7%87%95"),
    ])
    func redirectsLeadOn(target: String, location: String) async throws {
        try await withServer { server async throws in
            let answer = try await server.get(target)
            #expect(answer.status == 302)
            #expect(answer["Location"] == location)
        }
    }

    @Test func redirectToTakesItsParametersFromAFormToo() async throws {
        try await withServer { server async throws in
            let type = "Content-Type: application/x-www-form-urlencoded"
            let answer = try await server.post("/redirect-to", type, body: "url=/x&status_code=308")
            #expect(answer.status == 308)
            #expect(answer["Location"] == "/x")
        }
    }

    @Test func cookiesAreSetShownAndDeleted() async throws {
        try await withServer { server async throws in
            let set = try await server.get("/cookies/set?a=1&b=x%20y")
            #expect(set.status == 302)
            #expect(set.all("Set-Cookie") == ["a=1; Path=/", "b=\"x y\"; Path=/"])
            #expect(try await server.get("/cookies/set/a/%C3%A9")["Set-Cookie"] == #"a="\303\251"; Path=/"#)
            let shown = try await server.get("/cookies", "Cookie: a=1; b=\"x y\"")
            #expect(shown.text == "{\n  \"cookies\": {\n    \"a\": \"1\",\n    \"b\": \"x y\"\n  }\n}\n")
            let deleted = try await server.get("/cookies/delete?a")
            #expect(deleted["Set-Cookie"] == "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/")
        }
    }

    @Test(arguments: [
        ("Authorization: Basic dTpw", 200), ("Authorization: basic dTpw", 200), ("Authorization: Basic dTpx", 401),
        ("Authorization: Basic ???", 401), ("X-None: ", 401),
    ])
    func basicCredentialsAreChecked(field: String, status: Int) async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/basic-auth/u/p", field)
            #expect(answer.status == status)
            #expect((answer["WWW-Authenticate"] != nil) == (status == 401))
        }
    }

    @Test func aBearerTokenIsShown() async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/bearer", "Authorization: Bearer a.b").text.contains(#""token": "a.b""#))
            #expect(try await server.get("/bearer")["WWW-Authenticate"] == "Bearer")
        }
    }

    @Test func codedAnswersAreWhatTheySay() async throws {
        try await withServer { server async throws in
            let gzip = try await server.get("/gzip")
            #expect(gzip["Content-Encoding"] == "gzip")
            #expect(gzip.body.starts(with: [0x1F, 0x8B, 8]))
            let deflate = try await server.get("/deflate")
            #expect(deflate["Content-Encoding"] == "deflate")
            #expect(deflate.body.starts(with: [0x78, 0x9C]))
        }
    }

    @Test func aStreamComesInLines() async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/stream/3")
            #expect(answer.chunks.count == 3)
            #expect(answer.text.hasSuffix("\n"))
            #expect(answer.text.split(separator: "\n").enumerated().allSatisfy { $1.contains("\"id\": \($0),") })
            #expect(try await server.get("/stream/1000").chunks.count == 100)
        }
    }

    /// The bytes come from Python: `random.seed(s); bytes(random.randint(0, 255) for _ in range(8))`.
    @Test(arguments: [
        ("1", [68, 32, 130, 60, 253, 230, 241, 194] as [UInt8]), ("-1", [68, 32, 130, 60, 253, 230, 241, 194]),
        ("0", [197, 215, 20, 132, 248, 207, 155, 244]),
        ("123456789012345678901234567890", [112, 81, 6, 137, 57, 125, 187, 134]),
    ])
    func aSeedGivesTheBytesThatPythonGives(seed: String, bytes: [UInt8]) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/bytes/8?seed=\(seed)").body == bytes)
        }
    }

    @Test func bytesAreRandomAndBounded() async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/bytes/0").body.isEmpty)
            let first = try await server.get("/bytes/64").body
            #expect(first.count == 64)
            #expect(try await server.get("/bytes/64").body != first)
            #expect(try await server.get("/bytes/999999999999999999999").body.count == 102_400)
        }
    }

    @Test func aDripHasItsLengthFromTheStartAndTakesItsTime() async throws {
        try await withServer { server async throws in
            let clock = ContinuousClock()
            let start = clock.now
            let answer = try await server.get("/drip?numbytes=5&duration=0.25&code=201")
            #expect(clock.now - start >= .milliseconds(200))
            #expect(answer.status == 201)
            #expect(answer["Content-Length"] == "5")
            #expect(answer.text == "*****")
        }
    }

    @Test func aDelayIsAtLeastAsLongAsAsked() async throws {
        try await withServer { server async throws in
            let clock = ContinuousClock()
            let start = clock.now
            let answer = try await server.post("/delay/0.1", body: "x")
            #expect(clock.now - start >= .milliseconds(100))
            #expect(answer.text.contains(#""data": "x""#))
            #expect(!answer.text.contains("\"json\""))
        }
    }

    @Test func responseHeadersShowsWhatItSends() async throws {
        try await withServer { server async throws in
            let answer = try await server.get(
                "/response-headers?X-A=1&x-b=2&X-A=3&Content-Length=7&Transfer-Encoding=x")
            #expect(answer.all("X-A") == ["1", "3"])
            #expect(answer.all("Content-Length") == ["\(answer.body.count)"])
            #expect(answer["Transfer-Encoding"] == nil)
            #expect(answer.text.contains("\"X-A\": [\n    \"1\",\n    \"3\"\n  ]"))
        }
    }

    @Test func smallThingsAreTold() async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/ip").text == "{\n  \"origin\": \"127.0.0.1\"\n}\n")
            #expect(
                try await server.get("/user-agent", "User-Agent: Swallow/1").text
                    == "{\n  \"user-agent\": \"Swallow/1\"\n}\n")
            #expect(try await server.get("/user-agent").text == "{\n  \"user-agent\": null\n}\n")
            #expect(
                try await server.get("/headers", "Via: x").text
                    == "{\n  \"headers\": {\n    \"Host\": \"test\"\n  }\n}\n")
            let uuid = try await server.get("/uuid").text
            #expect(uuid.count == "{\n  \"uuid\": \"\"\n}\n".count + 36)
            #expect(try await server.get("/uuid").text != uuid)
        }
    }
}

#endif

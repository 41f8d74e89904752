// HTTP2Tests: HTTP/2's rules for a server, and that the endpoints are the same.
#if Server
import HTTPBin
import NIOCore
import NIOHTTP2
import Testing

@Suite(.timeLimit(.minutes(2)))
struct HTTP2Tests {
    private static let targets = [
        "/get?a=1", "/headers", "/stream/3", "/status/404", "/status/418", "/status/304", "/drip?duration=0",
        "/sse?n=3",
        "/range/1000", "/redirect/1", "/nowhere", "/euc-jp", "/keyvalue", "/html", "/encoding/utf8", "/bytes/5?seed=1",
        "/response-headers?Connection=close&Keep-Alive=5&Upgrade=h2c&Proxy-Connection=x&X-A=b",
    ]

    @Test(arguments: [false, true])
    func theEndpointsAreTheSame(hasTLS: Bool) async throws {
        try await withServer(HTTPBin(tls: hasTLS ? try .make() : nil)) { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                for target in Self.targets {
                    let old = try await server.get(target)
                    let new = try await client.get(target)
                    #expect(new.status == old.status, "\(target)")
                    // /response-headers shows its own fields, so the length differs where the fields differ.
                    if !target.hasPrefix("/response-headers") { #expect(new.text == old.text, "\(target)") }
                    #expect(new.reset == nil)
                    #expect(new["content-type"] == old["Content-Type"])
                    for name in ["connection", "keep-alive", "upgrade", "proxy-connection", "transfer-encoding"] {
                        #expect(new[name] == nil, "\(target): \(name)")
                    }
                    #expect(new.fields.allSatisfy { $0.name == $0.name.lowercased() })
                }
                // The server may notice the end of the other requests' connections a little later.
                while server.connectionCount > 1 { try Task.checkCancellation(); await Task.yield() }
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test func headHasTheLengthOfTheContentAndNotTheContent() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                for target in ["/get", "/stream/3", "/sse?n=3", "/drip?duration=0"] {
                    let head = try await client.request("HEAD", target)
                    #expect(head.status == 200 && head.body.isEmpty)
                    #expect(head["content-length"] == "\(try await client.get(target).body.count)")
                }
            }
        }
    }

    @Test func aHundredStreamsAreAnsweredAtOnce() async throws {
        let (records, recorded) = AsyncStream.makeStream(of: RequestRecord.self)
        try await withServer(HTTPBin(onRequest: { recorded.yield($0) })) { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for index in 0..<100 {
                        group.addTask { try await client.get("/drip?numbytes=2&duration=0.2&i=\(index)").status }
                    }
                    for try await status in group { #expect(status == 200) }
                }
                #expect(server.connectionCount == 1)
            }
        }
        recorded.finish()
        var targets: Set<String> = []
        for await record in records {
            #expect(record.connection == 1)
            #expect(record.version == "HTTP/2")
            targets.insert(record.target)
        }
        #expect(targets.count == 100)
    }

    @Test func aBodyThatIsLargerThanTheWindowsIsReadToItsEnd() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let body = [UInt8](repeating: 42, count: 3_000_000)
                #expect(try await client.request("POST", "/upload", body: body).text == "{\n  \"bytes\": 3000000\n}\n")
                #expect(try await client.get("/drip?numbytes=3000000&duration=0").body == body)
            }
        }
    }

    @Test(arguments: ["/status/200", "/status/404", "/nowhere"])
    func anEarlyAnswerEndsBeforeTheUploadDoes(target: String) async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let answer = try await client.stream { parts, outbound async throws in
                    try await outbound.write(HTTP2Client.head("POST", target, endStream: false))
                    // The request never ends, and the response does not wait for its end.
                    return await HTTP2Client.answer(&parts)
                }
                #expect(answer.status == (target == "/status/200" ? 200 : 404))
                #expect(answer.reset == nil)
                #expect(try await client.get("/get").status == 200)
            }
        }
    }

    @Test func expectationsAreMetBeforeTheBodyIsSent() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let answer = try await client.stream { parts, outbound async throws in
                    let head = HTTP2Client.head("POST", "/upload", [("expect", "100-continue")], endStream: false)
                    try await outbound.write(head)
                    let interim = try await parts.next(isolation: #isolation)
                    try await outbound.write(HTTP2Client.data(Array("abc".utf8), endStream: true))
                    var answer = await HTTP2Client.answer(&parts)
                    if case .headers(let head)? = interim {
                        answer.interim = [head.headers.map { ($0.name, $0.value) }]
                    }
                    return answer
                }
                #expect(answer.interim.first?.first?.value == "100")
                #expect(answer.text == "{\n  \"bytes\": 3\n}\n")
            }
        }
    }

    @Test func hintsComeBeforeTheAnswerAndTrailersBehindIt() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let hinted = try await client.get("/early-hints?link=%3C/a%3E&link=%3C/b%3E")
                #expect(hinted.interim.count == 1)
                #expect(hinted.interim.first?.map(\.value) == ["103", "</a>", "</b>"])
                #expect(hinted.status == 200)
                let trailed = try await client.get("/trailers?x-sum=1%202&Y=&x-sum=3")
                #expect(trailed.trailers.map(\.name) == ["x-sum", "y", "x-sum"])
                #expect(trailed.trailers.map(\.value) == ["1 2", "", "3"])
            }
        }
    }

    @Test func aBodyThatIsCutEndsWithAReset() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                for target in ["/truncate/5", "/truncate/5?chunked=true", "/truncate/102400"] {
                    let answer = try await client.get(target)
                    #expect(answer.status == 200)
                    #expect(answer.body.count == (target == "/truncate/102400" ? 102_400 : 5))
                    #expect(answer.reset == .internalError)
                }
                #expect(try await client.get("/truncate/5")["content-length"] == "11")
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test func aSlowHeadComesLate() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let clock = ContinuousClock()
                let start = clock.now
                #expect(try await client.get("/slow-headers/0.2").status == 200)
                #expect(clock.now - start >= .milliseconds(190))
            }
        }
    }

    @Test func theAuthorityAndCookiesAreAsInHTTP1() async throws {
        let (records, recorded) = AsyncStream.makeStream(of: RequestRecord.self)
        try await withServer(HTTPBin(onRequest: { recorded.yield($0) })) { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                let answer = try await client.get("/cookies", ("cookie", "a=1"), ("cookie", "b=2"))
                #expect(answer.text.contains("\"a\": \"1\"") && answer.text.contains("\"b\": \"2\""))
                let named = try await client.request("GET", "/get", [("host", "other")], authority: nil)
                #expect(named.text.contains("\"url\": \"http://other/get\""))
                #expect(try await client.get("/get").text.contains("\"url\": \"http://test/get\""))
            }
        }
        recorded.finish()
        var fields: [[String]] = []
        for await record in records { fields.append(record.fields.map { "\($0.name): \($0.value)" }) }
        #expect(fields == [["host: test", "cookie: a=1", "cookie: b=2"], ["host: other"], ["host: test"]])
    }

    @Test func aStreamThatIsResetEndsItsEndpointOnly() async throws {
        try await withServer { server async throws in
            try await HTTP2Client.open(to: server) { client async throws in
                try await client.stream { parts, outbound async throws in
                    try await outbound.write(HTTP2Client.head("GET", "/drip?delay=3000", endStream: true))
                    try await outbound.write(.rstStream(.cancel))
                    _ = await HTTP2Client.answer(&parts)
                }
                #expect(try await client.get("/get").status == 200)
            }
        }
    }

    @Test func stopSaysWhichStreamsWereSeenAndClosesThem() async throws {
        let server = try await HTTPBin.start()
        try await HTTP2Client.open(to: server) { client async throws in
            #expect(try await client.get("/get").status == 200)
            let answer = try await client.stream { parts, outbound async throws in
                try await outbound.write(HTTP2Client.head("GET", "/drip?numbytes=2&duration=3000", endStream: true))
                _ = try await parts.next(isolation: #isolation)
                await server.stop()
                #expect(server.connectionCount == 0)
                return try await client.goAway()
            }
            #expect(answer == HTTP2Client.GoAway(lastStream: 3, code: 0))
        }
    }
}

#endif

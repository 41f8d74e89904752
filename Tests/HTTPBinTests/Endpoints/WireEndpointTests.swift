// WireEndpointTests: responses that are unusual on the wire.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WireEndpointTests {
    @Test func trailersFollowTheBody() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                // Twice, because leftover bytes of the first response would break the second.
                for _ in 0..<2 {
                    try await connection.send("GET /trailers?x-sum=1%202&Y=&x-sum=3 HTTP/1.1\r\nHost: test\r\n\r\n")
                    let answer = try await connection.answer()
                    #expect(answer.framing == .chunks)
                    #expect(answer["Trailer"] == "x-sum, Y, x-sum")
                    #expect(answer.trailers.map(\.name) == ["x-sum", "Y", "x-sum"])
                    #expect(answer.trailers.map(\.value) == ["1 2", "", "3"])
                    #expect(answer["x-sum"] == nil)
                    #expect(answer.text.contains("\"trailers\""))
                }
            }
            #expect(try await server.get("/trailers").trailers.count == 1)
        }
    }

    @Test func anOldClientGetsNoTrailers() async throws {
        try await withServer { server async throws in
            let answer = try await server.exchange("GET /trailers?a=b HTTP/1.0\r\n\r\n")
            #expect(answer.framing == .close)
            #expect(answer.text.hasSuffix("}\n"))
        }
    }

    @Test func hintsComeBeforeTheAnswer() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(
                    "GET /get HTTP/1.1\r\nHost: test\r\n\r\n"
                        + "GET /early-hints?link=%3C/a%3E&link=%3C/b%3E&delay=0.05 HTTP/1.1\r\nHost: test\r\n\r\n"
                        + "GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try await connection.answer().status == 200)
                let hints = try await connection.answer()
                #expect(hints.status == 103)
                #expect(hints.all("Link") == ["</a>", "</b>"])
                #expect(hints["Transfer-Encoding"] == nil && hints["Content-Length"] == nil)
                let answer = try await connection.answer()
                #expect(answer.status == 200)
                #expect(answer.all("Link") == ["</a>", "</b>"])
                #expect(try await connection.answer().text.contains("http://test/get"))
            }
        }
    }

    @Test func anOldClientGetsNoHints() async throws {
        try await withServer { server async throws in
            #expect(try await server.exchange("GET /early-hints HTTP/1.0\r\n\r\n").status == 200)
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func aSlowHeadIsFollowedByAnOrdinaryConnection(method: String) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                let clock = ContinuousClock()
                let start = clock.now
                try await connection.send(
                    "\(method) /slow-headers/0.2?n=1 HTTP/1.1\r\nHost: test\r\n\r\n"
                        + "GET /get?n=2 HTTP/1.1\r\nHost: test\r\n\r\n")
                let slow = try await connection.answer(toHead: method == "HEAD")
                #expect(clock.now - start >= .milliseconds(190))
                #expect(slow.status == 200)
                if method == "GET" { #expect(slow.text.contains("n=1")) }
                #expect(try await connection.answer().text.contains("n=2"))
                try await connection.send("GET /slow-headers/0 HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    @Test func aSlowHeadMayBeTheLast() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(
                    "GET /slow-headers/0.01 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                #expect(try await connection.answer()["Connection"] == "close")
                #expect(await connection.rest().isEmpty)
            }
        }
    }

    @Test(arguments: [("/truncate/5", 11), ("/truncate/0", 1), ("/truncate/5?announce=100", 100)])
    func aBodyIsShorterThanItsLength(target: String, announced: Int) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                let text = String(decoding: await connection.rest(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(text.contains("Content-Length: \(announced)\r\n"))
                #expect(!text.contains("close"))
                #expect(text.hasSuffix(target == "/truncate/0" ? "\r\n\r\n" : "\r\n\r\n*****"))
            }
        }
    }

    @Test func chunksDoNotEnd() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /truncate/5?chunked=true HTTP/1.1\r\nHost: test\r\n\r\n")
                let text = String(decoding: await connection.rest(), as: UTF8.self)
                #expect(text.contains("\r\ntransfer-encoding: chunked\r\n"))
                #expect(text.hasSuffix("\r\n\r\n5\r\n*****\r\n"))
            }
        }
    }

    @Test func aLongBodyIsCutWhereItWasAsked() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /truncate/102400 HTTP/1.1\r\nHost: test\r\n\r\n")
                let bytes = await connection.rest()
                #expect(bytes.reversed().prefix { $0 == UInt8(ascii: "*") }.count == 102_400)
            }
            #expect(try await server.get("/truncate/5?announce=5").status == 400)
        }
    }
}

#endif

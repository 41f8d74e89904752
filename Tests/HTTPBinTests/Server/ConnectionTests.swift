// ConnectionTests: HTTP/1.1's rules for a connection.
#if Server
import HTTPBin
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    @Test func oneConnectionCarriesManyExchanges() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                for target in [
                    "/get", "/stream/3", "/status/204", "/status/304", "/bytes/10", "/nowhere", "/sse", "/keyvalue",
                ] {
                    try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                    let answer = try await connection.answer()
                    #expect(answer.version == "HTTP/1.1")
                    #expect(answer["Connection"] == nil)
                }
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test(arguments: [
        "/get", "/stream/3", "/sse?n=3", "/jsonl?n=3", "/keyvalue", "/drip?duration=0", "/gzip", "/euc-jp",
        "/status/418",
    ])
    func headHasTheLengthOfTheContentAndNotTheContent(target: String) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("HEAD \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                let head = try await connection.answer(toHead: true)
                // A client would read content here as the next response.
                try await connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                let answer = try await connection.answer()
                #expect(head.status == answer.status)
                #expect(head["Transfer-Encoding"] == nil)
                if target == "/gzip" {
                    #expect(head["Content-Encoding"] == "gzip")
                } else {
                    #expect(head["Content-Length"] == "\(answer.body.count)")
                }
            }
        }
    }

    @Test(arguments: ["close", "Close", "keep-alive, close"])
    func closeIsAnsweredAndDone(value: String) async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\nConnection: \(value)\r\n\r\n")
                #expect(try await connection.answer()["Connection"] == "close")
                #expect(await connection.rest().isEmpty)
            }
        }
    }

    @Test func anOldClientGetsNoChunksAndAnEnd() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /stream/2 HTTP/1.0\r\n\r\n")
                let answer = try await connection.answer()
                #expect(answer.version == "HTTP/1.0")
                #expect(answer.framing == .close)
                #expect(answer["Connection"] == "close")
                #expect(answer.text.split(separator: "\n").count == 2)
            }
        }
    }

    @Test func anOldClientMayKeepItsConnection() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                for _ in 0..<2 {
                    try await connection.send("GET /ip HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    let answer = try await connection.answer()
                    #expect(answer["Connection"] == "keep-alive")
                    #expect(answer.framing == .length)
                }
            }
        }
    }

    @Test func expectationsAreMetBeforeTheBodyIsSent() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(
                    "POST /upload HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                #expect(try await connection.answer().status == 100)
                try await connection.send("abc")
                #expect(try await connection.answer().text == "{\n  \"bytes\": 3\n}\n")
            }
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                let targets = ["/delay/0.01?n=1", "/get?n=2", "/delay/0?n=3", "/get?n=4"]
                try await connection.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
                for target in targets {
                    #expect(try await connection.answer().text.contains("\"url\": \"http://test\(target)\""))
                }
            }
        }
    }

    @Test func aClientThatHalfClosesGetsItsAnswer() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("POST /post HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc")
                connection.finishSending()
                #expect(try await connection.answer().text.contains("\"data\": \"abc\""))
            }
        }
    }

    @Test func theServerDoesNotWaitForAClientThatHasLeft() async throws {
        try await withServer { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send("GET /drip?delay=3000 HTTP/1.1\r\nHost: test\r\n\r\n")
                connection.finishSending()
                #expect(await connection.rest().isEmpty)
            }
        }
    }

    @Test func aBodyOverTheLimitIsRefusedAndTheConnectionGoesOn() async throws {
        try await withServer(HTTPBin(bodyLimit: 1000)) { server in
            try await RawConnection.open(to: server) { connection async throws in
                for (count, status) in [(1000, 200), (1001, 413), (500_000, 413), (10, 200)] {
                    let body = String(repeating: "a", count: count)
                    try await connection.send(
                        "PUT /put HTTP/1.1\r\nHost: test\r\nContent-Length: \(count)\r\n\r\n\(body)")
                    #expect(try await connection.answer().status == status)
                }
            }
        }
    }

    @Test func optionsNamesTheMethodsOfAPath() async throws {
        try await withServer { server async throws in
            let answer = try await server.request("OPTIONS", "/login")
            #expect(answer.status == 200)
            #expect(answer["Allow"] == "GET, HEAD, OPTIONS, POST")
            #expect(answer["Access-Control-Max-Age"] == "3600")
            #expect(try await server.request("OPTIONS", "*").status == 200)
        }
    }

    @Test func aWrongMethodIsToldTheRightOnes() async throws {
        try await withServer { server async throws in
            let answer = try await server.request("DELETE", "/post")
            #expect(answer.status == 405)
            #expect(answer["Allow"] == "OPTIONS, POST")
        }
    }

    @Test func everyAnswerIsDated() async throws {
        try await withServer { server in
            let before = Date()
            let field = try #require(try await server.get("/ip")["Date"])
            // A new second may begin between the two.
            let possible = stride(from: before.timeIntervalSince1970, through: Date().timeIntervalSince1970 + 1, by: 1)
            #expect(possible.map { Self.written(Date(timeIntervalSince1970: $0)) }.contains(field))
        }
    }

    private static func written(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        func number(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(weekdays[(parts.weekday ?? 1) - 1]), \(number(parts.day)) \(months[(parts.month ?? 1) - 1]) "
            + "\(parts.year ?? 0) \(number(parts.hour)):\(number(parts.minute)):\(number(parts.second)) GMT"
    }

    @Test func theRootListsEveryRoute() async throws {
        try await withServer { server async throws in
            let text = try await server.get("/").text
            for path in ["/anything/{rest}", "/drip", "/sse", "/timeline/{user}.xml", "/keyvalue", "/upload"] {
                #expect(text.contains(path))
            }
        }
    }
}

#endif

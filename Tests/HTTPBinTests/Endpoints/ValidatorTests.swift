// ValidatorTests: validators, freshness and ranges.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ValidatorTests {
    @Test func aConditionalRequestFindsTheCacheFresh() async throws {
        try await withServer { server async throws in
            let first = try await server.get("/cache")
            #expect(first.status == 200)
            let tag = try #require(first["ETag"])
            let time = try #require(first["Last-Modified"])
            #expect(try await server.get("/cache", "If-None-Match: \(tag)").status == 304)
            #expect(try await server.get("/cache", "If-Modified-Since: \(time)").status == 304)
            #expect(try await server.get("/cache/60")["Cache-Control"] == "public, max-age=60")
        }
    }

    @Test(arguments: [
        ("If-None-Match: \"abc\"", 304), ("If-None-Match: W/\"abc\"", 304), ("If-None-Match: \"x\", \"abc\"", 304),
        ("If-None-Match: *", 304), ("If-None-Match: \"x\"", 200), ("If-Match: \"abc\"", 200), ("If-Match: *", 200),
        ("If-Match: \"x\"", 412), ("If-Match: \"x\"\r\nIf-None-Match: \"x\"", 200), ("X-None: ", 200),
    ])
    func aTagIsComparedAsTheFieldsAsk(fields: String, status: Int) async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/etag/abc", fields)
            #expect(answer.status == status)
            #expect(answer["ETag"] == (status == 412 ? nil : "abc"))
        }
    }

    @Test(arguments: [
        ("bytes=0-4", 206, "bytes 0-4/30", "abcde"), ("bytes=26-", 206, "bytes 26-29/30", "abcd"),
        ("bytes=-2", 206, "bytes 28-29/30", "cd"), ("bytes=0-29", 200, "bytes 0-29/30", nil),
        ("bytes=-99", 200, "bytes 0-29/30", nil), ("lines=1-2", 200, "bytes 0-29/30", nil),
        ("bytes=30-", 416, "bytes */30", ""), ("bytes=5-2", 416, "bytes */30", ""),
        ("bytes=0-30", 416, "bytes */30", ""), ("bytes=-0", 416, "bytes */30", ""),
    ])
    func aPartComesAsItIsAskedFor(range: String, status: Int, contentRange: String, text: String?) async throws {
        try await withServer { server async throws in
            let answer = try await server.get("/range/30?chunk_size=4", "Range: \(range)")
            #expect(answer.status == status)
            #expect(answer["Content-Range"] == contentRange)
            #expect(answer["Accept-Ranges"] == "bytes")
            #expect(answer["ETag"] == "range30")
            #expect(answer.text == text ?? "abcdefghijklmnopqrstuvwxyzabcd")
        }
    }

    @Test func aRangeTakesItsTime() async throws {
        try await withServer { server async throws in
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try await server.get("/range/10?duration=0.2&chunk_size=3").text == "abcdefghij")
            #expect(clock.now - start >= .milliseconds(200))
        }
    }

    @Test(arguments: ["0", "102401", "99999999999999999999"])
    func aRangeHasItsBounds(count: String) async throws {
        try await withServer { server async throws in
            #expect(try await server.get("/range/\(count)").status == 404)
        }
    }
}

#endif

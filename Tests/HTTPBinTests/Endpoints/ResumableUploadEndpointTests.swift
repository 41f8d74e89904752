// ResumableUploadEndpointTests: /uploads keeps the received part of an upload and resumes after it.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ResumableUploadEndpointTests {
    private static let version = "Upload-Draft-Interop-Version: 8"
    private static let part = "Content-Type: application/partial-upload"

    /// Begins an upload of `length` bytes, and breaks off after `count` of them.
    private func begin(_ server: RunningHTTPBin, sending count: Int, of length: Int) async throws -> String {
        try await RawConnection.open(to: server) { connection in
            try await connection.send(
                "POST /uploads?drop=\(count) HTTP/1.1\r\nHost: test\r\nContent-Length: \(length)\r\n\(Self.version)\r\n"
                    + "Upload-Complete: ?1\r\n\r\n" + String(repeating: "a", count: count))
            let offer = try await connection.answer()
            #expect(offer.status == 104 && offer["Upload-Limit"] == "max-size=16777216")
            #expect(offer["Upload-Draft-Interop-Version"] == "8")
            _ = await connection.rest()
            return try #require(offer["Location"])
        }
    }

    @Test func anUploadGoesOnWhereItBrokeOff() async throws {
        try await withServer { server async throws in
            let place = try await begin(server, sending: 5, of: 8)
            let state = try await server.request("HEAD", place, [Self.version])
            #expect(state.status == 204 && state["Upload-Offset"] == "5" && state["Upload-Length"] == "8")
            #expect(state["Upload-Complete"] == "?0" && state["Cache-Control"] == "no-store")
            let more = try await server.request(
                "PATCH", place, [Self.part, "Upload-Offset: 5", "Upload-Complete: ?0"], body: Array("a".utf8))
            #expect(more.status == 204 && more["Upload-Offset"] == "6" && more["Upload-Complete"] == "?0")
            let last = try await server.request(
                "PATCH", place, [Self.part, "Upload-Offset: 6", "Upload-Complete: ?1"], body: Array("aa".utf8))
            // The digest of eight times "a".
            #expect(last.text.contains("1f3ce40415a2081fa3eee75fc39fff8e56c22270d1a978a7249b592dcebd20b4"), "\(last)")
            #expect(last.status == 200 && last["Upload-Complete"] == "?1" && last.text.contains("\"bytes\": 8"))
            let complete = try await server.request("HEAD", place)
            #expect(complete["Upload-Complete"] == "?1" && complete["Upload-Offset"] == "8")
        }
    }

    @Test func anotherPlaceIsAConflict() async throws {
        try await withServer { server async throws in
            let place = try await begin(server, sending: 5, of: 8)
            let fields = [Self.part, "Upload-Offset: 4", "Upload-Complete: ?1"]
            let answer = try await server.request("PATCH", place, fields, body: Array("aaaa".utf8))
            #expect(answer.status == 409 && answer["Upload-Offset"] == "5")
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.text.contains("mismatching-upload-offset") && answer.text.contains("\"expected-offset\": 5"))
        }
    }

    @Test(arguments: [
        (["Upload-Offset: 5"], 415), ([part], 400), ([part, "Upload-Offset: x"], 400),
        ([part, "Upload-Offset: 5", "Upload-Complete: ?1"], 413),
    ])
    func whatIsNoPartIsRefused(fields: [String], status: Int) async throws {
        try await withServer { server async throws in
            let place = try await begin(server, sending: 5, of: 8)
            #expect(try await server.request("PATCH", place, fields, body: Array("aaaa".utf8)).status == status)
        }
    }

    @Test func whatIsTooShortIsNotComplete() async throws {
        try await withServer { server async throws in
            let place = try await begin(server, sending: 5, of: 8)
            let fields = [Self.part, "Upload-Offset: 5", "Upload-Complete: ?1"]
            let short = try await server.request("PATCH", place, fields, body: Array("aa".utf8))
            #expect(short.status == 400 && short.text.contains("inconsistent-upload-length"), "\(short)")
            #expect(short["Upload-Offset"] == "7" && short["Upload-Complete"] == "?0")
            let rest = [Self.part, "Upload-Offset: 7", "Upload-Complete: ?1"]
            #expect(try await server.request("PATCH", place, rest, body: Array("a".utf8)).status == 200)
            let other = try await server.request(
                "POST", "/uploads", [Self.version, "Upload-Complete: ?1", "Upload-Length: 9"], body: Array("aaaa".utf8))
            #expect(other.status == 400 && other.text.contains("inconsistent-upload-length"), "\(other)")
        }
    }

    @Test(arguments: [true, false]) func aConnectionThatIsDoneWithAnUploadIsNotClosedUnderAnother(isRefused: Bool)
        async throws
    {
        try await withServer { server async throws in
            try await RawConnection.open(to: server) { connection in
                try await connection.send(
                    "POST /uploads HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\(Self.version)\r\n"
                        + "Upload-Complete: ?0\r\n\r\na")
                let place = try #require(try await connection.answer()["Location"])
                #expect(try await connection.answer().status == 201)
                if isRefused {
                    try await connection.send(
                        "PATCH \(place) HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\(Self.part)\r\n"
                            + "Upload-Offset: 7\r\n\r\n")
                    #expect(try await connection.answer().status == 409)
                }
                #expect(try await server.request("HEAD", place).status == 204)
                try await connection.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    @Test func whatIsGivenUpIsGone() async throws {
        try await withServer { server async throws in
            let place = try await begin(server, sending: 5, of: 8)
            #expect(try await server.request("DELETE", place).status == 204)
            #expect(try await server.request("HEAD", place).status == 404)
            #expect(try await server.request("DELETE", "/uploads/none").status == 404)
        }
    }

    @Test func onlyTheNewestAreKept() async throws {
        try await withServer { server async throws in
            var places: [String] = []
            for _ in 0..<18 { places.append(try await begin(server, sending: 1, of: 2)) }
            #expect(try await server.request("HEAD", places[1]).status == 404)
            #expect(try await server.request("HEAD", places[2]).status == 204)
        }
    }

    @Test func anotherVersionOfTheDraftIsAnOrdinaryUpload() async throws {
        try await withServer { server async throws in
            for fields in [[], ["Upload-Draft-Interop-Version: 7", "Upload-Complete: ?1"]] {
                let answer = try await server.request("POST", "/uploads", fields, body: Array("aaaaaaaa".utf8))
                #expect(answer.status == 200 && answer.text.contains("\"bytes\": 8"))
            }
        }
    }

    @Test func whatIsTooLongIsRefusedBeforeItComes() async throws {
        try await withServer { server async throws in
            let answer = try await server.exchange(
                "POST /uploads HTTP/1.1\r\nHost: test\r\nContent-Length: 16777217\r\n\(Self.version)\r\n\r\n")
            #expect(answer.status == 413 && answer["Upload-Limit"] == "max-size=16777216")
        }
    }
}

#endif

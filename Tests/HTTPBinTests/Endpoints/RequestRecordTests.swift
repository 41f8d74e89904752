// RequestRecordTests: the records of the requests that a server receives.
#if Server
import HTTPBin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RequestRecordTests {
    /// Runs the body against a server and returns the records of `count` requests.
    private func records(
        _ count: Int, limit: Int = 64 * 1024, _ body: (RunningHTTPBin) async throws -> Void
    ) async throws -> [RequestRecord] {
        let (stream, recorded) = AsyncStream.makeStream(of: RequestRecord.self)
        return try await withServer(HTTPBin(recordLimit: limit, onRequest: { recorded.yield($0) })) {
            server async throws in
            try await body(server)
            var records: [RequestRecord] = []
            for await record in stream {
                records.append(record)
                if records.count == count { break }
            }
            return records
        }
    }

    @Test func holdTheBytesOfTheHead() async throws {
        let head = "GET /get?a=%21%20+b HTTP/1.1\r\nhOsT:test\r\nX-Two:  a \t\r\nX-One: b\r\nX-Two: c\r\n\r\n"
        let record = try await records(1) { _ = try await $0.exchange(head) }[0]
        #expect(String(decoding: record.head, as: UTF8.self) == head)
        #expect(record.method == "GET")
        #expect(record.target == "/get?a=%21%20+b")
        #expect(record.version == "HTTP/1.1")
        #expect(record.fields.map(\.name) == ["hOsT", "X-Two", "X-One", "X-Two"])
        #expect(record.fields.map(\.value) == ["test", "a", "b", "c"])
        #expect(record["x-two"] == "a")
        #expect(record["X-Three"] == nil)
        #expect(record.bodyByteCount == 0)
        #expect(record.connection == 1)
    }

    @Test func holdTheBytesOfTheBody() async throws {
        let form = "parameterTestKey=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20"
        let record = try await records(1) { server async throws in
            let answer = try await server.post("/post", "Content-Type: application/x-www-form-urlencoded", body: form)
            #expect(answer.text.contains(#""parameterTestKey": "!*'();:@&=+$,/?%#[]-._~ ""#))
        }[0]
        #expect(record.body == Array(form.utf8))
        #expect(record.bodyByteCount == 81)
    }

    @Test func holdAChunkedBodyWithoutItsFraming() async throws {
        let record = try await records(1) { server async throws in
            _ = try await server.exchange(
                "POST /post HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"
            )
        }[0]
        #expect(record.body == Array("abcde".utf8))
        #expect(record.bodyByteCount == 5)
    }

    @Test func keepOnlyTheStartOfALongBody() async throws {
        let record = try await records(1, limit: 10) { server async throws in
            _ = try await server.request("POST", "/upload", body: Array(repeating: 0x61, count: 300_000))
        }[0]
        #expect(record.body == Array(repeating: 0x61, count: 10))
        #expect(record.bodyByteCount == 300_000)
    }

    @Test func comeForEveryRequestOfAConnectionAlsoForThoseThatAreRefused() async throws {
        let all = try await records(3) { server in
            try await RawConnection.open(to: server) { connection async throws in
                for target in ["/nowhere", "/status/500", "/get"] {
                    try await connection.send("POST \(target) HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\nhi")
                    _ = try await connection.answer()
                }
            }
        }
        #expect(all.map(\.target) == ["/nowhere", "/status/500", "/get"])
        #expect(all.map(\.connection) == [1, 1, 1])
        #expect(all.allSatisfy { $0.bodyByteCount == 2 })
        #expect(
            all.allSatisfy { $0.head.starts(with: "POST ".utf8) && $0.head.suffix(4) == Array("\r\n\r\n".utf8)[...] })
    }

    @Test func keepPipelinedRequestsApart() async throws {
        let requests =
            "POST /a HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nonePOST /b HTTP/1.1\r\nHost: test\r\n\r\n"
        let all = try await records(2) { server in
            try await RawConnection.open(to: server) { connection async throws in
                try await connection.send(requests)
                _ = try await connection.answer()
                _ = try await connection.answer()
            }
        }
        #expect(all.map(\.target) == ["/a", "/b"])
        #expect(all.map(\.body) == [Array("one".utf8), []])
        #expect(
            all.map {
                String(decoding: $0.head, as: UTF8.self).hasPrefix("POST \($0.target) HTTP/1.1\r\nHost: test\r\n")
            } == [true, true])
    }

    /// The bytes are cut into two reads at every position: the first read may end one request and begin the next.
    @Test(arguments: [
        "Content-Length: 3\r\n\r\none", "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\non\r\n1\r\ne\r\n0\r\nT: u\r\n\r\n",
        "\r\n", "Content-Length: 33\r\n\r\nPOST /b HTTP/1.1\r\nHost: body\r\n\r\n.",
    ])
    func holdTheBytesOfHeadsThatAreCutAnywhere(rest: String) async throws {
        let second = "GET /b HTTP/1.1\r\nhOST: second\r\nX-Two:  a \r\n\r\n"
        let requests = Array("POST /a HTTP/1.1\r\nHost:test\r\n\(rest)\(second)".utf8)
        let first = Array(requests[..<(requests.count - second.utf8.count)])
        let cuts = Array(1..<requests.count)
        let all = try await records(2 * cuts.count) { server in
            for cut in cuts {
                try await RawConnection.open(to: server) { connection async throws in
                    try await connection.send(Array(requests[..<cut]))
                    // The response to the first complete request shows that the first read is over.
                    if cut >= first.count { _ = try await connection.answer() }
                    try await connection.send(Array(requests[cut...]))
                    if cut < first.count { _ = try await connection.answer() }
                    _ = try await connection.answer()
                }
            }
        }
        for record in all where record.target == "/b" {
            #expect(String(decoding: record.head, as: UTF8.self) == second)
        }
        for record in all where record.target == "/a" {
            #expect(record.head.starts(with: "POST /a HTTP/1.1\r\nHost:test\r\n".utf8))
            #expect(record.head.suffix(4).elementsEqual("\r\n\r\n".utf8))
        }
        #expect(all.count == 2 * cuts.count)
    }

    @Test func numberConnectionsInTheOrderOfTheirArrival() async throws {
        let all = try await records(3) { server async throws in
            for _ in 0..<3 { _ = try await server.get("/get") }
        }
        #expect(all.map(\.connection) == [1, 2, 3])
    }
}

#endif

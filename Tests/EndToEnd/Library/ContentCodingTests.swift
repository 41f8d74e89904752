// ContentCodingTests: content codings and multipart responses, against the embedded server.
#if Server
import Testing
import Tsubame
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct ContentCodingTests {
    private struct Answer: Decodable {
        let gzipped: Bool?
        let deflated: Bool?
        let brotli: Bool?
        let headers: [String: String]
    }

    @Test func `what a server compresses is undone`() async throws {
        try await withHTTPBin { url, _ in
            let client = Client(url)
            let gzip = try await client.get("gzip").json(Answer.self)
            #expect(gzip.gzipped == true && gzip.headers["Accept-Encoding"] == ReceivedCoding.offer)
            let deflate = try await client.get("deflate").json(Answer.self)
            #expect(deflate.deflated == true)
            // Both ends need a system library for this coding.
            if BrotliDecoder.isAvailable, BrotliEncoder.isAvailable {
                let response = try await client.get("brotli")
                let answer = try await response.json(Answer.self)
                #expect(answer.brotli == true && response.wire[.contentEncoding] == "br")
            }
            await client.close()
        }
    }

    @Test func `what is asked for in parts comes in parts`() async throws {
        try await withHTTPBin { url, _ in
            let client = Client(url)
            var request = Request(.get, "range/1000")
            request.ask(for: .bytes(26...51))
            let first = try await client.send(request).ranges()
            #expect(first.map(\.positions) == [26...51] && first.map(\.total) == [1000])
            #expect(first.map(\.body) == [Bytes("abcdefghijklmnopqrstuvwxyz")])
            request.ask(for: .last(1))
            let last = try await client.send(request).ranges()
            #expect(last.map(\.positions) == [999...999])
            request.ask(for: .from(1000))
            let response = try await client.send(request)
            #expect(response.statusCode == 416 && response.contentRange?.total == 1000)
            await #expect(throws: CallError.self) { try await response.ranges() }
            await client.close()
        }
    }
}
#endif

// RepeatedHeadTests: a head that is remembered goes out with the same bytes as one that is encoded anew.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct RepeatedHeadTests {
    private func common() throws -> HTTPFields {
        try SentRequest.fields(["user-agent": "Tsubame/1", "accept": "*/*", "accept-encoding": "gzip, br"])
    }

    /// Opens each request in two sessions, of which only the first may remember heads.
    private func compare(_ requests: [SentRequest], tableSizes: [Int: UInt32] = [:]) throws {
        var remembering = SessionRun([])
        var plain = SessionRun([])
        remembering.read(PeerFrame.settings())
        plain.read(PeerFrame.settings())
        for (index, request) in requests.enumerated() {
            if let size = tableSizes[index] {
                let settings = PeerFrame.settings((1, size))
                remembering.read(settings)
                plain.read(settings)
                remembering.session.output.removeAll()
                plain.session.output.removeAll()
            }
            var other = request
            other.sharesFields = false
            let frame = try request.frame(in: &remembering.session)
            #expect(try frame == other.frame(in: &plain.session), "request \(index)")
            // Each stream is over, so that there is room for the next.
            let reset = PeerFrame.reset(frame.stream, 8)
            remembering.read(reset)
            plain.read(reset)
        }
        #expect(remembering.outcome.error == nil && plain.outcome.error == nil)
    }

    @Test func `the path alone differs`() throws {
        let headers = try common()
        try compare(
            ["/a", "/a", "/a", "/b?q=1", "/", "/a"].map {
                SentRequest(target: $0, headers: headers, sharesFields: true)
            })
    }

    @Test func `each other part makes a head of its own`() throws {
        let headers = try common()
        let first = SentRequest(headers: headers, sharesFields: true)
        var (method, authority, fields, length, scheme) = (first, first, first, first, first)
        method.method = "DELETE"
        authority.authority = "b.example"
        fields.headers = try SentRequest.fields(["accept": "text/plain"])
        length.length = 3
        length.isWhole = false
        scheme.isSecure = false
        for other in [method, authority, fields, length, scheme] {
            try compare([first, first, first, other, other, other, first, first, other])
        }
    }

    /// Fields of another request may push entries out of the table, and the peer may change its size.
    @Test(arguments: 0..<200)
    func `the table changes in between`(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let headers = try common()
        var requests: [SentRequest] = []
        var sizes: [Int: UInt32] = [:]
        for index in 0..<60 {
            var request = SentRequest(target: "/\(Int.random(in: 0..<4, using: &generator))", headers: headers)
            request.sharesFields = true
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                let value = String(repeating: "v", count: Int.random(in: 1..<1_500, using: &generator))
                request.headers = try SentRequest.fields(["x-\(index)": value])
                request.sharesFields = false
            case 1: sizes[index] = UInt32.random(in: 0..<5_000, using: &generator)
            default: break
            }
            requests.append(request)
        }
        try compare(requests, tableSizes: sizes)
    }

    @Test(arguments: ["", "/a b", "/ä", "/a\u{7F}", "/a\r\nb"])
    func `a path that cannot be sent is refused, remembered or not`(_ target: String) throws {
        let headers = try common()
        var session = HTTP2Session(limits: Limits())
        for _ in 0..<3 { try SentRequest(headers: headers, sharesFields: true).open(in: &session) }
        let sent = session.output
        #expect(throws: WireError.self) {
            try SentRequest(target: target, headers: headers, sharesFields: true).open(in: &session)
        }
        #expect(session.output == sent)
    }
}

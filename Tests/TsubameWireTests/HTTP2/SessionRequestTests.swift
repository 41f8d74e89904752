// SessionRequestTests: requests that an HTTP/2 session sends: their fields, the order of the fields, and the frames.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionRequestTests {
    private func text(_ frame: SentFrame) throws -> [String] {
        var decoder = HPACKDecoder()
        return try decoder.fields(of: frame.payload).map(\.description)
    }

    /// The fields of a request after the pseudo-fields.
    private func fields(_ fields: KeyValuePairs<String, String>, length: Int64? = nil) throws -> [String] {
        var session = HTTP2Session(limits: Limits())
        let frame = try SentRequest(headers: SentRequest.fields(fields), length: length).frame(in: &session)
        return Array(try text(frame).dropFirst(4))
    }

    @Test("The preface is the magic, the settings and a window of 8 MiB for the connection")
    func preface() throws {
        let output = HTTP2Session(limits: Limits()).output
        let expected = try bytes(
            "5052 4920 2a20 4854 5450 2f32 2e30 0d0a 0d0a 534d 0d0a 0d0a"
                + " 000012 04 00 00000000 0002 00000000 0004 00008000 0006 00040000"
                + " 000004 08 00 00000000 007f0001")
        #expect(output == expected)
        var limits = Limits()
        limits.headBytes = 1_000
        let other = HTTP2Session(limits: limits).output
        #expect(Array(other[45..<51]) == [0, 6, 0, 0, 0x03, 0xE8])
        limits.headBytes = .max
        let largest = HTTP2Session(limits: limits).output
        #expect(Array(largest[45..<51]) == [0, 6, 255, 255, 255, 255])
    }

    @Test("Heads are what RFC 7541 C.4 has, but for the order of :authority and :path")
    func examples() throws {
        var session = HTTP2Session(limits: Limits())
        var request = SentRequest(isSecure: false)
        let first = try request.frame(in: &session)
        #expect(
            first
                == SentFrame(
                    type: 1, flags: 5, stream: 1, payload: try bytes("8286 418c f1e3 c2e5 f23a 6ba0 ab90 f4ff 84")))
        request.headers = try SentRequest.fields(["Cache-Control": "no-cache"])
        let second = try request.frame(in: &session)
        #expect(
            second == SentFrame(type: 1, flags: 5, stream: 3, payload: try bytes("8286 be84 5886 a8eb 1064 9cbf")))
        request.isSecure = true
        request.target = "/index.html"
        request.headers = try SentRequest.fields(["custom-key": "custom-value"])
        let third = try request.frame(in: &session)
        #expect(
            third
                == SentFrame(
                    type: 1, flags: 5, stream: 5,
                    payload: try bytes("8287 bf85 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")))
    }

    @Test("Pseudo-fields go first; names are in lower case; fields keep their order; the length goes last")
    func order() throws {
        var session = HTTP2Session(limits: Limits())
        let request = SentRequest(
            method: "POST", isSecure: false, authority: "[::1]:8080", target: "/a?b=c",
            headers: try SentRequest.fields(["User-Agent": "x", "ACCEPT": "a, b", "X-A": "", "accept": "c"]),
            length: 12,
            isWhole: false)
        let frame = try request.frame(in: &session)
        #expect(frame.flags == 4)
        #expect(
            try text(frame) == [
                ":method: POST", ":scheme: http", ":authority: [::1]:8080", ":path: /a?b=c", "user-agent: x",
                "accept: a, b", "x-a: ", "accept: c", "content-length: 12",
            ])
    }

    @Test("The server as a whole is asked by the path *")
    func asterisk() throws {
        var session = HTTP2Session(limits: Limits())
        let frame = try SentRequest(method: "OPTIONS", target: "*").frame(in: &session)
        #expect(try text(frame).contains(":path: *"))
    }

    @Test("What is of an HTTP/1 connection, or of a proxy, is left out (RFC 9113 section 8.2.2)")
    func leftOut() throws {
        let sent = try fields([
            "a": "1", "Connection": "close", "Keep-Alive": "timeout=5", "Proxy-Connection": "close", "b": "2",
            "Upgrade": "h2c", "HTTP2-Settings": "AAM", "Proxy-Authorization": "Basic eDp5", "TE": "gzip", "c": "3",
        ])
        #expect(sent == ["a: 1", "b: 2", "c: 3"])
        #expect(try fields(["TE": "trailers"]) == ["te: trailers"])
        #expect(try fields(["TE": "trailers, gzip"]).isEmpty)
    }

    @Test("FAULT 6: what the caller's Connection names is left out, but no pseudo-field is")
    func nominated() throws {
        var session = HTTP2Session(limits: Limits())
        let headers = try SentRequest.fields([
            "A": "1", "Connection": ":path, a, :method,:authority, :scheme", "Cookie": "b=2", "connection": "cookie",
            "C": "3",
        ])
        let frame = try SentRequest(headers: headers).frame(in: &session)
        #expect(
            try text(frame)
                == [":method: GET", ":scheme: https", ":authority: www.example.com", ":path: /", "c: 3"])
    }

    @Test("A Host of the caller's takes the place of the authority")
    func host() throws {
        var session = HTTP2Session(limits: Limits())
        let frame = try SentRequest(headers: SentRequest.fields(["A": "1", "hOST": "other.test:81"])).frame(
            in: &session)
        #expect(
            try text(frame) == [":method: GET", ":scheme: https", ":authority: other.test:81", ":path: /", "a: 1"])
    }

    @Test("Cookies are joined, where the first of them stands (RFC 6265 section 5.4)")
    func cookies() throws {
        #expect(
            try fields(["a": "1", "Cookie": "b=2; c=3", "d": "4", "Cookie": "e=5", "cookie": "f=6"])
                == ["a: 1", "cookie: b=2; c=3; e=5; f=6", "d: 4"])
    }

    @Test("Blanks around a value, which HTTPField can be made to hold, are not sent (RFC 9113 section 8.2.1)")
    func blanks() throws {
        var session = HTTP2Session(limits: Limits())
        var request = SentRequest()
        request.headers = HTTPFields([
            HTTPField(name: .accept, lenientValue: latin1(" a b\r\n")),
            HTTPField(name: .userAgent, lenientValue: [0x20]),
            HTTPField(name: .cookie, lenientValue: latin1(" a=b ")),
            HTTPField(name: .cookie, lenientValue: latin1("\tc=d\t")),
        ])
        #expect(
            try text(request.frame(in: &session)).dropFirst(4) == ["accept: a b", "user-agent: ", "cookie: a=b; c=d"])
    }

    @Test("A value that is not ASCII is sent as it is")
    func notASCII() throws {
        #expect(try fields(["a": "é日"]) == ["a: é日"])
    }

    // MARK: Indexed fields (RFC 7541 section 7.1)

    /// From the second request on the pseudo-fields take four bytes: 82 87 be 84, or another byte in the place of be.
    private func blocks(_ fields: KeyValuePairs<String, String>, length: Int64? = nil) throws -> (
        first: ArraySlice<UInt8>, second: ArraySlice<UInt8>
    ) {
        var session = HTTP2Session(limits: Limits())
        _ = try SentRequest().frame(in: &session)
        let request = SentRequest(headers: try SentRequest.fields(fields), length: length)
        let first = try request.frame(in: &session)
        return (first.payload.dropFirst(4), try request.frame(in: &session).payload.dropFirst(4))
    }

    @Test("Credentials are never indexed: Authorization, and cookies short enough to be guessed")
    func neverIndexed() throws {
        // Static entries 23 and 32 with the prefix 0001.
        for (fields, start) in [
            (["authorization": "Basic dGVzdDp0ZXN0IHRlc3QgdGVzdA=="], [0x1F, 0x08]), (["cookie": "a=b"], [0x1F, 0x11]),
            (["cookie": "0123456789=01234567"], [0x1F, 0x11]),
        ] as [(KeyValuePairs<String, String>, [UInt8])] {
            let (first, second) = try blocks(fields)
            #expect(first.starts(with: start))
            #expect(second == first)
        }
    }

    @Test("A long cookie is indexed, as what comes again")
    func indexed() throws {
        for (fields, start) in [
            (["cookie": "0123456789=012345678"], 0x60), (["user-agent": "x"], 0x7A), (["x-new": "y"], 0x40),
        ] as [(KeyValuePairs<String, String>, UInt8)] {
            let (first, second) = try blocks(fields)
            #expect(first.first == start)
            #expect(Array(second) == [0xBE])
        }
    }

    @Test("What hardly comes again takes no room in the table: lengths, ranges, validators, paths")
    func notIndexed() throws {
        for (fields, start) in [
            (["range": "bytes=0-1"], [0x0F, 0x23]), (["if-none-match": "\"x\""], [0x0F, 0x1A]),
            (["if-modified-since": "x"], [0x0F, 0x19]),
        ] as [(KeyValuePairs<String, String>, [UInt8])] {
            let (first, second) = try blocks(fields)
            #expect(first.starts(with: start))
            #expect(second == first)
        }
        let (first, second) = try blocks([:], length: 1_234)
        #expect(first.starts(with: [0x0F, 0x0D]) && second == first)
        var session = HTTP2Session(limits: Limits())
        _ = try SentRequest().frame(in: &session)
        let frame = try SentRequest(target: "/a").frame(in: &session)
        #expect(Array(frame.payload.prefix(4)) == [0x82, 0x87, 0xBE, 0x04])
    }

    @Test("The peer's table size is heeded, and the smallest of several in one SETTINGS too (RFC 7541 section 4.2)")
    func tableSizes() throws {
        func start(_ settings: [UInt8]...) throws -> [UInt8] {
            var run = SessionRun([])
            run.read(Array(settings.joined()))
            let frame = try SentRequest().frame(in: &run.session)
            return Array(frame.payload.prefix { $0 != 0x82 })
        }
        #expect(try start(PeerFrame.settings()).isEmpty)
        #expect(try start(PeerFrame.settings((1, 0))) == [0x20])
        #expect(try start(PeerFrame.settings((1, 30))) == [0x3E])
        #expect(try start(PeerFrame.settings((1, 0)), PeerFrame.settings((1, 4_096))) == [0x20, 0x3F, 0xE1, 0x1F])
        #expect(try start(PeerFrame.settings((1, 0), (1, 4_096))) == [0x20, 0x3F, 0xE1, 0x1F])
        #expect(try start(PeerFrame.settings((1, 65_536))).isEmpty)
    }

    // MARK: Frames

    @Test("A head longer than a frame of the peer's goes on in CONTINUATION frames", arguments: [true, false])
    func continuation(_ isWhole: Bool) throws {
        // An ampersand takes eight bits in the Huffman code.
        let value = String(repeating: "&", count: 40_000)
        var run = SessionRun([])
        var request = SentRequest(headers: try SentRequest.fields(["long": value]))
        request.isWhole = isWhole
        try request.open(in: &run.session)
        let frames = run.takeSent()
        #expect(frames.map(\.type) == [1, 9, 9])
        #expect(frames.map(\.flags) == [isWhole ? 1 : 0, 0, 4])
        #expect(frames.map(\.stream) == [1, 1, 1])
        #expect(frames.map(\.payload.count).prefix(2) == [16_384, 16_384])
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: frames.flatMap(\.payload)).last == TextField("long", value))

        run.read(PeerFrame.settings((5, 65_536)))
        _ = run.takeSent()
        let whole = try request.frame(in: &run.session)
        #expect(whole.flags == (isWhole ? 5 : 4))
        #expect(try decoder.fields(of: whole.payload).last == TextField("long", value))
    }

    @Test("A head that just fits is one frame, and one of a byte more is two")
    func fits() throws {
        func frames(_ count: Int) throws -> [SentFrame] {
            var run = SessionRun([])
            try SentRequest(headers: SentRequest.fields(["long": String(repeating: "&", count: count)])).open(
                in: &run.session)
            return run.takeSent()
        }
        let overhead = try #require(frames(16_300).first).payload.count - 16_300
        let fitting = try frames(16_384 - overhead)
        #expect(fitting.map(\.payload.count) == [16_384])
        #expect(fitting.map(\.flags) == [5])
        let longer = try frames(16_385 - overhead)
        #expect(longer.map(\.payload.count) == [16_384, 1])
        #expect(longer.map(\.flags) == [1, 4])
    }

    @Test("Trailers end the stream, and are in no table")
    func trailers() throws {
        var run = SessionRun([FedRequest(method: "POST", isWhole: false)])
        let stream = run.streams[0]
        try run.session.sendTrailers(SentRequest.fields(["Digest": "1", "x-new": "2"]), on: stream)
        let frames = run.takeSent()
        #expect(frames.map(\.flags) == [5] && frames.map(\.type) == [1] && frames.map(\.stream) == [1])
        var decoder = HPACKDecoder()
        #expect(
            try decoder.fields(of: frames[0].payload) == [TextField("digest", "1"), TextField("x-new", "2")])
        #expect(decoder.table.count == 0)
        // The request is over, so the session sends no more frames for it.
        run.read(PeerFrame.settings() + PeerFrame.headers(1, [":status": "200"]))
        #expect(run.takeSent() == [.settingsAcknowledgement])
        try run.session.sendTrailers(SentRequest.fields(["late": "1"]), on: stream)
        #expect(run.takeSent().isEmpty)
    }
}

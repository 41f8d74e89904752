// SessionStreamFaultTests: stream errors: the stream is reset with a code; other streams, the connection and its tables
// continue.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionStreamFaultTests {
    private typealias Frame = PeerFrame

    /// Stream 1 is refused and reset. Streams 3 and 5 continue with the current table.
    private func refused(
        _ frames: [UInt8], _ kind: CallError.Kind, _ text: String, code: UInt32 = 1, request: FedRequest = FedRequest(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var feeder = SessionFeeder.streams(3)
        feeder.requests[0] = request
        let others =
            Frame.headers(3, block: [0x88] + Frame.indexed("later", "1")) + Frame.headers(5, block: [0x88, 0xBE])
        // Frames that the server had sent before it learned of the reset.
        let late = Frame.data(1, "late", ends: false) + Frame.headers(1, block: Frame.indexed("late", "1"))
        let outcome = feeder.feedInEveryWay(frames + late + others, sourceLocation: sourceLocation)
        #expect(outcome.error == nil, sourceLocation: sourceLocation)
        let end = outcome.events.firstIndex { if case .failed = $0 { true } else { false } } ?? outcome.events.endIndex
        #expect(
            Array(outcome.events[end...]) == [
                .failed(1, kind, text), .head(3, 200, ["later: 1"]), .end(3, []), .head(5, 200, ["later: 1"]),
                .end(5, []),
            ], sourceLocation: sourceLocation)
        #expect(outcome.sent == [.reset(1, code)], sourceLocation: sourceLocation)
        #expect(outcome.running == 0, sourceLocation: sourceLocation)
    }

    // MARK: Fields (RFC 9113 sections 8.2 and 8.3)

    @Test(
        "A head that breaks a rule of fields is refused",
        arguments: [
            (
                ":status: 200|Name: x",
                "a field's name holds a forbidden character, such as an upper-case letter: \"Name\""
            ),
            (":status: 200|naMe: x", "such as an upper-case letter: \"naMe\""),
            (":status: 200|a b: x", "such as an upper-case letter: \"a b\""),
            (":status: 200|a\u{0}: x", "such as an upper-case letter: \"a\\x00\""),
            (":status: 200|a\u{E9}: x", "such as an upper-case letter: \"a\\xE9\""),
            (":status: 200|a/b: x", "such as an upper-case letter: \"a/b\""),
            (":status: 200|: x", "such as an upper-case letter: \"\""),
            (":status: 200|connection: close", "the field \"connection\" is not allowed in HTTP/2"),
            (":status: 200|keep-alive: timeout=5", "the field \"keep-alive\" is not allowed in HTTP/2"),
            (":status: 200|proxy-connection: close", "the field \"proxy-connection\" is not allowed in HTTP/2"),
            (":status: 200|transfer-encoding: chunked", "the field \"transfer-encoding\" is not allowed in HTTP/2"),
            (":status: 200|upgrade: h2c", "the field \"upgrade\" is not allowed in HTTP/2"),
            (":status: 200|a: x\ry", "a field's value holds 0x0D"), (":status: 200|a: x\ny", "value holds 0x0A"),
            (":status: 200|a: \u{0}", "a field's value holds 0x00"), (":status: 200|a: x\r\n", "value holds 0x0D"),
            (":status: 200|a: 0123456789abcdef\u{1}", "a field's value holds 0x01"),
            (":status: 200|a: \u{7F}", "a field's value holds 0x7F"),
            ("a: x", "the response's head does not begin with :status"),
            ("a: x|:status: 200", "the response's head does not begin with :status"),
            (":status: 200|a: x|:status: 200", "the pseudo-field \":status\" is one too many, or too late"),
            (":status: 200|:status: 200", "the pseudo-field \":status\" is one too many, or too late"),
            (":status: 200|:path: /", "the pseudo-field \":path\" is one too many, or too late"),
            (":status: 200|:new: /", "the pseudo-field \":new\" is one too many, or too late"),
            (":path: /|:status: 200", "the response's head has \":path\" in the place of :status"),
            (":Status: 200", "the response's head has \":Status\" in the place of :status"),
            (":status: ", ":status \"\" is no status"), (":status: 20", ":status \"20\" is no status"),
            (":status: 2000", ":status \"2000\" is no status"), (":status: 099", ":status \"099\" is no status"),
            (":status: 20x", ":status \"20x\" is no status"), (":status: -20", ":status \"-20\" is no status"),
            (":status:  20", ":status \" 20\" is no status"), (":status: 200 ", ":status \"200 \" is no status"),
            (":status: 2\u{0}0", ":status \"2\\x000\" is no status"),
        ])
    func fields(_ head: String, _ text: String) throws {
        var block: [UInt8] = []
        for line in head.split(separator: "|") {
            let colon = try #require(line.dropFirst().firstIndex(of: ":") ?? line.firstIndex(of: ":"))
            // The name may be empty.
            let isNameless = line.hasPrefix(": ")
            let name = isNameless ? "" : String(line[..<colon])
            let value = isNameless ? String(line.dropFirst(2)) : String(line[colon...].dropFirst(2))
            block += [0x00] + Frame.string(name) + Frame.string(value)
        }
        for end in [true, false] {
            let outcome = SessionFeeder.streams(2).feedInEveryWay(
                Frame.headers(1, block: block + Frame.indexed("kept", "1"), ends: end)
                    + Frame.headers(3, block: [0x88, 0xBE]))
            guard case .failed(1, .invalidResponse, let words)? = outcome.events.first else {
                Issue.record("\(outcome)")
                return
            }
            #expect(words.hasSuffix(text))
            #expect(outcome.events.dropFirst() == [.head(3, 200, ["kept: 1"]), .end(3, [])])
            #expect(outcome.sent == [.reset(1, 1)] && outcome.error == nil)
        }
    }

    @Test("A head without fields is none")
    func emptyHead() {
        refused(Frame.headers(1, [:]), .invalidResponse, "the response's head does not begin with :status")
    }

    @Test(
        "Trailers that break a rule of fields are refused",
        arguments: [
            (":status", "200", "the pseudo-field \":status\" is one too many, or too late"),
            ("A", "x", "a field's name holds a forbidden character, such as an upper-case letter: \"A\""),
            ("connection", "close", "the field \"connection\" is not allowed in HTTP/2"),
            ("a", "x\r\ny: z", "a field's value holds 0x0D"),
        ])
    func trailerFields(_ name: String, _ value: String, _ text: String) {
        refused(
            Frame.headers(1, [":status": "200"], ends: false) + Frame.headers(1, ["a": "b", name: value]),
            .invalidResponse, text)
    }

    // MARK: Lengths (section 8.1.1)

    @Test("A body longer than its Content-Length is refused, and none of what is too long is given")
    func tooLong() {
        let head = Frame.headers(1, [":status": "200", "content-length": "3"], ends: false)
        let text = "the body is longer than its Content-Length"
        for body in [
            Frame.data(1, "abcd"), Frame.data(1, "abc", ends: false) + Frame.data(1, "d"),
            Frame.data(1, "abc", ends: false) + Frame.data(1, "d", ends: false, padding: 2),
        ] { refused(head + body, .invalidResponse, text) }
        refused(
            Frame.headers(1, [":status": "200", "content-length": "0"], ends: false) + Frame.data(1, "a"),
            .invalidResponse, text)
    }

    @Test("A body shorter than its Content-Length is incomplete, however it ends")
    func tooShort() {
        let head = Frame.headers(1, [":status": "200", "content-length": "3"], ends: false)
        func text(_ rest: Int) -> String { "the server ended the stream \(rest) bytes before the end of the body" }
        refused(head + Frame.data(1, "ab"), .incompleteResponse, text(1))
        refused(head + Frame.data(1, ""), .incompleteResponse, text(3))
        refused(head + Frame.data(1, "a", ends: false) + Frame.data(1, "", padding: 1), .incompleteResponse, text(2))
        refused(head + Frame.headers(1, ["a": "b"]), .incompleteResponse, text(3))
        refused(Frame.headers(1, [":status": "200", "content-length": "3"]), .incompleteResponse, text(3))
    }

    @Test(
        "A Content-Length that is no number, too large, or not the only one is refused",
        arguments: [
            "-6", "+8", "crap", "6abc", "0x6", "1.0", "", "6,,6", "6,7", "9223372036854775808",
            "99999999999999999999",
        ])
    func wrongLengths(_ length: String) {
        for end in [true, false] {
            let outcome = SessionFeeder().feedInEveryWay(
                Frame.headers(1, [":status": "200", "content-length": length], ends: end))
            guard case .failed(1, .invalidResponse, let text)? = outcome.events.first else {
                Issue.record("\(outcome)")
                return
            }
            #expect(text.contains("Content-Length"))
            #expect(outcome.sent == [.reset(1, 1)] && outcome.events.count == 1)
        }
    }

    @Test("Two different Content-Lengths are refused")
    func differentLengths() {
        refused(
            Frame.headers(1, [":status": "200", "content-length": "3", "content-length": "4"], ends: false),
            .invalidResponse, "there are different Content-Lengths: 3 and \"4\"")
    }

    // MARK: The order of frames (section 8.1)

    @Test("A body before its head is refused")
    func bodyFirst() {
        let text = "a body begins before its head"
        refused(Frame.data(1, "abc"), .invalidResponse, text)
        refused(Frame.data(1, ""), .invalidResponse, text)
        refused(
            Frame.headers(1, [":status": "100"], ends: false) + Frame.data(1, "abc", ends: false), .invalidResponse,
            text
        )
    }

    @Test("A response that has no body must not have one")
    func bodyOfNone() {
        let text = "the response must have no body, but has one"
        for status in ["204", "304"] {
            refused(
                Frame.headers(1, [":status": status], ends: false) + Frame.data(1, "abc"), .invalidResponse, text)
        }
        refused(
            Frame.headers(1, [":status": "200", "content-length": "3"], ends: false)
                + Frame.data(1, "", ends: false) + Frame.data(1, "abc"),
            .invalidResponse, text, request: FedRequest(method: "HEAD"))
    }

    @Test("A second head is no trailer section, with a body between them and without")
    func secondHead() {
        let head = Frame.headers(1, [":status": "200"], ends: false)
        let text = "there is a second head, which is no trailer section"
        refused(head + head, .invalidResponse, text)
        refused(
            head + Frame.data(1, "abc", ends: false) + Frame.headers(1, ["a": "b"], ends: false), .invalidResponse, text
        )
        refused(head + Frame.headers(1, [":status": "103"], ends: false), .invalidResponse, text)
    }

    @Test("Protocols are not switched in HTTP/2, and no stream ends with an informational response")
    func informational() {
        refused(
            Frame.headers(1, [":status": "101"], ends: false), .invalidResponse,
            "the server switched protocols (101), which HTTP/2 does not have")
        refused(
            Frame.headers(1, [":status": "100"]), .incompleteResponse,
            "the server ended the stream after an informational response")
    }

    // MARK: Limits

    @Test("One informational response too many is refused")
    func informationals() {
        var request = FedRequest()
        request.limits.informationalResponses = 2
        let head = Frame.headers(1, [":status": "103"], ends: false)
        refused(
            head + head + head, .limitExceeded,
            "there are more than 2 informational responses (limits.informationalResponses)", code: 11, request: request)
    }

    @Test("A head beyond a limit of its call is refused, and one at the limit is not")
    func headLimits() {
        var request = FedRequest()
        // Each field counts 32 bytes of overhead (section 6.5.2): 42 for the status, 36 for the other field.
        let head = Frame.headers(1, [":status": "200", "ab": "cd"])
        func atMost(_ change: (inout Limits) -> Void) {
            request.limits = Limits()
            change(&request.limits)
        }
        func isRead() -> Bool {
            SessionFeeder(requests: [request]).feed(head).events.last == .end(1, [])
        }
        atMost { $0.headBytes = 78 }
        #expect(isRead())
        atMost { $0.headBytes = 77 }
        let bytes = "the response's head is longer than 77 bytes (limits.headBytes)"
        refused(head, .limitExceeded, bytes, code: 11, request: request)
        atMost { $0.headFields = 2 }
        #expect(isRead())
        atMost { $0.headFields = 1 }
        let fields = "the response's head has more than 1 fields (limits.headFields)"
        refused(head, .limitExceeded, fields, code: 11, request: request)
        atMost { $0.lineBytes = 4 }
        #expect(isRead())
        atMost { $0.lineBytes = 3 }
        let line = "a field is longer than 3 bytes (limits.lineBytes)"
        refused(head, .limitExceeded, line, code: 11, request: request)
    }

    @Test("Trailers beyond a limit of their call are refused, and those at the limit are not")
    func trailerLimits() {
        var request = FedRequest()
        let stream = Frame.headers(1, [":status": "200"], ends: false) + Frame.headers(1, ["ab": "cd"])
        request.limits.trailerBytes = 36
        #expect(SessionFeeder(requests: [request]).feed(stream).events.last == .end(1, ["ab: cd"]))
        request.limits.trailerBytes = 35
        refused(
            stream, .limitExceeded, "the trailer section is longer than 35 bytes (limits.trailerBytes)", code: 11,
            request: request)
    }

    @Test("A head that one byte of each field blows up is refused, and the table stays in step")
    func bomb() {
        let value = String(repeating: "x", count: 4_000)
        let bomb = [0x88] + Frame.indexed("big", value) + [UInt8](repeating: 0xBE, count: 200)
        let outcome = SessionFeeder.streams(2).feed(
            Frame.headers(1, block: bomb) + Frame.headers(3, block: [0x88, 0xBE]))
        #expect(
            outcome.events == [
                .failed(1, .limitExceeded, "the response's head is longer than 262144 bytes (limits.headBytes)"),
                .head(3, 200, ["big: " + value]), .end(3, []),
            ])
        #expect(outcome.sent == [.reset(1, 11)])
    }

    // MARK: Windows (sections 6.9 and 6.9.1)

    @Test("A WINDOW_UPDATE by nothing, and one beyond 2^31 - 1, end the stream")
    func windowUpdates() {
        refused(Frame.windowUpdate(1, 0), .invalidResponse, "a WINDOW_UPDATE frame with an increment of 0")
        refused(Frame.windowUpdate(1, 0x8000_0000), .invalidResponse, "a WINDOW_UPDATE frame with an increment of 0")
        refused(
            Frame.windowUpdate(1, 0x7FFF_FFFF), .invalidResponse,
            "the stream's window is widened beyond 2^31 - 1", code: 3)
        let most = SessionFeeder().feedInEveryWay(Frame.windowUpdate(1, 0x7FFF_FFFF - 65_535))
        #expect(most.events == [.writable(1)] && most.sent.isEmpty)
    }

    @Test("More than the stream's window lets through is refused; padding counts")
    func overrun() {
        // 2 frames fill the window of 2^15, which stays closed while no caller reads.
        let full = [[UInt8]](
            repeating: Frame.data(1, [UInt8](repeating: 0, count: 16_383), ends: false, padding: 0), count: 2
        ).joined()
        for last in [Frame.data(1, "x"), Frame.data(1, "", padding: 0)] {
            var run = SessionRun([FedRequest(), FedRequest()])
            run.read(Frame.settings() + Frame.headers(1, [":status": "200"], ends: false))
            run.session.pause(run.streams[0])
            run.read(Array(full))
            #expect(run.outcome.events.count == 3)
            run.read(last + Frame.headers(3, [":status": "200"]))
            let outcome = run.finish()
            #expect(
                outcome.events.dropFirst(3) == [
                    .failed(1, .invalidResponse, "the server sends more than it may (flow control)"),
                    .head(3, 200, []), .end(3, []),
                ])
            #expect(outcome.sent.last == .reset(1, 3))
        }
    }
}

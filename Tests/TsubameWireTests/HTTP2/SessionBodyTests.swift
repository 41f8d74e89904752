// SessionBodyTests: informational responses, lengths, trailers, and responses that must have no body.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionBodyTests {
    private typealias Frame = PeerFrame
    private let feeder = SessionFeeder()

    @Test("Informational responses come before the response, as many as the limit")
    func informational() {
        let hints = Frame.headers(1, [":status": "103", "link": "</a>"], ends: false)
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, [":status": "100"], ends: false) + hints
                + Frame.headers(1, [":status": "199"], ends: false)
                + Frame.headers(1, [":status": "200", "content-length": "1"], ends: false) + Frame.data(1, "x"))
        #expect(
            outcome.events == [
                .informational(1, 100, []), .informational(1, 103, ["link: </a>"]), .informational(1, 199, []),
                .head(1, 200, ["content-length: 1"]), .body(1, "x"), .end(1, []),
            ])
        let most = feeder.feed(
            [[UInt8]](repeating: hints, count: 32).joined() + Frame.headers(1, [":status": "200"]))
        #expect(most.events.count == 34 && most.events.last == .end(1, []))
    }

    @Test("Trailers end a response, with and without a body before them")
    func trailers() {
        for body in [Frame.data(1, "abc", ends: false), []] {
            let outcome = feeder.feedInEveryWay(
                Frame.headers(1, [":status": "200"], ends: false) + body
                    + Frame.headers(1, ["digest": "1 ", "x": "2"]))
            #expect(outcome.events.last == .end(1, ["digest: 1", "x: 2"]))
            #expect(outcome.running == 0)
        }
    }

    @Test("An empty trailer section is none; trailers that would be acted on are left out (RFC 9110 section 6.5.1)")
    func trailersLeftOut() {
        let head = Frame.headers(1, [":status": "200"], ends: false)
        #expect(feeder.feedInEveryWay(head + Frame.headers(1, [:])).events.last == .end(1, []))
        let outcome = feeder.feed(
            head + Frame.headers(1, ["set-cookie": "a=b", "content-length": "7", "authorization": "x", "kept": "1"]))
        #expect(outcome.events.last == .end(1, ["kept: 1"]))
    }

    @Test("Trailers in CONTINUATION frames, and in the table")
    func trailersContinued() {
        let outcome = SessionFeeder.streams(2).feedInEveryWay(
            Frame.headers(1, [":status": "200"], ends: false) + Frame.data(1, "abc", ends: false)
                + Frame.headers(1, block: Frame.indexed("sum", "1"), ends: true, endsBlock: false)
                + Frame.continuation(1, Frame.block(["more": "2"])) + Frame.headers(3, block: [0x88, 0xBE]))
        #expect(
            outcome.events == [
                .head(1, 200, []), .body(1, "abc"), .end(1, ["sum: 1", "more: 2"]), .head(3, 200, ["sum: 1"]),
                .end(3, []),
            ])
    }

    @Test("No body follows a HEAD, a 204 or a 304, whatever length is said", arguments: ["HEAD", "204", "304"])
    func bodiless(_ what: String) {
        var feeder = SessionFeeder()
        if what == "HEAD" { feeder.requests = [FedRequest(method: "HEAD")] }
        let status = what == "HEAD" ? 200 : Int(what) ?? 0
        let fields: KeyValuePairs = [":status": "\(status)", "content-length": "1000"]
        let expected: [SessionEvent] = [.head(1, status, ["content-length: 1000"]), .end(1, [])]
        for stream in [
            Frame.headers(1, fields), Frame.headers(1, fields, ends: false) + Frame.data(1, ""),
            Frame.headers(1, fields, ends: false) + Frame.data(1, "", ends: false) + Frame.data(1, "", padding: 3),
            Frame.headers(1, fields, ends: false) + Frame.headers(1, [:]),
        ] {
            let outcome = feeder.feedInEveryWay(stream)
            #expect(outcome.events == expected)
            #expect(outcome.error == nil && outcome.sent.isEmpty)
        }
        var run = SessionRun(feeder.requests)
        run.read(Frame.settings() + Frame.headers(1, fields, ends: false))
        #expect(run.lengths[1] == .some(nil))
    }

    @Test("A length is told with the head if the body did not come with it, and the body is of that length")
    func lengths() {
        func length(_ fields: KeyValuePairs<String, String>) -> Int64?? {
            var run = SessionRun()
            run.read(Frame.settings() + Frame.headers(1, fields, ends: false))
            return run.lengths[1]
        }
        #expect(length([":status": "200"]) == .some(nil))
        #expect(length([":status": "200", "content-length": "6"]) == 6)
        #expect(length([":status": "200", "content-length": "6,06 , 6"]) == 6)
        #expect(length([":status": "200", "content-length": "6", "content-length": "6"]) == 6)
        #expect(length([":status": "200", "content-length": "9223372036854775807"]) == Int64.max)
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, [":status": "200", "content-length": "6"], ends: false)
                + Frame.data(1, "abc", ends: false, padding: 9) + Frame.data(1, "def", ends: false) + Frame.data(1, ""))
        #expect(outcome.events.dropFirst() == [.body(1, "abcdef"), .end(1, [])])
    }

    @Test("A length far behind other fields counts", arguments: [62, 63, 64, 65, 200])
    func lateLengths(_ count: Int) {
        var block = Frame.block([":status": "200"])
        for index in 0..<count { block += Frame.block(["x\(index)": " y "]) }
        block += Frame.block(["content-length": "3"])
        let head = Frame.headers(1, block: block, ends: false)
        let outcome = feeder.feed(head + Frame.data(1, "abcd"))
        #expect(
            outcome.events.last == .failed(1, .invalidResponse, "the body is longer than its Content-Length"))
        #expect(feeder.feed(head + Frame.data(1, "abc")).events.last == .end(1, []))
    }

    @Test("The server ends a stream with a reset, before the head or after it, and the others go on")
    func resets() {
        let outcome = SessionFeeder.streams(3).feedInEveryWay(
            Frame.reset(1, 7) + Frame.headers(3, [":status": "200"], ends: false) + Frame.data(3, "abc", ends: false)
                + Frame.reset(3, 2) + Frame.data(3, "late") + Frame.reset(5, 99) + Frame.reset(5, 0))
        #expect(
            outcome.events == [
                .reset(1, 7), .head(3, 200, []), .body(3, "abc"), .reset(3, 2), .reset(5, 99),
            ])
        #expect(outcome.error == nil && outcome.sent.isEmpty && outcome.running == 0)
    }

    @Test("A response that is over before its request ends the request: RST_STREAM with NO_ERROR")
    func earlyResponses() {
        var feeder = SessionFeeder()
        feeder.requests = [FedRequest(method: "POST", isWhole: false)]
        for stream in [
            Frame.headers(1, [":status": "413"]),
            Frame.headers(1, [":status": "413"], ends: false) + Frame.data(1, "x"),
            Frame.headers(1, [":status": "413"], ends: false) + Frame.headers(1, ["a": "b"]),
            Frame.headers(1, [":status": "413"], ends: false) + Frame.data(1, "x", ends: false) + Frame.data(1, ""),
        ] {
            let outcome = feeder.feedInEveryWay(stream)
            #expect(outcome.sent == [.reset(1, 0)])
            #expect(outcome.running == 0)
        }
    }

    @Test("GOAWAY says up to where streams were processed; those go on, and that number never rises")
    func goAway() {
        let outcome = SessionFeeder.streams(3).feedInEveryWay(
            Frame.goAway(last: 0x7FFF_FFFF, 0) + Frame.goAway(last: 0x8000_0003, 11, "why") + Frame.goAway(last: 5, 0)
                + Frame.headers(3, [":status": "200"]))
        #expect(
            outcome.events == [
                .goAway(0x7FFF_FFFF, 0), .goAway(3, 11), .goAway(3, 0), .head(3, 200, []), .end(3, []),
            ])
        #expect(outcome.running == 2 && outcome.sent.isEmpty)
    }

    @Test("A PING is answered with the same eight bytes, an answer is not, and each SETTINGS is acknowledged")
    func answers() {
        let outcome = feeder.feedInEveryWay(
            Frame.ping(7) + Frame.frame(6, 1, 0, [UInt8](repeating: 1, count: 8)) + Frame.settings((1, 0))
                + Frame.frame(4, 1) + Frame.settings())
        #expect(
            outcome.sent == [
                SentFrame(type: 6, flags: 1, payload: [UInt8](repeating: 7, count: 8)), .settingsAcknowledgement,
                .settingsAcknowledgement,
            ])
        #expect(outcome.events == [.settings, .settings])
    }
}

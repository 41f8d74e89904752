// ResponseHeadTests: heads of responses: valid status lines and fields, and refused ones (RFC 9112 sections 2, 4 and
// 5).

import Testing
import TsubameCore
import TsubameWire

@Suite struct ResponseHeadTests {
    private func refused(
        _ text: String, _ kind: CallError.Kind = .invalidResponse, _ words: String,
        feeder: ResponseFeeder = ResponseFeeder(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let outcome = feeder.feedInEveryWay(text, sourceLocation: sourceLocation)
        #expect(outcome.error?.kind == kind, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.error?.description.contains(words) == true, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.head == nil && !outcome.isReusable, sourceLocation: sourceLocation)
    }

    // MARK: 12

    @Test("BAD-INPUT 12: HTTP/1.2 to HTTP/1.9 are HTTP/1.1", arguments: 1...9)
    func laterVersions(minor: Int) {
        let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.\(minor) 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(outcome.text == "ok")
        #expect(outcome.head?.version == .http11)
        #expect(outcome.isReusable)
    }

    @Test(
        "BAD-INPUT 12: what is no HTTP/1 version is refused",
        arguments: [
            ("HTP/1.1 200 OK", "starts with \"HTP/1.1 200 OK\""),
            (" HTTP/1.1 200 OK", "starts with \" HTTP/1.1 200 OK\""),
            ("HTTP/1.10 200 OK", "\"HTTP/1.10\" is no version"), ("HTTP/2.0 200 OK", "\"HTTP/2.0\" is no version"),
            ("HTTP/2 200 OK", "\"HTTP/2\" is no version"), ("HTTP/0.9 200 OK", "is no version"),
            ("HTTP/1. 200 OK", "is no version"),
            ("HTTP/1.: 200 OK", "is no version"), ("HTTP/1./ 200 OK", "is no version"),
            ("HTTP/1.x 200 OK", "is no version"), ("http/1.1 200 OK", "no HTTP/1"),
            ("HTTP/1.\(String(repeating: "1", count: 100)) 200 OK", "\"HTTP/1.111111111…\" is no version"),
            ("HTTP/\(String(repeating: "1", count: 100)).1 200 OK", "is no version"),
            ("HTTP/ 1.1 200 OK", "is no version"),
            ("HTTP/1.1\t200\tOK", "is no version"), ("HTTP/+1.1 200 OK", "is no version"), ("HTTP", "no HTTP/1"),
            ("ICY 200 OK", "starts with \"ICY 200 OK\""), ("<html>", "starts with \"<html>\""),
            ("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3", "starts with \"SSH-2.0-OpenSSH_9.2p…\""),
            ("", "an empty line stands where the status line should be"),
        ])
    func versions(line: String, words: String) {
        refused("\(line)\r\nContent-Length: 2\r\n\r\nok", .invalidResponse, words)
    }

    @Test("BAD-INPUT 12: HTTP/2 that nobody asked for is named")
    func settingsOfHTTP2() {
        refused(
            "\0\0\u{12}\u{4}\0\0\0\0\0\0\u{3}\0\0\0d\0\u{4}\0\u{10}\0\0\n", .invalidResponse,
            "no HTTP/1 but HTTP/2")
    }

    @Test(
        "BAD-INPUT 12: a status that is not three digits from 100 on is refused",
        arguments: [
            ("-12", "\"-12\""), ("2", "\"2\""), ("001", "\"001\""), ("099", "\"099\""), ("20", "\"20\""),
            ("2000", "\"2000\""),
            ("", "\"\""), ("+200", "\"+200\""), ("2x0", "\"2x0\""), ("０", "is no status"),
            (String(repeating: "2", count: 100), "\"2222222222222222…\""),
        ])
    func statuses(status: String, words: String) {
        refused("HTTP/1.1 \(status) OK\r\nContent-Length: 2\r\n\r\nok", .invalidResponse, words)
        refused("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nok", .invalidResponse, words)
    }

    @Test("BAD-INPUT 12: two spaces in a status line, and none behind the version, are refused")
    func statusLineSpaces() {
        refused("HTTP/1.1  200 OK\r\n\r\n", .invalidResponse, "\"\" is no status")
        refused("HTTP/1.1\r\n\r\n", .invalidResponse, "has no status")
        refused("HTTP/1.1 200\tOK\r\n\r\n", .invalidResponse, "is no status")
    }

    @Test("BAD-INPUT 12: a control character in a reason is refused", arguments: ["\u{0}", "\r", "\u{1B}", "\u{7F}"])
    func reasons(character: String) {
        refused("HTTP/1.1 200 O\(character)K\r\n\r\n", .invalidResponse, "the status line holds")
    }

    @Test("BAD-INPUT 12: 999 is a status like another")
    func opaqueStatus() {
        let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.1 999 Request denied\r\nContent-Length: 2\r\n\r\nno")
        #expect(outcome.head?.status == 999)
        #expect(outcome.head?.reason == "Request denied")
        #expect(outcome.text == "no")
    }

    @Test(
        "BAD-INPUT 12: bytes of another protocol are refused at once, without a line's end",
        arguments: [
            "\u{0}\u{0}\u{12}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{3}\u{0}\u{0}\u{0}\u{80}\u{0}\u{4}\u{0}\u{1}\u{0}\u{0}\u{0}\u{5}\u{0}",
            String(repeating: "x", count: 24),
        ])
    func binary(bytes: String) {
        var feeder = ResponseFeeder()
        feeder.closes = false
        refused(bytes, .invalidResponse, "is no HTTP/1", feeder: feeder)
    }

    @Test("BAD-INPUT 12: a short answer of another protocol is refused when the connection closes")
    func shortForeign() {
        refused("\u{16}\u{3}\u{1}abcd", .invalidResponse, "no HTTP/1: the connection was closed after 7 bytes")
    }

    @Test("BAD-INPUT 12: an alert of TLS is refused at once, and named")
    func alert() {
        var feeder = ResponseFeeder()
        feeder.closes = false
        refused("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F", .invalidResponse, "no HTTP/1 but TLS", feeder: feeder)
    }

    // MARK: 13

    @Test("BAD-INPUT 13: informational responses are given before the final one", arguments: [100, 102, 103, 199])
    func informational(status: Int) {
        let outcome = ResponseFeeder().feedInEveryWay(
            """
            HTTP/1.1 \(status) Wait\r\nLink: </a.css>\r\n\r\nHTTP/1.1 100\r\n\r\n\
            HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
            """)
        #expect(outcome.informational.map(\.status) == [status, 100])
        #expect(outcome.informational.first?.fields == ["Link: </a.css>"])
        #expect(outcome.head?.fields == ["Content-Length: 2"])
        #expect(outcome.text == "ok")
        #expect(outcome.isReusable)
    }

    @Test("BAD-INPUT 13: an informational response to HEAD is not its end")
    func informationalToHead() {
        let outcome = ResponseFeeder(isHead: true).feedInEveryWay(
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        #expect(outcome.informational.count == 1)
        #expect(outcome.head?.status == 200)
        #expect(outcome.isOver)
    }

    @Test("BAD-INPUT 13: a flood of informational responses has a limit")
    func informationalFlood() {
        var feeder = ResponseFeeder()
        feeder.limits.informationalResponses = 3
        let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        #expect(feeder.feedInEveryWay(String(repeating: hint, count: 3) + final).isOver)
        let outcome = feeder.feedInEveryWay(String(repeating: hint, count: 4) + final)
        #expect(outcome.error?.kind == .limitExceeded)
        #expect(outcome.informational.count == 3)
        let flood = ResponseFeeder().feedInEveryWay(String(repeating: hint, count: 33) + final)
        #expect(flood.error?.kind == .limitExceeded)
        #expect(flood.informational.count == 32)
    }

    @Test("BAD-INPUT 13: an unsolicited 101 is refused")
    func switchingProtocols() {
        refused(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", .invalidResponse,
            "switched protocols (101)")
    }

    @Test("BAD-INPUT 13: an end behind an informational response is incomplete, not an empty reply")
    func endBehindInformational() {
        refused("HTTP/1.1 100 Continue\r\n\r\n", .incompleteResponse, "before the final one")
    }

    // MARK: 14

    @Test(
        "BAD-INPUT 14: what is no field is refused",
        arguments: [
            ("nocolon", "line 2 of the response's head has no colon"), ("A : b", "a blank between"),
            ("A\t: b", "a blank between"), (": b", "no field name"), ("A b: c", "has \" \" in its field name"),
            ("A(: c", "has \"(\" in its field name"), ("\u{E9}: c", "has 0xE9 in its field name"),
            ("A: b\u{0}c", "the value of \"A\" holds a NUL"), ("A\u{0}: b", "has 0x00 in its field name"),
            ("A: b\rc", "the value of \"A\" holds a bare carriage return"), ("A\r: b", "in its field name"),
            ("\rA: b", "in its field name"), ("A: b\r", "bare carriage return"),
            ("A: \u{1B}[2J", "control character (0x1B)"),
            ("A: \u{7F}", "control character (0x7F)"), (" A: b", "starts with a blank"),
            ("\tA: b", "starts with a blank"),
            (" ", "starts with a blank"), (" \u{1}", "holds a control"),
            ("\u{0}", "holds a NUL"), ("A\u{B}: b", "0x0B in its field name"),
        ])
    func fields(line: String, words: String) {
        refused("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok", .invalidResponse, words)
        if !line.hasPrefix(" "), !line.hasPrefix("\t") {
            refused(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nB: 1\r\n\(line)\r\n\r\nok", .invalidResponse,
                words.replacing("line 2", with: "line 4"))
        }
    }

    @Test("BAD-INPUT 14: no error text quotes a value, or a line that may be one's continuation")
    func noValueInErrors() {
        for line in ["Set-Cookie: s3cret\u{0}", "s3cret", "s3cret x: y", "Set-Cookie: a\r\n s3cret\u{1}"] {
            let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.1 200 OK\r\nA: b\r\n\(line)\r\n\r\n")
            #expect(outcome.error?.kind == .invalidResponse)
            #expect(outcome.error?.description.contains("s3cret") == false)
        }
    }

    @Test("BAD-INPUT 14: obs-fold is joined by one space")
    func folds() {
        let outcome = ResponseFeeder().feedInEveryWay(
            """
            HTTP/1.1 200 OK\r\nA: one \t\r\n \t two\r\n\tthree\r\nB:\r\n b\r\nC: c\r\n \r\n\
            Content-Length:\r\n  2\r\nD: d\r\n  \t \r\n e\r\n\r\nok
            """)
        #expect(outcome.head?.fields == ["A: one two three", "B: b", "C: c", "Content-Length: 2", "D: d e"])
        #expect(outcome.text == "ok")
        #expect(outcome.isReusable)
        let chunked = ResponseFeeder().feedInEveryWay(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\nConnection: x,\r\n close\r\n\r\n2\r\nok\r\n0\r\n\r\n")
        #expect(chunked.text == "ok")
        #expect(!chunked.isReusable)
        refused(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\n0123456789", .invalidResponse, "\"1 0\" is no number")
    }

    @Test("BAD-INPUT 14: folds behind many fields keep the framing fields found")
    func lateFolds() {
        let many = (0..<80).map { "X-\($0): a\r\n b\r\n" }.joined()
        let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.1 200 OK\r\n\(many)Content-Length: 2\r\n\r\nok")
        #expect(outcome.text == "ok")
        #expect(outcome.head?.fields.count == 81)
        #expect(outcome.head?.fields.first == "X-0: a b")
    }

    @Test("BAD-INPUT 14: a bare LF ends a line of the head")
    func bareLineFeeds() {
        let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.1 200 OK\nA: b\r\nContent-Length: 2\n\nok")
        #expect(outcome.head?.fields == ["A: b", "Content-Length: 2"])
        #expect(outcome.text == "ok")
        let bare = ResponseFeeder().feedInEveryWay("HTTP/1.1 204\n\n")
        #expect(bare.isOver)
    }

    // MARK: 15

    @Test("BAD-INPUT 15: an end at any place of the head is incomplete")
    func endInHead() {
        let head = latin1("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 2\r\n\r\n")
        for count in 1..<head.count {
            let outcome = ResponseFeeder().feedInEveryWay(Array(head[..<count]))
            #expect(outcome.error?.kind == .incompleteResponse, "after \(count) bytes")
            #expect(outcome.error?.description.contains("within the response's head, after \(count) bytes") == true)
            #expect(outcome.hasSeenBytes)
        }
    }

    @Test("BAD-INPUT 15: an end without a byte is an empty reply")
    func emptyReply() {
        let outcome = ResponseFeeder().feed([])
        #expect(outcome.error?.kind == .emptyReply)
        #expect(!outcome.hasSeenBytes)
        #expect(!outcome.isReusable)
    }

    // MARK: 16

    @Test("BAD-INPUT 16: a head has limits of fields, of a line and in all")
    func limits() {
        var feeder = ResponseFeeder()
        feeder.limits.headFields = 40
        feeder.limits.lineBytes = 64
        feeder.limits.headBytes = 500
        let start = "HTTP/1.1 200 OK\r\n"
        let fields = String(repeating: "A: b\r\n", count: 39)
        #expect(feeder.feedInEveryWay(start + fields + "Content-Length: 2\r\n\r\nok").text == "ok")
        refused(
            start + fields + "A: b\r\nContent-Length: 2\r\n\r\nok", .limitExceeded, "limits.headFields", feeder: feeder)
        let line = "A: " + String(repeating: "x", count: 59) + "\r\n"
        #expect(feeder.feedInEveryWay(start + line + "Content-Length: 2\r\n\r\nok").text == "ok")
        refused(start + "x" + line + "\r\n", .limitExceeded, "limits.lineBytes", feeder: feeder)
        refused(
            "HTTP/1.1 200 " + String(repeating: "x", count: 50) + "\r\n\r\n", .limitExceeded, "limits.lineBytes",
            feeder: feeder)
        refused(start + String(repeating: "x", count: 65), .limitExceeded, "limits.lineBytes", feeder: feeder)
        // 17 + 7 × 64 + 33 + 2 is the whole limit.
        let all = start + String(repeating: line, count: 7)
        let exact = "Content-Length: 0\r\nX: \(String(repeating: "x", count: 9))\r\n\r\n"
        #expect(feeder.feedInEveryWay(all + exact).isOver)
        refused(all + "x" + exact, .limitExceeded, "limits.headBytes", feeder: feeder)
        // A tab behind the last byte that counts is not read.
        refused(
            start + "X: " + String(repeating: "x", count: 40) + "\t\r\n\r\n", .limitExceeded, "limits.headBytes",
            feeder: ResponseFeeder(limits: headLimit(60)))
        // The body after the head does not count.
        let body = String(repeating: "x", count: 900)
        #expect(feeder.feedInEveryWay(start + "Content-Length: 900\r\n\r\n" + body).body.count == 900)
    }

    private func headLimit(_ bytes: Int) -> Limits {
        var limits = Limits()
        limits.headBytes = bytes
        return limits
    }

    @Test("BAD-INPUT 16: a head without fields is all that a limit of 0 fields allows")
    func noFields() {
        var feeder = ResponseFeeder()
        feeder.limits.headFields = 0
        #expect(feeder.feedInEveryWay("HTTP/1.1 204 No Content\r\n\r\n").isOver)
        refused("HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", .limitExceeded, "limits.headFields", feeder: feeder)
    }

    @Test("BAD-INPUT 12: a limit that holds no status line does not hide that the answer is no HTTP")
    func noHTTPWithinTheLimit() {
        let feeder = ResponseFeeder(limits: headLimit(24), checksKept: false)
        refused("SSH-2.0-OpenSSH_9.2p1 Debian-2", .invalidResponse, "is no HTTP/1", feeder: feeder)
        let first = feeder.feed(Array("SSH-2.0-OpenSSH_9.2p1 De".utf8))
        #expect(first.error?.kind == .invalidResponse, "\(first)")
    }

    @Test("BAD-INPUT 16: a status line may be as long as the limit of a line")
    func longestStatusLine() {
        var feeder = ResponseFeeder()
        feeder.limits.lineBytes = 17
        #expect(feeder.feedInEveryWay("HTTP/1.1 204 OK\r\n\r\n").isOver)
        refused("HTTP/1.1 204 OK!\r\n\r\n", .limitExceeded, "limits.lineBytes", feeder: feeder)
    }

    /// These streams are up to 300 KB long. To cut them everywhere would take hours.
    @Test("BAD-INPUT 16: the default limits hold, cut at every position around each of them")
    func defaultLimits() {
        func expect(_ text: String, bounds: [Int], _ words: String) {
            let start = "HTTP/1.1 200 OK\r\n"
            let outcome = ResponseFeeder().feedCutAround(bounds.map { $0 + start.count }, latin1(start + text))
            #expect(outcome.error?.kind == .limitExceeded)
            #expect(outcome.error?.description == "\(words)")
        }
        expect(
            String(repeating: "A: b\r\n", count: 1_001), bounds: [5_999, 6_005],
            "the response's head has more than 1000 fields (limits.headFields)")
        expect(
            "A: " + String(repeating: "x", count: 65 << 10), bounds: [3, 65_536],
            "a line of the response's head is longer than 65536 bytes (limits.lineBytes)")
        expect(
            String(repeating: "A: " + String(repeating: "x", count: 60_000) + "\r\n", count: 5),
            bounds: [60_005, 262_144 - 17], "the response's head is longer than 262144 bytes (limits.headBytes)")
    }

    @Test("BAD-INPUT 16: limits of any value neither trap nor hang", arguments: [Int.min, -1, 0, 1, 12, Int.max])
    func strangeLimits(value: Int) {
        var feeder = ResponseFeeder()
        feeder.checksKept = false
        feeder.limits.headBytes = value
        feeder.limits.lineBytes = value
        feeder.limits.headFields = value
        feeder.limits.trailerBytes = value
        feeder.limits.chunkExtensionBytes = value
        feeder.limits.informationalResponses = value
        let outcome = feeder.feedInEveryWay(
            "HTTP/1.1 100\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\na\r\n0\r\nA: b\r\n\r\n")
        #expect(value == Int.max ? outcome.text == "a" : outcome.error?.kind == .limitExceeded)
    }
}

// ResponseFramingTests: the end of a body: the framings that a server can announce, and the framings that are refused
// (RFC 9112 section 6).

import Testing
import TsubameCore
import TsubameWire

@Suite struct ResponseFramingTests {
    private func refused(
        _ text: String, _ kind: CallError.Kind = .invalidResponse, _ words: String,
        feeder: ResponseFeeder = ResponseFeeder(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let outcome = feeder.feedInEveryWay(text, sourceLocation: sourceLocation)
        #expect(outcome.error?.kind == kind, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.error?.description.contains(words) == true, "\(outcome)", sourceLocation: sourceLocation)
        #expect(!outcome.isReusable && !outcome.isOver, sourceLocation: sourceLocation)
    }

    private func response(_ fields: String, _ body: String = "", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)"
    }

    private func chunked(_ body: String) -> String { response("Transfer-Encoding: chunked\r\n", body) }

    // MARK: 1 to 3

    @Test(
        "BAD-INPUT 1: a Content-Length that is no number from 0 to 2^63 - 1 is refused",
        arguments: [
            ("-6", "is no number"), ("+8", "is no number"), ("crap", "is no number"), ("6abc", "\"6abc\" is no number"),
            ("", "is no number"), ("6 6", "is no number"), ("0x6", "is no number"), ("6,", "is no number"),
            ("6:", "is no number"),
            (",6", "is no number"), ("6,,6", "is no number"), ("6;6", "is no number"), ("1e3", "is no number"),
            ("\u{B2}", "is no number"), ("9223372036854775808", "above 2^63"), ("18446744073709551622", "above 2^63"),
            (String(repeating: "9", count: 400), "above 2^63"),
        ])
    func lengths(value: String, words: String) {
        refused(response("Content-Length: \(value)\r\n", "123456"), .invalidResponse, words)
    }

    @Test("BAD-INPUT 1: a CR inside a Content-Length is refused")
    func lengthWithCR() {
        refused(response("Content-Length: 6\r6\r\n", "123456"), .invalidResponse, "bare carriage return")
    }

    @Test("BAD-INPUT 1: the largest Content-Length is accepted, and nothing is allocated by it")
    func largestLength() {
        let outcome = ResponseFeeder().feedInEveryWay(response("Content-Length: 9223372036854775807\r\n", "abc"))
        #expect(outcome.error?.kind == .incompleteResponse)
        #expect(outcome.text == "abc")
    }

    @Test(
        "BAD-INPUT 2: different Content-Lengths are refused",
        arguments: [
            "Content-Length: 6\r\nContent-Length: 7\r\n", "Content-Length: 6,7\r\n",
            "content-length: 6\r\nX: y\r\nCONTENT-LENGTH: 06, 7\r\n", "Content-Length: 6\r\nContent-Length: 0\r\n",
        ])
    func differentLengths(fields: String) {
        refused(response(fields, "1234567"), .invalidResponse, "different Content-Lengths")
    }

    @Test(
        "BAD-INPUT 2: the same Content-Length more than once is that length",
        arguments: [
            "Content-Length: 6\r\nContent-Length: 6\r\n", "Content-Length: 6,06,6\r\n", "Content-Length: 6 , 6\r\n",
            "Content-Length:6\r\ncontent-length:\t006\t\r\n", "Content-Length: 0000000000000000000000000006\r\n",
        ])
    func sameLengths(fields: String) {
        let outcome = ResponseFeeder().feedInEveryWay(response(fields, "123456"))
        #expect(outcome.text == "123456")
        #expect(outcome.isOver && outcome.isReusable)
    }

    @Test("BAD-INPUT 3: a body shorter than its Content-Length is incomplete", arguments: ["", "12345"])
    func shortBody(body: String) {
        refused(
            response("Content-Length: 6\r\n", body), .incompleteResponse,
            "\(6 - body.count) bytes before the end of the body")
    }

    // MARK: 4 and 5

    @Test("BAD-INPUT 4: chunked wins over Content-Length, which is removed, and the connection is not used again")
    func bothFramings() {
        for fields in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\nX: y\r\n",
            "Transfer-Encoding: chunked\r\nX: y\r\ncontent-length: 3\r\nContent-Length: 3\r\n",
        ] {
            let outcome = ResponseFeeder().feedInEveryWay(response(fields, "5\r\nabcde\r\n0\r\n\r\n"))
            #expect(outcome.text == "abcde")
            #expect(outcome.isOver && !outcome.isReusable)
            #expect(outcome.head?.fields.sorted() == ["Transfer-Encoding: chunked", "X: y"])
        }
    }

    @Test(
        "BAD-INPUT 4: any Transfer-Encoding but one \"chunked\" is refused",
        arguments: [
            "chunked, chunked", "chunked, gzip", "gzip, chunked", "identity", "identityx", "", "chunked;q=1",
            "\"chunked\"",
            "chunked,", "xchunked", "chunkedx", "chunke", "\u{B}chunked", "chun ked",
        ])
    func codings(value: String) {
        let outcome = ResponseFeeder().feedInEveryWay(
            response("Transfer-Encoding: \(value)\r\n", "0\r\n\r\n"))
        #expect(outcome.error?.kind == .invalidResponse, "\(outcome)")
    }

    @Test("BAD-INPUT 4: two Transfer-Encoding fields are refused, even equal ones")
    func twoCodings() {
        refused(
            response("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), .invalidResponse,
            "two Transfer-Encoding")
    }

    @Test("BAD-INPUT 4: framing fields are found behind the sixty-third field, too")
    func lateFraming() {
        let many = (0..<70).map { "X-\($0): \($0)\r\n" }.joined()
        let outcome = ResponseFeeder().feedInEveryWay(
            response(many + "Content-Length: 3\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n", "0\r\n\r\n"))
        #expect(outcome.isOver && !outcome.isReusable)
        #expect(outcome.head?.fields.count == 72)
        refused(
            response(many + "Content-Length: 3\r\n" + many + "Content-Length: 4\r\n", "1234"), .invalidResponse,
            "different Content-Lengths")
    }

    @Test(
        "FAULT 29, BAD-INPUT 5: a chunked HTTP/1.0 response is decoded, and its connection not used again",
        arguments: ["", "Connection: keep-alive\r\n", "Content-Length: 3\r\nConnection: keep-alive\r\n"])
    func chunkedInHTTP10(fields: String) {
        let head = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n"
        let outcome = ResponseFeeder().feedInEveryWay(head + "5\r\nhello\r\n0\r\nA: b\r\n\r\n")
        #expect(outcome.isOver && !outcome.isReusable && outcome.text == "hello", "\(outcome)")
        #expect(outcome.head?.version == .http10)
        #expect(outcome.head?.fields.contains { $0.hasPrefix("Content-Length") } == false)
        refused(head + "5\r\nhello\r\n", .incompleteResponse, "closed")
        refused(
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .invalidResponse, "not \"chunked\"")
        var feeder = ResponseFeeder()
        feeder.isHead = true
        let bodyless = feeder.feedInEveryWay(head)
        #expect(bodyless.isOver && !bodyless.isReusable, "\(bodyless)")
    }

    // MARK: 6 to 8

    @Test(
        "BAD-INPUT 6: a chunk size that is no hexadecimal number is refused",
        arguments: [
            ("G\r\n", "starts with \"G\""), ("\r\n", "starts with 0x0D"), ("-1\r\n", "starts with \"-\""),
            ("5:x\r\nabcde\r\n", "\":\" in a chunk size"), ("1 A\r\na\r\n", "\"A\" after a chunk size"),
            (" 5\r\nabcde\r\n", "starts with \" \""), ("0x5\r\nabcde\r\n", "\"x\" in a chunk size"),
            ("00000000000000005\r\nabcde\r\n", "more than 16 digits"),
            ("11111111111111111\r\n", "more than 16 digits"), ("8000000000000000\r\n", "above 2^63"),
            ("FFFFFFFFFFFFFFFF\r\n", "above 2^63"), ("5\u{0}\r\nabcde\r\n", "0x00 in a chunk size"),
            ("\u{B2}\r\n", "starts with 0xB2"),
        ])
    func chunkSizes(chunk: String, words: String) {
        refused(chunked(chunk + "0\r\n\r\n"), .invalidResponse, words)
    }

    @Test(
        "BAD-INPUT 6: a bare LF or CR in a chunk's line is refused",
        arguments: [
            ("5\nabcde\r\n0\r\n\r\n", "bare line feed"), ("5;x\nabcde\r\n0\r\n\r\n", "bare line feed"),
            ("5 \nabcde\r\n0\r\n\r\n", "bare line feed"), ("5\rabcde\r\n0\r\n\r\n", "bare carriage return"),
            ("5;a\r;b\r\nabcde\r\n0\r\n\r\n", "bare carriage return"),
            ("5\r\nabcde\n0\r\n\r\n", "longer than its size"),
            ("5\r\nabcde\r0\r\n\r\n", "bare carriage return"), ("5\r\nabcde\r\n0\n\n", "bare line feed"),
            ("5\r\nabcde\r\n0\r\n\n", "bare line feed"), ("5\r\nabcde\r\n0\r\nX: y\n\r\n", "bare line feed"),
            ("5\r\r\nabcde\r\n0\r\n\r\n", "bare carriage return"), ("5;x\u{0}\r\nabcde\r\n", "control character"),
        ])
    func chunkLineEnds(body: String, words: String) {
        refused(chunked(body), .invalidResponse, words)
    }

    @Test(
        "BAD-INPUT 6: chunk data longer or shorter than its size is refused",
        arguments: ["5\r\nabcdef\r\n0\r\n\r\n", "5\r\nabcd\r\n0\r\n\r\n", "5\r\nabcdeHTTP/1.1 200 OK\r\n\r\n"])
    func chunkData(body: String) {
        let outcome = ResponseFeeder().feedInEveryWay(chunked(body))
        #expect(outcome.error?.kind == .invalidResponse, "\(outcome)")
    }

    @Test("BAD-INPUT 7: chunk extensions have a limit over the whole body")
    func chunkExtensions() {
        var feeder = ResponseFeeder()
        feeder.limits.chunkExtensionBytes = 40
        let extended = chunked("1;a=\"b c\"\r\na\r\n1  ;d\r\nb\r\n1\t\r\nc\r\n0;e\r\n\r\n")
        #expect(feeder.feedInEveryWay(extended).text == "abc")
        refused(
            chunked("1;" + String(repeating: "x", count: 40) + "\r\na\r\n0\r\n\r\n"), .limitExceeded,
            "limits.chunkExtensionBytes", feeder: feeder)
        refused(
            chunked(String(repeating: "1;12345678\r\na\r\n", count: 5) + "0\r\n\r\n"), .limitExceeded,
            "limits.chunkExtensionBytes", feeder: feeder)
        // 16 blanks after each size are allowed.
        refused(
            chunked("1" + String(repeating: " ", count: 57)), .limitExceeded, "limits.chunkExtensionBytes",
            feeder: feeder)
        refused(
            chunked(String(repeating: "1" + String(repeating: " ", count: 27) + "\r\na\r\n", count: 4)),
            .limitExceeded, "limits.chunkExtensionBytes", feeder: feeder)
    }

    @Test("FAULT 6, BAD-INPUT 7: blanks that fill up a chunk's size are no extension, however many chunks there are")
    func paddedSizes() {
        let chunk = "1" + String(repeating: " ", count: 16) + "\r\na\r\n"
        let outcome = ResponseFeeder().feed(latin1(chunked(String(repeating: chunk, count: 5_000) + "0  \r\n\r\n")))
        #expect(outcome.isOver, "\(outcome)")
        #expect(outcome.body.count == 5_000)
    }

    @Test("BAD-INPUT 7: the default limit of chunk extensions holds, cut at every position around it")
    func endlessChunkExtension() {
        // Also without any line end.
        let endless = latin1(chunked("1;" + String(repeating: "x", count: 20_000)))
        let start = chunked("1").count
        let outcome = ResponseFeeder().feedCutAround([start, start + 16_384], endless)
        #expect(outcome.error?.kind == .limitExceeded)
        #expect(outcome.error?.description.contains("limits.chunkExtensionBytes") == true)
        #expect(ResponseFeeder().feed(endless, cuts: 1..<endless.count) == outcome)
    }

    @Test(
        "BAD-INPUT 7: an end before the last chunk is incomplete",
        arguments: [
            ("", "before the last chunk"), ("5", "before the last chunk"),
            ("5\r\n", "5 bytes before the end of a chunk"),
            ("5\r\nabc", "2 bytes before the end of a chunk"), ("5\r\nabcde", "at the end of a chunk"),
            ("5\r\nabcde\r\n", "before the last chunk"), ("5\r\nabcde\r\n0", "before the last chunk"),
            ("5\r\nabcde\r\n0\r\n", "trailer section"), ("5\r\nabcde\r\n0\r\n\r", "trailer section"),
            ("5\r\nabcde\r\n0\r\nX: y\r\n", "trailer section"),
        ])
    func endBeforeLastChunk(body: String, words: String) {
        refused(chunked(body), .incompleteResponse, words)
    }

    @Test("BAD-INPUT 8: a trailer section has limits")
    func trailerLimits() {
        var feeder = ResponseFeeder()
        feeder.limits.trailerBytes = 100
        feeder.limits.headFields = 4
        let fits = chunked("0\r\n" + "X-Long: " + String(repeating: "x", count: 88) + "\r\n\r\n")
        #expect(feeder.feedInEveryWay(fits).trailers.count == 1)
        refused(
            chunked("0\r\n" + "X-Long: " + String(repeating: "x", count: 89) + "\r\n\r\n"), .limitExceeded,
            "limits.trailerBytes", feeder: feeder)
        refused(
            chunked("0\r\n" + String(repeating: "x", count: 101)), .limitExceeded, "limits.trailerBytes",
            feeder: feeder)
        refused(
            chunked("0\r\n" + String(repeating: "X: y\r\n", count: 5) + "\r\n"), .limitExceeded, "limits.headFields",
            feeder: feeder)
    }

    @Test("BAD-INPUT 8: the default limits of a trailer section hold, cut at every position around them")
    func defaultTrailerLimits() {
        let start = chunked("0\r\n").count
        let long = latin1(
            chunked("0\r\n" + String(repeating: "X: \(String(repeating: "y", count: 95))\r\n", count: 400)))
        let tooLong = ResponseFeeder().feedCutAround([start, start + 16_384], long)
        #expect(tooLong.error?.kind == .limitExceeded)
        #expect(tooLong.error?.description.contains("limits.trailerBytes") == true)
        let many = latin1(chunked("0\r\n" + String(repeating: "X: y\r\n", count: 1_100) + "\r\n"))
        let tooMany = ResponseFeeder().feedCutAround([start + 5_999, start + 6_005], many)
        #expect(tooMany.error?.kind == .limitExceeded)
        #expect(tooMany.error?.description.contains("limits.headFields") == true)
    }

    @Test("BAD-INPUT 8: trailers that say something about framing, credentials or control are left out")
    func refusedTrailers() {
        let outcome = ResponseFeeder().feedInEveryWay(
            chunked(
                """
                3\r\nabc\r\n0\r\nContent-Length: 7\r\nX-Checksum: 12\r\nTransfer-Encoding: chunked\r\n\
                Set-Cookie: a=b\r\nAuthorization: Basic x\r\nHOST: evil\r\nConnection: close\r\nServer-Timing: \
                a;\r\n  dur=1\r\nContent-Encoding: gzip\r\nLocation: /\r\n\r\n
                """))
        #expect(outcome.trailers == ["X-Checksum: 12", "Server-Timing: a; dur=1"])
        #expect(outcome.text == "abc")
        #expect(outcome.isReusable)
        #expect(outcome.head?.fields == ["Transfer-Encoding: chunked"])
    }

    @Test(
        "BAD-INPUT 8: a malformed trailer is refused",
        arguments: ["X y\r\n\r\n", "X : y\r\n\r\n", " X: y\r\n\r\n", "X: a\u{0}\r\n\r\n", ": y\r\n\r\n"])
    func malformedTrailers(section: String) {
        let outcome = ResponseFeeder().feedInEveryWay(chunked("0\r\n" + section))
        #expect(outcome.error?.kind == .invalidResponse, "\(outcome)")
        #expect(outcome.error?.description.contains("line 1 of the trailer section") == true)
    }

    // MARK: 9 and 10

    @Test(
        "BAD-INPUT 9: HEAD, 204 and 304 have no body, whatever they announce",
        arguments: ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "", "Content-Length: 99999999999\r\n"],
        [("200 OK", true), ("204 No Content", false), ("304 Not Modified", false)])
    func bodiless(fields: String, response: (status: String, isHead: Bool)) {
        var feeder = ResponseFeeder(isHead: response.isHead)
        feeder.closes = false
        let outcome = feeder.feedInEveryWay(self.response(fields, status: response.status))
        #expect(outcome.isOver)
        #expect(outcome.body.isEmpty)
        // A 204 must not announce a body, because a server that does may send one.
        #expect(outcome.isReusable == (fields.isEmpty || !response.status.hasPrefix("204")))
    }

    @Test("BAD-INPUT 9: what follows a 204 is left, and is not its body")
    func bytesBehind204() {
        let outcome = ResponseFeeder().feedInEveryWay("HTTP/1.1 204 No Content\r\n\r\nhello")
        #expect(outcome.isOver)
        #expect(outcome.body.isEmpty)
        #expect(outcome.leftover == latin1("hello"))
    }

    @Test("BAD-INPUT 10: of two responses to one request only the first is taken")
    func twoResponses() {
        let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        for first in [
            response("Content-Length: 4\r\n", "good"), chunked("4\r\ngood\r\n0\r\n\r\n"),
            chunked("4\r\ngood\r\n0\r\nX: y\r\n\r\n"),
        ] {
            let outcome = ResponseFeeder().feedInEveryWay(first + second)
            #expect(outcome.text == "good")
            #expect(outcome.isOver)
            #expect(outcome.leftover == latin1(second))
        }
    }

    @Test("BAD-INPUT 10: bytes before an exchange are not taken, however few of them have come")
    func idleBytes() throws {
        let bytes = latin1("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        var patient = ResponseDecoder(limits: Limits())
        for count in 0...bytes.count {
            var fresh = ResponseDecoder(limits: Limits())
            var offset = 0
            let first = try bytes[..<count].withUnsafeBytes { try fresh.next($0, &offset) }
            let rest = try bytes.withUnsafeBytes { try fresh.next($0, &offset) }
            let bytewise = try bytes[..<count].withUnsafeBytes { try patient.next($0, &offset) }
            for event in [first, rest, bytewise] {
                guard case .end(nil) = event else {
                    Issue.record("a response was made of \(count) idle bytes")
                    return
                }
            }
            #expect(offset == 0)
        }
    }
}

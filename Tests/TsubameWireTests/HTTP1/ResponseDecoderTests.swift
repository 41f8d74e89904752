// ResponseDecoderTests: well-formed responses: the end of each kind of body, and the reuse of the connection.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite struct ResponseDecoderTests {
    private static let nginx = """
        HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 04:25:28 GMT\r\nContent-Type: \
        application/octet-stream\r\nContent-Length: 1024\r\nLast-Modified: Sat, 21 Nov 2026 04:00:00 GMT\r\n\
        Connection: keep-alive\r\nETag: "67401234-400"\r\nAccept-Ranges: bytes\r\n\r\n
        """

    private func events(_ text: String, isHead: Bool = false) throws -> [ResponseDecoder.Event] {
        var decoder = ResponseDecoder(limits: Limits())
        decoder.begin(isHead: isHead)
        var offset = 0
        var events: [ResponseDecoder.Event] = []
        try latin1(text).withUnsafeBytes { bytes in
            while true {
                let event = try decoder.next(bytes, &offset)
                events.append(event)
                switch event {
                case .needsMore, .whole, .end: return
                default: break
                }
            }
        }
        return events
    }

    @Test func aCommonAnswerIsReadWithItsFields() throws {
        let body = String(repeating: "x", count: 1_024)
        let outcome = ResponseFeeder().feedInEveryWay(Self.nginx + body)
        #expect(outcome.text == body)
        #expect(outcome.isReusable)
        #expect(outcome.head?.status == 200)
        #expect(outcome.head?.reason == "OK")
        #expect(
            outcome.head?.fields == [
                "Server: nginx/1.22.1", "Date: Sat, 21 Nov 2026 04:25:28 GMT", "Content-Type: application/octet-stream",
                "Content-Length: 1024", "Last-Modified: Sat, 21 Nov 2026 04:00:00 GMT", "Connection: keep-alive",
                "ETag: \"67401234-400\"", "Accept-Ranges: bytes",
            ])
    }

    @Test func aShortBodyInTheBufferComesWithItsHead() throws {
        let events = try events("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more")
        guard case .whole(let head, let body) = events.first else {
            Issue.record("not whole")
            return
        }
        #expect(Array(body) == latin1("hello"))
        #expect(ReceivedFields(head)[.contentLength] == "5")
    }

    @Test func aShortBodyBehindAFoldedHeadIsWholeToo() throws {
        let events = try events("HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello, and more")
        guard case .whole(let head, let body) = events.first else {
            Issue.record("not whole")
            return
        }
        #expect(Array(body) == latin1("hello"))
        #expect(ReceivedFields(head)[.contentLength] == "5")
    }

    @Test func `FAULT 22, BAD-INPUT 14: the bytes of a folded head stay as they came, before values and body`() throws {
        let text = "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\t c\r\nY: y\r\n z\r\nContent-Length:\r\n 5\r\n\r\n"
        let events = try events(text + "hello, and more")
        guard case .whole(let head, let body) = events.first else {
            Issue.record("not whole")
            return
        }
        #expect(Array(head.bytes(0..<text.utf8.count)) == latin1(text))
        #expect(
            ReceivedFields(head).map { "\($0.name.rawName): \($0.value)" } == [
                "X: a b c", "Y: y z", "Content-Length: 5",
            ])
        #expect(Array(body) == latin1("hello"))
    }

    @Test func aLongBodyIsGivenInPlace() throws {
        for count in [16 << 10, (16 << 10) + 1] {
            let text = "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
            let events = try events(text + String(repeating: "x", count: count))
            if count <= 16 << 10 {
                guard case .whole(_, let body) = events.first else {
                    Issue.record("not whole")
                    return
                }
                #expect(body.count == count)
            } else {
                guard case .head(_, let length) = events[0], case .body(let range) = events[1],
                    case .end(nil) = events[2]
                else {
                    Issue.record("not streamed")
                    return
                }
                #expect(length == Int64(count))
                #expect(range == text.utf8.count..<(text.utf8.count + count))
            }
        }
    }

    @Test func aBodyIsStreamedWhenItHasNotAllCome() throws {
        let events = try events("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
        guard case .head(_, length: 5) = events[0], case .body(let range) = events[1], case .needsMore = events[2]
        else {
            Issue.record("not streamed")
            return
        }
        #expect(range.count == 3)
    }

    @Test func theEndComesWithoutAnotherRead() throws {
        let events = try events("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        guard case .head(_, length: nil) = events[0], case .body = events[1], case .end(nil) = events[2] else {
            Issue.record("not chunked")
            return
        }
    }

    @Test func anEmptyBodyIsWhole() throws {
        for text in ["Content-Length: 0\r\n", "Content-Length: 00\r\nX: y\r\n"] {
            guard case .whole(_, let body) = try events("HTTP/1.1 200 OK\r\n\(text)\r\n").first else {
                Issue.record("not whole")
                return
            }
            #expect(body.isEmpty)
        }
    }

    @Test func anAnswerToHeadIsWholeAndKeepsItsLength() throws {
        guard case .whole(let head, let body) = try events(Self.nginx, isHead: true).first else {
            Issue.record("not whole")
            return
        }
        #expect(body.isEmpty)
        #expect(ReceivedFields(head)[.contentLength] == "1024")
    }

    @Test func aBodyWithoutALengthEndsWhenTheConnectionCloses() {
        for head in [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n",
        ] {
            let outcome = ResponseFeeder().feedInEveryWay(head + "\r\nall of it\r\n\r\n")
            #expect(outcome.text == "all of it\r\n\r\n")
            #expect(outcome.isOver && !outcome.isReusable)
        }
    }

    @Test func chunksMayHaveExtensionsAndTrailers() {
        let outcome = ResponseFeeder().feedInEveryWay(
            """
            HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n00A;name=\"a;b\";x\r\n, wonderful\r\n\
            1  \r\n!\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n
            """.replacing("00A", with: "00b"))
        #expect(outcome.text == "hello, wonderful!")
        #expect(outcome.trailers == ["X-Sum: 1", "X-Sum: 2"])
        #expect(outcome.isReusable)
    }

    @Test func whatFollowsIsNotConsumed() {
        let second = "HTTP/1.1 204 No Content\r\n\r\n"
        for first in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        ] {
            let outcome = ResponseFeeder().feedInEveryWay(first + second)
            #expect(outcome.isOver && outcome.isReusable)
            #expect(outcome.leftover == latin1(second))
        }
    }

    @Test func oneDecoderReadsManyResponses() throws {
        var decoder = ResponseDecoder(limits: Limits())
        let bytes = latin1(
            """
            HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 100\r\n\r\nHTTP/1.1 200 OK\r\nA:\r\n b\r\n\
            Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nT: u\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n
            """)
        var offset = 0
        var statuses: [Int] = []
        for _ in 0..<3 {
            let before = (decoder.isReusable, decoder.hasSeenBytes)
            decoder.begin(isHead: false)
            let during = (decoder.isReusable, decoder.hasSeenBytes)
            #expect(before == (true, !statuses.isEmpty))
            #expect(during == (false, false))
            reading: while true {
                switch try bytes.withUnsafeBytes({ try decoder.next($0, &offset) }) {
                case .whole(let head, _):
                    statuses.append(head.status)
                    break reading
                case .informational(let head), .head(let head, _): statuses.append(head.status)
                case .body: break
                case .end(let trailers):
                    #expect(trailers?.count == 1)
                    break reading
                case .needsMore:
                    Issue.record("all of it is there")
                    return
                }
            }
        }
        #expect(statuses == [200, 100, 200, 404])
        #expect(offset == bytes.count)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "connection: CLOSE\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive\r\n", true), ("HTTP/1.1", "Connection: x, close ,y\r\n", false),
        ("HTTP/1.1", "Connection: closed\r\n", true), ("HTTP/1.1", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false), ("HTTP/1.1", "Connection:\r\n", true),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: x,keep-alive\r\n", true), ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.0", "Connection: keep\r\n", false), ("HTTP/1.9", "", true),
    ])
    func theResponseSaysWhetherTheConnectionGoesOn(version: String, field: String, isReusable: Bool) {
        let outcome = ResponseFeeder().feedInEveryWay("\(version) 200 OK\r\n\(field)Content-Length: 2\r\n\r\nok")
        #expect(outcome.text == "ok")
        #expect(outcome.isReusable == isReusable)
    }

    @Test func aClosedConnectionIsNotUsedAgain() throws {
        var decoder = ResponseDecoder(limits: Limits())
        decoder.begin(isHead: false)
        var offset = 0
        _ = try latin1("HTTP/1.1 204\r\n\r\n").withUnsafeBytes { try decoder.next($0, &offset) }
        let before = decoder.isReusable
        guard case .end(nil) = try decoder.endOfInput(unconsumed: 0) else {
            Issue.record("the exchange was over")
            return
        }
        let after = decoder.isReusable
        #expect((before, after) == (true, false))
    }

    @Test func theEndOfInputIsSafeInEveryState() throws {
        // The body is complete, but its end event has not been read.
        var complete = ResponseDecoder(limits: Limits())
        complete.begin(isHead: false)
        var offset = 0
        let bytes = latin1("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        _ = try bytes.withUnsafeBytes { try complete.next($0, &offset) }
        offset = 0
        _ = try latin1("ok").withUnsafeBytes { try complete.next($0, &offset) }
        guard case .end(nil) = try complete.endOfInput(unconsumed: 0) else {
            Issue.record("the body was complete")
            return
        }
        // Twice, before any exchange and after one.
        var empty = ResponseDecoder(limits: Limits())
        guard case .end(nil) = try empty.endOfInput(unconsumed: 0) else {
            Issue.record("there was no exchange")
            return
        }
        empty.begin(isHead: false)
        for _ in 0..<2 {
            do throws(WireError) {
                _ = try empty.endOfInput(unconsumed: 0)
                Issue.record("an empty reply is no response")
            } catch {
                #expect(error.kind == .emptyReply)
            }
        }
    }

    @Test func offsetsOutsideTheBufferConsumeNothing() throws {
        var decoder = ResponseDecoder(limits: Limits())
        decoder.begin(isHead: false)
        for wrong in [-1, 3, Int.max, Int.min] {
            var offset = wrong
            guard case .needsMore = try latin1("HT").withUnsafeBytes({ try decoder.next($0, &offset) }) else {
                Issue.record("not waiting")
                return
            }
            #expect(offset == wrong)
        }
    }

    @Test func aStatusLineNeedsNoReason() {
        for line in ["HTTP/1.1 200", "HTTP/1.1 200 "] {
            let outcome = ResponseFeeder().feedInEveryWay("\(line)\r\nContent-Length: 2\r\n\r\nok")
            #expect(outcome.head?.reason == "")
            #expect(outcome.text == "ok")
        }
    }

    @Test func valuesKeepTheirBytes() {
        let outcome = ResponseFeeder().feedInEveryWay(
            latin1("HTTP/1.1 200 \u{E9}\r\nA:\r\nB: \tb\tc \t\r\nC:é\r\nD: ") + Array("日本".utf8)
                + latin1("\r\n!#$%&'*+-.^_`|~09AZaz: d\r\nContent-Length: 0\r\n\r\n"))
        #expect(outcome.head?.reason == "é")
        #expect(
            outcome.head?.fields == [
                "A: ", "B: b\tc", "C: é", "D: 日本", "!#$%&'*+-.^_`|~09AZaz: d", "Content-Length: 0",
            ])
    }

    @Test(.timeLimit(.minutes(1)))
    func aHeadThatDripsIsReadInLinearTime() {
        // A decoder that scans the line again with each byte would need hours for this one.
        let bytes = latin1(
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))\r\nContent-Length: 0\r\n\r\n")
        var limits = Limits()
        limits.headBytes = 2 << 20
        limits.lineBytes = 2 << 20
        var decoder = ResponseDecoder(limits: limits)
        decoder.begin(isHead: false)
        let isOver = bytes.withUnsafeBytes { bytes in
            for count in 1...bytes.count {
                var offset = 0
                let event = try? decoder.next(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &offset)
                if case .whole = event { return count == bytes.count }
            }
            return false
        }
        #expect(isOver)
    }
}

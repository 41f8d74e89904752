// SmallBodyTests: bodies of one byte, odd blanks in lengths, and chunks in HTTP/1.0, where a decoder has ways of its own.

import Testing
import TsubameCore
import TsubameWire

@Suite struct SmallBodyTests {
    @Test(arguments: [0, 1, 2, 16 << 10, (16 << 10) + 1]) func `a body comes whole, whatever its length`(_ count: Int) {
        let body = String(repeating: "x", count: count)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
        #expect(ResponseFeeder().feed(latin1(head + body)).text == body)
    }

    @Test("BAD-INPUT 2: a tab may stand in a list of equal lengths") func tabInLengths() {
        #expect(ResponseFeeder().feedInEveryWay("HTTP/1.1 200 OK\r\nContent-Length: 2,\t2\t, 2\r\n\r\nok").text == "ok")
    }

    @Test("BAD-INPUT 5: only a chunked response of HTTP/1.0 is said to be one", arguments: [0, 1])
    func chunkedHTTP10(minor: Int) throws {
        for (field, isChunked) in [("Transfer-Encoding: chunked", true), ("Content-Length: 5", false)] {
            var decoder = ResponseDecoder(limits: Limits())
            decoder.begin()
            var offset = 0
            let event = try latin1("HTTP/1.\(minor) 200 OK\r\n\(field)\r\n\r\n").withUnsafeBytes {
                bytes throws(WireError) in
                try decoder.next(bytes, &offset)
            }
            guard case .head = event else {
                Issue.record("\(event)")
                continue
            }
            #expect(decoder.isChunkedHTTP10 == (minor == 0 && isChunked), "\(field)")
        }
    }
}

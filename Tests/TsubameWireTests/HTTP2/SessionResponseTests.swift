// SessionResponseTests: responses that an HTTP/2 session reads, cut in every way.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionResponseTests {
    private typealias Frame = PeerFrame
    private let feeder = SessionFeeder()

    @Test("Head and body in one read come as one; apart, as head, body and end")
    func wholeAndApart() {
        let head = Frame.headers(1, [":status": "200", "content-type": "text/plain"], ends: false)
        let stream = head + Frame.data(1, "hello")
        var whole = SessionRun()
        whole.read(Frame.settings() + stream)
        #expect(whole.wholes == [1])
        var apart = SessionRun()
        apart.read(Frame.settings() + head)
        apart.read(Frame.data(1, "hello"))
        #expect(apart.wholes.isEmpty)
        let outcome = feeder.feedInEveryWay(stream)
        #expect(
            outcome.events == [.head(1, 200, ["content-type: text/plain"]), .body(1, "hello"), .end(1, [])])
        #expect(outcome.error == nil && outcome.sent.isEmpty && outcome.running == 0)
    }

    @Test("A body up to 16 KiB comes with its head, in one frame; a longer one, or one in two frames, does not")
    func wholeBodies() {
        func wholes(_ frames: [UInt8]...) -> [UInt32] {
            var run = SessionRun()
            run.read(Frame.settings() + Frame.headers(1, [":status": "200"], ends: false) + frames.joined())
            let running = run.session.count
            #expect(running == 0)
            return run.wholes
        }
        let most = [UInt8](repeating: 7, count: 16_384)
        #expect(wholes(Frame.data(1, most)) == [1])
        #expect(wholes(Frame.data(1, most, ends: false), Frame.data(1, [8])).isEmpty)
        #expect(wholes(Frame.data(1, "a", ends: false), Frame.data(1, "")).isEmpty)
        #expect(wholes(Frame.data(1, "a", padding: 1)).isEmpty)
    }

    @Test("A response without a body ends with its head")
    func noBody() {
        for fields in [[":status": "200"], [":status": "200", "content-length": "0"]] as [KeyValuePairs<String, String>]
        {
            let outcome = feeder.feedInEveryWay(Frame.headers(1, fields))
            #expect(outcome.events.count == 2)
            #expect(outcome.events.last == .end(1, []))
            #expect(outcome.running == 0 && outcome.sent.isEmpty)
        }
    }

    @Test("Frames of DATA are joined, empty ones among them are nothing, and the last may be empty")
    func emptyData() {
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, [":status": "200"], ends: false) + Frame.data(1, "", ends: false)
                + Frame.data(1, "ab", ends: false) + Frame.data(1, "", ends: false) + Frame.data(1, "c", ends: false)
                + Frame.data(1, ""))
        #expect(outcome.events == [.head(1, 200, []), .body(1, "abc"), .end(1, [])])
    }

    @Test(
        "Padding is left out, of DATA and of HEADERS, up to all of the frame",
        arguments: [0, 1, 2, 254, 255] as [UInt8])
    func padding(_ count: UInt8) {
        let zeros = [UInt8](repeating: 0, count: Int(count))
        let block = Frame.block([":status": "200", "a": "b"])
        let outcome = feeder.feedInEveryWay(
            Frame.frame(1, 4 | 8, 1, [count] + block + zeros) + Frame.data(1, "hello", ends: false, padding: count)
                + Frame.data(1, "", ends: false, padding: count) + Frame.data(1, "!", padding: count))
        #expect(outcome.events == [.head(1, 200, ["a: b"]), .body(1, "hello!"), .end(1, [])])
    }

    @Test("The priority in HEADERS is left out, with padding and without, and frames of PRIORITY mean nothing")
    func priority() {
        let block = Frame.block([":status": "204"])
        let priority: [UInt8] = [0x80, 0, 0, 3, 255]
        let frames = Frame.frame(2, 0, 1, priority) + Frame.frame(2, 0, 7, priority)
        for headers in [
            Frame.frame(1, 0x25, 1, priority + block), Frame.frame(1, 0x2D, 1, [2] + priority + block + [0, 0]),
        ] {
            let outcome = feeder.feedInEveryWay(frames + headers + frames)
            #expect(outcome.events == [.head(1, 204, []), .end(1, [])])
        }
    }

    @Test("Flags that a frame does not have, and the reserved bit of a stream's number, mean nothing")
    func undefinedBits() {
        let block = Frame.block([":status": "200"])
        let outcome = feeder.feedInEveryWay(
            Frame.frame(1, 4 | 0x40 | 0x80 | 0x02, 0x8000_0001, block)
                + Frame.frame(0, 1 | 0xF6, 0x8000_0001, latin1("x"))
                + Frame.frame(6, 0xFE, 0x8000_0000, [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(outcome.events == [.head(1, 200, []), .body(1, "x"), .end(1, [])])
        #expect(outcome.sent == [SentFrame(type: 6, flags: 1, payload: [1, 2, 3, 4, 5, 6, 7, 8])])
    }

    @Test("Unknown frames and unknown settings mean nothing, wherever they are allowed")
    func unknown() {
        let unknown = [0x0A, 0x0C, 0x10, 0xFF].flatMap { Frame.frame($0, 0xFF, 1, latin1("unknown")) }
        let outcome = feeder.feedInEveryWay(
            unknown + Frame.headers(1, [":status": "200"], ends: false) + unknown + Frame.settings((0x99, 7), (8, 1))
                + Frame.data(1, "x") + unknown)
        #expect(outcome.events == [.head(1, 200, []), .settings, .body(1, "x"), .end(1, [])])
    }

    @Test("A head goes on in CONTINUATION frames, wherever it is cut, empty ones too; END_STREAM stands on the first")
    func continuation() {
        let block = Frame.block([":status": "200", "first": "1", "second": "2"])
        for cut in 0...block.count {
            let outcome = feeder.feed(
                Frame.headers(1, block: Array(block[..<cut]), ends: true, endsBlock: false)
                    + Frame.continuation(1, [], endsBlock: false) + Frame.continuation(1, Array(block[cut...])))
            #expect(outcome.events == [.head(1, 200, ["first: 1", "second: 2"]), .end(1, [])])
        }
        let bytes = block.map { Frame.continuation(1, [$0], endsBlock: false) }.joined()
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, block: [], ends: false, endsBlock: false) + bytes + Frame.continuation(1, [])
                + Frame.data(1, "x"))
        #expect(outcome.events == [.head(1, 200, ["first: 1", "second: 2"]), .body(1, "x"), .end(1, [])])
    }

    @Test("A head in 128 parts is read")
    func manyParts() {
        let block = Frame.block([":status": "200"])
        let outcome = feeder.feed(
            Frame.headers(1, block: block, endsBlock: false)
                + [[UInt8]](repeating: Frame.continuation(1, [], endsBlock: false), count: 126).joined()
                + Frame.continuation(1, []))
        #expect(outcome.events == [.head(1, 200, []), .end(1, [])])
    }

    @Test("Streams that are interleaved do not mix, and share one HPACK table")
    func interleaved() {
        let first = Frame.headers(1, block: [0x88] + Frame.indexed("name", "one"), ends: false)
        // The third response's field is the entry that the first response's head added to the table.
        let third = Frame.headers(5, block: [0x88, 0xBE], ends: false)
        let second = Frame.headers(3, block: [0x8D] + Frame.indexed("name", "two") + [0xBF], ends: true)
        let outcome = SessionFeeder.streams(3).feedInEveryWay(
            first + Frame.data(1, "a", ends: false) + third + Frame.data(5, "x", ends: false)
                + Frame.data(1, "b", ends: false) + second + Frame.data(5, "y") + Frame.data(1, "c"))
        #expect(
            outcome.events == [
                .head(1, 200, ["name: one"]), .body(1, "a"), .head(5, 200, ["name: one"]), .body(5, "x"), .body(1, "b"),
                .head(3, 404, ["name: two", "name: one"]), .end(3, []), .body(5, "y"), .end(5, []), .body(1, "c"),
                .end(1, []),
            ])
        #expect(outcome.running == 0)
    }

    @Test("Names and values may be in the Huffman code (RFC 7541, C.6.1)")
    func huffman() throws {
        let block = try bytes(
            "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718"
                + " 63c7 8f0b 97c8 e9ae 82ae 43d3")
        let outcome = feeder.feedInEveryWay(Frame.headers(1, block: block))
        #expect(
            outcome.events == [
                .head(
                    1, 302,
                    [
                        "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
                        "location: https://www.example.com",
                    ]), .end(1, []),
            ])
    }

    @Test("Blanks around a value are no part of it; those within are; a value may be empty, or not ASCII")
    func blanks() {
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, [":status": "200", "a": " \t b c\t ", "d": "   ", "e": "", "f": "\u{E9}", "g": "x\ty"]))
        #expect(outcome.events.first == .head(1, 200, ["a: b c", "d: ", "e: ", "f: \u{E9}", "g: x\ty"]))
        let oneSide = feeder.feedInEveryWay(Frame.headers(1, [":status": "200", "a": " b!", "c": "!d\t", "e": "!f!"]))
        #expect(oneSide.events.first == .head(1, 200, ["a: b!", "c: !d", "e: !f!"]))
        let length = feeder.feed(
            Frame.headers(1, [":status": "200", "content-length": " 1 "], ends: false) + Frame.data(1, "x"))
        #expect(length.events.last == .end(1, []))
    }

    @Test("A code without a name is its number")
    func codes() {
        #expect("\(HTTP2Code(rawValue: 13)), \(HTTP2Code(rawValue: 14))" == "HTTP_1_1_REQUIRED, error 14")
    }

    @Test("Fields keep their order, and those of one name are not joined")
    func order() {
        let outcome = feeder.feed(Frame.headers(1, [":status": "200", "b": "1", "a": "2", "b": "3"]))
        #expect(outcome.events.first == .head(1, 200, ["b: 1", "a: 2", "b: 3"]))
    }

    @Test("From 200 to 999 a status is one of a response", arguments: [200, 299, 404, 599, 600, 999])
    func statuses(_ status: Int) {
        let outcome = feeder.feed(Frame.headers(1, [":status": "\(status)"]))
        #expect(outcome.events == [.head(1, status, []), .end(1, [])])
    }

    @Test("What comes on a stream that is over, or was given up, is left alone")
    func closedStreams() {
        let outcome = feeder.feedInEveryWay(
            Frame.headers(1, [":status": "200"]) + Frame.data(1, "late") + Frame.reset(1, 0) + Frame.windowUpdate(1, 1)
                + Frame.headers(1, [":status": "200"]))
        #expect(outcome.events == [.head(1, 200, []), .end(1, [])])
        #expect(outcome.error == nil && outcome.sent.isEmpty)

        var run = SessionRun()
        run.read(Frame.settings() + Frame.headers(1, block: [0x88] + Frame.indexed("a", "b"), ends: false))
        run.session.reset(run.streams[0], .cancel)
        run.read(Frame.data(1, "late") + Frame.headers(1, block: Frame.indexed("c", "d")))
        run.begin()
        run.read(Frame.headers(3, block: [0x88, 0xBE, 0xBF]))
        #expect(
            run.finish().events == [.settings, .head(1, 200, ["a: b"]), .head(3, 200, ["c: d", "a: b"]), .end(3, [])])
    }
}

// SessionConnectionFaultTests: connection errors: the connection ends, the peer learns the reason, and the session
// reads no further.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionConnectionFaultTests {
    private typealias Frame = PeerFrame
    private static let head = Frame.headers(1, [":status": "200"], ends: false)

    /// A fault: the bytes that are read, the kind and the text of the error, and the code in GOAWAY.
    struct Fault: Sendable, CustomTestStringConvertible {
        var text: String
        var frames: [UInt8]
        var code: UInt32
        var kind: CallError.Kind

        init(_ text: String, _ frames: [UInt8], code: UInt32 = 1, kind: CallError.Kind = .invalidResponse) {
            self.text = text
            self.frames = frames
            self.code = code
            self.kind = kind
        }

        var testDescription: String { text }
    }

    private func check(_ fault: Fault, _ feeder: SessionFeeder = .streams(2)) {
        // Bytes after the fault are not read.
        let outcome = feeder.feedInEveryWay(fault.frames + Frame.headers(3, [":status": "200"]))
        #expect(outcome.error?.kind == fault.kind)
        #expect(outcome.error?.description == fault.text)
        #expect(outcome.sent.last == .goAway(fault.code))
        #expect(outcome.sent.count { $0.type == 7 } == 1)
        #expect(!outcome.events.contains(.head(3, 200, [])))
    }

    // MARK: The beginning (RFC 9113 section 3.4)

    private static let noSettings = "the server does not begin with SETTINGS: it does not speak HTTP/2 here"
    private static let isHTTP1 = "the server answers in HTTP/1: it does not speak HTTP/2 here"

    @Test(
        "A connection begins with SETTINGS, which are no acknowledgement",
        arguments: [
            Fault(noSettings, Frame.ping()), Fault(noSettings, head), Fault(noSettings, Frame.frame(4, 1)),
            Fault(noSettings, Frame.frame(4, 0, 1)), Fault(noSettings, Frame.frame(0xFF, 0, 0)),
            Fault(noSettings, Frame.goAway(last: 0, 0)),
            Fault(noSettings, latin1("220 mail.test ESMTP\r\n")), Fault(noSettings, latin1("HTTQ/1.1 200 OK\r\n\r\n")),
            Fault(isHTTP1, latin1("HTTP/1.1 400 Bad Request\r\n\r\n")),
            Fault(isHTTP1, latin1("HTTP/1.0 200 OK\r\n\r\n")),
            Fault("a frame of 16385 bytes, and 16384 are allowed", Frame.frame(4, 0, 0, length: 16_385), code: 6),
            Fault("a SETTINGS frame of 5 bytes", Frame.frame(4, 0, 0, [0, 3, 0, 0, 0]), code: 6),
        ])
    func beginnings(_ fault: Fault) {
        var feeder = SessionFeeder()
        feeder.hasPreface = false
        check(fault, feeder)
    }

    @Test("The first bytes of an HTTP/1 answer say enough")
    func shortAnswer() {
        var run = SessionRun()
        run.read(latin1("HTTP"))
        let before = run.outcome.error
        #expect(before == nil)
        run.read(latin1("/"))
        let outcome = run.finish()
        #expect(outcome.error?.description == Self.isHTTP1)
        #expect(outcome.sent == [.goAway(1)])
    }

    // MARK: Sizes (sections 4.2 and 6)

    @Test(
        "A frame of a wrong size ends the connection: FRAME_SIZE_ERROR",
        arguments: [
            Fault(
                "a frame of 16385 bytes, and 16384 are allowed", head + Frame.frame(0, 0, 1, length: 16_385), code: 6),
            Fault(
                "a frame of 16777215 bytes, and 16384 are allowed", Frame.frame(0x77, 0, 0, length: 0xFF_FFFF), code: 6),
            Fault("a PING frame of 7 bytes", Frame.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7]), code: 6),
            Fault("a PING frame of 9 bytes", Frame.frame(6, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8, 9]), code: 6),
            Fault("a PRIORITY frame of 4 bytes", Frame.frame(2, 0, 1, [0, 0, 0, 0]), code: 6),
            Fault("a PRIORITY frame of 6 bytes", Frame.frame(2, 0, 1, [0, 0, 0, 0, 0, 0]), code: 6),
            Fault("a RST_STREAM frame of 3 bytes", Frame.frame(3, 0, 1, [0, 0, 0]), code: 6),
            Fault("a RST_STREAM frame of 5 bytes", Frame.frame(3, 0, 1, [0, 0, 0, 0, 0]), code: 6),
            Fault("a SETTINGS frame of 1 bytes", Frame.frame(4, 0, 0, [0]), code: 6),
            Fault("a SETTINGS frame of 7 bytes", Frame.frame(4, 0, 0, [0, 3, 0, 0, 0, 1, 0]), code: 6),
            Fault("a SETTINGS frame of 6 bytes", Frame.frame(4, 1, 0, [0, 3, 0, 0, 0, 1]), code: 6),
            Fault("a GOAWAY frame of 7 bytes", Frame.frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0]), code: 6),
            Fault("a WINDOW_UPDATE frame of 3 bytes", Frame.frame(8, 0, 0, [0, 0, 1]), code: 6),
            Fault("a WINDOW_UPDATE frame of 5 bytes", Frame.frame(8, 0, 1, [0, 0, 0, 0, 1]), code: 6),
            Fault("a HEADERS frame of 4 bytes", Frame.frame(1, 0x25, 1, [0, 0, 0, 0]), code: 6),
            Fault("a HEADERS frame of 6 bytes", Frame.frame(1, 0x2D, 1, [1, 0, 0, 0, 0, 0]), code: 6),
            Fault("a DATA frame of 0 bytes", head + Frame.frame(0, 8, 1), code: 6),
        ])
    func sizes(_ fault: Fault) { check(fault) }

    @Test("A frame that must have a byte and has none is refused when it has come, not with the next one")
    func missingPadding() {
        let outcome = SessionFeeder().feedInEveryWay(Self.head + Frame.frame(0, 9, 1))
        #expect(outcome.sent == [.goAway(6)])
    }

    @Test(
        "More padding than bytes ends the connection",
        arguments: [
            Fault("a DATA frame has more padding than bytes", head + Frame.frame(0, 8, 1, [1])),
            Fault("a DATA frame has more padding than bytes", head + Frame.frame(0, 8, 1, [4, 0, 0, 0])),
            Fault("a HEADERS frame has more padding than bytes", Frame.frame(1, 0x0C, 1)),
            Fault("a HEADERS frame has more padding than bytes", Frame.frame(1, 0x0C, 1, [1])),
            Fault("a HEADERS frame has more padding than bytes", Frame.frame(1, 0x0C, 1, [255, 0x88])),
        ])
    func padding(_ fault: Fault) { check(fault) }

    // MARK: Streams (section 5.1)

    @Test(
        "A frame on a wrong stream ends the connection",
        arguments: [
            Fault("a SETTINGS frame on a stream", Frame.frame(4, 0, 1)),
            Fault("a SETTINGS frame on a stream", Frame.frame(4, 1, 1)),
            Fault("a PING frame on a stream", Frame.frame(6, 0, 1, [UInt8](repeating: 0, count: 8))),
            Fault("a GOAWAY frame on a stream", Frame.frame(7, 0, 1, [UInt8](repeating: 0, count: 8))),
            Fault("a PRIORITY frame on no stream", Frame.frame(2, 0, 0, [0, 0, 0, 0, 0])),
            Fault("a DATA frame on stream 0, which was never begun", Frame.data(0, "x")),
            Fault("a DATA frame on stream 0, which was never begun", Frame.data(0, "", padding: 0)),
            Fault("a HEADERS frame on stream 0, which was never begun", Frame.headers(0, [":status": "200"])),
            Fault("a RST_STREAM frame on stream 0, which was never begun", Frame.reset(0, 0)),
            Fault("a DATA frame on stream 5, which was never begun", Frame.data(5, "x")),
            Fault("a HEADERS frame on stream 5, which was never begun", Frame.headers(5, [":status": "200"])),
            Fault("a RST_STREAM frame on stream 5, which was never begun", Frame.reset(5, 0)),
            Fault("a WINDOW_UPDATE frame on stream 5, which was never begun", Frame.windowUpdate(5, 1)),
            Fault("a DATA frame on stream 2, which was never begun", Frame.data(2, "x")),
            Fault("a HEADERS frame on stream 2, which was never begun", Frame.headers(2, [":status": "200"])),
            Fault("a RST_STREAM frame on stream 2, which was never begun", Frame.reset(2, 0)),
            Fault("a WINDOW_UPDATE frame on stream 2, which was never begun", Frame.windowUpdate(2, 1)),
            Fault(
                "a HEADERS frame on stream 2147483647, which was never begun",
                Frame.headers(0xFFFF_FFFF, [":status": "200"])),
        ])
    func streams(_ fault: Fault) { check(fault) }

    @Test(
        "The server was told not to push",
        arguments: [
            Fault("the server promises a push, which the client disabled", Frame.frame(5, 4, 1, [0, 0, 0, 2, 0x82])),
            Fault("the server promises a push, which the client disabled", Frame.frame(5)),
            Fault("SETTINGS_ENABLE_PUSH is 1, from a server", Frame.settings((2, 1))),
            Fault("SETTINGS_ENABLE_PUSH is 4294967295, from a server", Frame.settings((1, 7), (2, .max))),
        ])
    func push(_ fault: Fault) { check(fault) }

    // MARK: Field sections (sections 4.3 and 6.10)

    private static let interrupted = "a field section is interrupted by another frame"

    @Test(
        "Nothing may stand between HEADERS and their CONTINUATION frames",
        arguments: [
            Frame.data(1, "x"), Frame.headers(1, [":status": "200"]), Frame.headers(3, [":status": "200"]),
            Frame.ping(), Frame.settings(), Frame.frame(4, 1), Frame.windowUpdate(0, 1), Frame.reset(1, 0),
            Frame.goAway(last: 0, 0), Frame.frame(2, 0, 1, [0, 0, 0, 0, 0]), Frame.frame(0xFF, 0, 1),
            Frame.continuation(3, []), Frame.continuation(0, []), Frame.frame(5, 4, 1, [0, 0, 0, 2]),
        ])
    func interruptions(_ frame: [UInt8]) {
        let open = Frame.headers(1, block: [0x88], endsBlock: false)
        check(Fault(Self.interrupted, open + frame))
        check(Fault(Self.interrupted, open + Frame.continuation(1, [], endsBlock: false) + frame))
    }

    @Test(
        "A CONTINUATION of nothing ends the connection",
        arguments: [
            Fault("a CONTINUATION frame without a HEADERS frame before it", Frame.continuation(1, [0x88])),
            Fault("a CONTINUATION frame without a HEADERS frame before it", Frame.continuation(0, [])),
            Fault("a CONTINUATION frame without a HEADERS frame before it", head + Frame.continuation(1, [0x88])),
            Fault(
                "a CONTINUATION frame without a HEADERS frame before it",
                Frame.headers(1, block: [0x88], endsBlock: false) + Frame.continuation(1, [])
                    + Frame.continuation(1, [])),
        ])
    func continuations(_ fault: Fault) { check(fault) }

    @Test("A head in 129 parts ends the connection, whatever they hold (CVE-2024-27316)")
    func continuationFlood() {
        let text = "a head is longer than 262144 bytes, or in more than 128 parts (limits.headBytes)"
        for part in [[], [0x88]] as [[UInt8]] {
            let parts = [[UInt8]](repeating: Frame.continuation(1, part, endsBlock: false), count: 128).joined()
            let outcome = SessionFeeder().feed(Frame.headers(1, block: [0x88], endsBlock: false) + parts)
            #expect(outcome.error == WireError(.limitExceeded, text))
            #expect(outcome.sent == [.goAway(11)])
        }
    }

    @Test("A head in many parts is held only up to the limit of its call, or of the connection if it is nobody's")
    func longContinuation() {
        let part = Frame.continuation(1, [UInt8](repeating: 0x88, count: 10_000), endsBlock: false)
        for isRunning in [true, false] {
            var (request, limits) = (FedRequest(), Limits())
            request.limits.headBytes = isRunning ? 25_000 : 1_000_000
            limits.headBytes = isRunning ? 1_000_000 : 25_000
            var run = SessionRun([request], limits)
            if !isRunning { run.session.reset(run.streams[0], .cancel) }
            run.read(Frame.settings() + Frame.headers(1, block: [0x88], endsBlock: false) + part + part)
            let before = run.outcome.error
            #expect(before == nil)
            run.read(part)
            let outcome = run.finish()
            #expect(
                outcome.error?.description
                    == "a head is longer than 25000 bytes, or in more than 128 parts (limits.headBytes)")
            #expect(outcome.sent.last == .goAway(11))
        }
    }

    @Test(
        "Fields that cannot be decompressed end the connection, on whatever stream: COMPRESSION_ERROR",
        arguments: [
            ([0x80], "index 0, at byte 0"), ([0xBE], "index 62 of 61, at byte 0"),
            ([0x88, 0x3F, 0xE2, 0x1F], "a size update after a field, at byte 1"),
            ([0x3F, 0xE2, 0x1F], "a size update to 4097, above 4096, at byte 0"),
            ([0x00, 0x05, 0x61], "a string of 5 bytes where 1 are left, at byte 1"),
        ] as [([UInt8], String)])
    func compression(_ block: [UInt8], _ text: String) {
        let whole = "the compressed fields are broken: " + text
        check(Fault(whole, Frame.headers(1, block: block), code: 9))
        check(
            Fault(
                whole, Frame.headers(1, block: [], endsBlock: false) + Frame.continuation(1, block), code: 9))
        // Trailers, and a head of a closed stream.
        check(Fault(whole, Self.head + Frame.headers(1, block: block), code: 9))
        check(Fault(whole, Frame.reset(1, 0) + Frame.headers(1, block: block), code: 9))
    }

    @Test("FAULT 4: fields that decode to several times the limit end the connection, on whatever stream")
    func fieldFlood() {
        let text =
            "the compressed fields are several times larger than is accepted (limits.headBytes, limits.trailerBytes)"
        let first = Frame.indexed(String(repeating: "n", count: 4_000), "")
        // Literals with indexing, literals without, and references to an entry.
        for field in [[0x7E, 0x00], [0x0F, 0x2F, 0x00], [0xBE]] as [[UInt8]] {
            let fields = [[UInt8]](repeating: field, count: 4_000).joined()
            let flood = Frame.headers(1, block: first + fields)
            // A head, trailers, and a head of a closed stream.
            for before in [[], Self.head, Frame.reset(1, 0)] as [[UInt8]] {
                let outcome = SessionFeeder().feed(before + flood)
                #expect(outcome.error == WireError(.limitExceeded, text))
                #expect(outcome.sent.last == .goAway(11))
            }
        }
    }

    // MARK: Settings and windows (sections 6.5.2 and 6.9)

    @Test(
        "Settings out of bounds end the connection",
        arguments: [
            Fault(
                "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1: 2147483648", Frame.settings((4, 0x8000_0000)), code: 3),
            Fault("SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1: 4294967295", Frame.settings((4, .max)), code: 3),
            Fault("SETTINGS_MAX_FRAME_SIZE is out of bounds: 16383", Frame.settings((5, 16_383))),
            Fault("SETTINGS_MAX_FRAME_SIZE is out of bounds: 16777216", Frame.settings((5, 16_777_216))),
            Fault("SETTINGS_MAX_FRAME_SIZE is out of bounds: 0", Frame.settings((3, 1), (5, 0))),
            Fault(
                "the window of stream 1 is widened beyond 2^31 - 1",
                Frame.windowUpdate(1, 0x7FFF_0000) + Frame.settings((4, 65_536)), code: 3),
        ])
    func settings(_ fault: Fault) { check(fault) }

    @Test(
        "The connection's window is widened by something, and not beyond 2^31 - 1",
        arguments: [
            Fault("a WINDOW_UPDATE frame with an increment of 0", Frame.windowUpdate(0, 0)),
            Fault("a WINDOW_UPDATE frame with an increment of 0", Frame.windowUpdate(0, 0x8000_0000)),
            Fault("the connection's window is widened beyond 2^31 - 1", Frame.windowUpdate(0, 0x7FFF_FFFF), code: 3),
            Fault(
                "the connection's window is widened beyond 2^31 - 1",
                Frame.windowUpdate(0, 0x7FFF_0000) + Frame.windowUpdate(0, 1), code: 3),
        ])
    func windows(_ fault: Fault) { check(fault) }

    @Test("FAULT 5: bounds of settings and windows are allowed")
    func bounds() {
        let outcome = SessionFeeder().feedInEveryWay(
            Frame.settings((2, 0), (4, 0x7FFF_FFFF), (5, 16_384), (5, 16_777_215), (1, .max), (3, .max), (6, .max))
                + Frame.windowUpdate(0, 0x7FFF_0000) + Frame.settings((4, 0), (1, 0)))
        #expect(outcome.error == nil)
        #expect(outcome.events == [.settings, .writable(nil), .settings])
    }
}

// SessionFloodTests: frames that cost the client work without progress: the session accepts a fixed number in ten
// seconds, and no more.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionFloodTests {
    private typealias Frame = PeerFrame

    /// A closed stream, a stream whose body is arriving, and a stream that waits.
    private static let before =
        Frame.settings() + Frame.headers(1, [":status": "200"]) + Frame.headers(3, [":status": "200"], ends: false)

    private static let idle: [(String, [UInt8])] = [
        ("PING", Frame.ping()), ("answers to PING", Frame.frame(6, 1, 0, [UInt8](repeating: 0, count: 8))),
        ("SETTINGS", Frame.settings()), ("SETTINGS with a new window", Frame.settings((4, 1), (4, 2))),
        ("acknowledgements of SETTINGS", Frame.frame(4, 1)),
        ("empty DATA", Frame.data(3, "", ends: false)),
        ("padded empty DATA", Frame.data(3, "", ends: false, padding: 9)),
        ("empty DATA on a stream that is over", Frame.data(1, "")),
        ("short DATA on a stream that is over", Frame.data(1, "x", ends: false)),
        ("RST_STREAM of a stream that is over", Frame.reset(1, 8)),
        ("HEADERS on a stream that is over", Frame.headers(1, [":status": "200"])),
        ("WINDOW_UPDATE of a stream that is over", Frame.windowUpdate(1, 1)),
        ("WINDOW_UPDATE of a stream", Frame.windowUpdate(3, 1)), ("WINDOW_UPDATE", Frame.windowUpdate(0, 1)),
        ("PRIORITY", Frame.frame(2, 0, 1, [0, 0, 0, 0, 0])), ("GOAWAY", Frame.goAway(last: 0x7FFF_FFFF, 0)),
        ("unknown frames", Frame.frame(0xEE, 0, 9, [1, 2, 3])),
    ]

    private static let error = WireError(
        .limitExceeded, "the server sent more than 1000 frames in a row that are of no use")

    private func run() -> SessionRun {
        var run = SessionRun([FedRequest(), FedRequest(), FedRequest(isWhole: false)])
        run.now = 100_000_000_000
        run.read(Self.before)
        return run
    }

    private func flood(_ frame: [UInt8], _ count: Int) -> [UInt8] {
        Array([[UInt8]](repeating: frame, count: count).joined())
    }

    @Test("A thousand are borne, one more is not: ENHANCE_YOUR_CALM", arguments: idle.indices)
    func refused(_ index: Int) {
        let frame = Self.idle[index].1
        var run = run()
        run.read(flood(frame, 1_000))
        let before = run.outcome.error
        #expect(before == nil, "\(Self.idle[index].0)")
        run.read(frame)
        let outcome = run.finish()
        #expect(outcome.error == Self.error, "\(Self.idle[index].0)")
        #expect(outcome.sent.last == .goAway(11))
    }

    @Test("They are counted together, whatever they are")
    func together() {
        let frames = Self.idle.map(\.1)
        let all = (0..<1_001).map { frames[$0 % frames.count] }
        var run = run()
        run.read(Array(all.dropLast().joined()))
        let before = run.outcome.error
        #expect(before == nil)
        run.read(all[1_000])
        #expect(run.finish().error == Self.error)
    }

    @Test("Over more than ten seconds they are no flood", arguments: idle.indices)
    func slowly(_ index: Int) {
        var run = run()
        for _ in 0..<3 {
            run.read(flood(Self.idle[index].1, 999))
            run.now += 10_000_000_001
        }
        #expect(run.finish().error == nil, "\(Self.idle[index].0)")
    }

    @Test("Within ten seconds they are one, however many reads they come in")
    func quickly() {
        var run = run()
        for _ in 0..<1_000 {
            run.read(Frame.ping())
            run.now += 9_000_000
        }
        let before = run.outcome.error
        #expect(before == nil)
        run.read(Frame.ping())
        #expect(run.finish().error == Self.error)
    }

    @Test(
        "Something useful between them starts the count again",
        arguments: [
            Frame.data(3, "x", ends: false), Frame.data(3, ""), Frame.headers(3, ["a": "b"]),
            Frame.headers(5, [":status": "200"]), Frame.headers(5, [":status": "200"], ends: false),
        ])
    func usefully(_ useful: [UInt8]) {
        var run = run()
        run.read(flood(Frame.ping(), 1_000) + useful + flood(Frame.ping(), 1_000))
        let before = run.outcome.error
        #expect(before == nil)
        run.read(Frame.ping())
        #expect(run.finish().error == Self.error)
    }

    @Test(
        "A stream that the client gives up starts the count again, and one that fails does not",
        arguments: [true, false])
    func afterCancelling(_ isCancelled: Bool) {
        var run = run()
        run.read(flood(Frame.data(1, ""), 1_000))
        run.session.reset(run.streams[1], isCancelled ? .cancel : .protocolError)
        run.read(flood(Frame.data(1, ""), 1_000))
        #expect(run.finish().error == (isCancelled ? nil : Self.error))
    }

    @Test("Sent parts of a body start it again: an upload may be answered by many WINDOW_UPDATEs")
    func uploads() {
        var run = run()
        for _ in 0..<3_000 {
            _ = run.session.beginData(1, endsStream: false, on: run.streams[2])
            run.read(Frame.windowUpdate(0, 1) + Frame.windowUpdate(5, 1))
        }
        #expect(run.finish().error == nil)
    }

    @Test("Informational responses do not start it again")
    func informational() {
        var run = run()
        run.read(
            flood(Frame.ping(), 1_000) + Frame.headers(5, [":status": "103"], ends: false) + Frame.ping())
        #expect(run.finish().error == Self.error)
    }

    @Test("What is still on its way of a body that was given up is none, in frames of a kilobyte too")
    func givenUp() {
        var run = run()
        run.session.reset(run.streams[1], .cancel)
        // The stream's window is 2^20.
        run.read(flood(Frame.data(3, [UInt8](repeating: 0, count: 1_000), ends: false), 1_048))
        #expect(run.finish().error == nil)
    }

    @Test("What is left of a given up body counts by its bytes, and in frames below 256 bytes by its frames")
    func shortLateData() {
        var run = run()
        run.session.reset(run.streams[1], .cancel)
        run.read(flood(Frame.data(3, [UInt8](repeating: 0, count: 256), ends: false), 2_000))
        let before = run.outcome.error
        #expect(before == nil)
        run.read(flood(Frame.data(3, [UInt8](repeating: 0, count: 255), ends: false), 1_001))
        #expect(run.finish().error == Self.error)
    }

    @Test("Sixteen MiB of it are: nobody wanted that much", arguments: [1_024, 16_384])
    func withoutEnd(_ size: Int) {
        var run = run()
        run.session.reset(run.streams[1], .cancel)
        let megabyte = flood(Frame.data(3, [UInt8](repeating: 0, count: size), ends: false), (1 << 20) / size)
        for _ in 0..<15 { run.read(megabyte) }
        let before = run.outcome.error
        #expect(before == nil)
        run.read(megabyte)
        #expect(run.finish().error == Self.error)
    }
}

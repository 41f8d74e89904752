// SessionStreamTests: streams: their numbers, their positions, and their limit (RFC 9113 section 5.1).

import HTTPTypes
import Testing
import TsubameCore

@testable import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionStreamTests {
    private typealias Frame = PeerFrame

    private func answer(_ stream: UInt32) -> [UInt8] { Frame.headers(stream, [":status": "200"]) }

    @Test("Numbers are odd and rise, and a place is used again as soon as it is free")
    func numbers() {
        var run = SessionRun([FedRequest](repeating: FedRequest(), count: 3))
        #expect(run.streams.map(\.id) == [1, 3, 5])
        #expect(run.streams.map(\.slot) == [0, 1, 2])
        run.read(Frame.settings() + answer(3))
        run.begin()
        #expect(run.streams[3] == HTTP2Stream(id: 7, slot: 1))
        let isRunning = run.streams.map { run.session.isRunning($0) }
        #expect(isRunning == [true, false, true, true])
    }

    @Test("A long stream among thousands of short ones keeps its place; their places do not grow in number")
    func longStream() throws {
        var run = SessionRun([FedRequest(), FedRequest(method: "POST", isWhole: false)])
        run.read(Frame.settings() + Frame.headers(1, [":status": "200"], ends: false) + answer(3))
        var last: UInt32 = 3
        for _ in 0..<5_000 {
            run.begin()
            let stream = try #require(run.streams.last)
            #expect(stream.id > last && stream.id % 2 == 1 && stream.slot == 1)
            last = stream.id
            run.read(answer(stream.id))
            let count = run.session.count
            #expect(count == 1)
        }
        // At most one number of 32 is skipped.
        #expect(last < 10_400)
        _ = run.takeEvents()
        run.read(Frame.data(1, "still there"))
        let outcome = run.finish()
        #expect(outcome.events == [.body(1, "still there"), .end(1, [])])
        #expect(outcome.error == nil && outcome.running == 0)
    }

    @Test("Many streams at once each have a place of their own, and are answered in any order")
    func manyStreams() {
        var run = SessionRun([FedRequest](repeating: FedRequest(), count: 1_000))
        #expect(run.streams.map(\.slot) == Array(0..<1_000))
        #expect(run.streams.map(\.id) == Array(stride(from: UInt32(1), to: 2_000, by: 2)))
        run.read(Frame.settings())
        _ = run.takeEvents()
        for stream in run.streams.reversed() { run.read(answer(stream.id)) }
        let outcome = run.finish()
        #expect(outcome.events.count == 2_000 && outcome.running == 0)
        #expect(outcome.events.last == .end(1, []))
    }

    @Test("There is room for a hundred until the peer says something else, for what it says, and for 256 at most")
    func room() {
        var run = SessionRun()
        func check(_ room: Int, sourceLocation: SourceLocation = #_sourceLocation) {
            let found = run.session.availableStreams
            #expect(found == room, sourceLocation: sourceLocation)
        }
        check(99)
        run.read(Frame.settings())
        check(99)
        for (most, room) in [(3, 2), (1, 0), (0, 0), (256, 255), (1_000, 255), (.max, 255), (100, 99)]
            as [(UInt32, Int)]
        {
            run.read(Frame.settings((3, most)))
            check(room)
        }
        run.read(Frame.settings((3, 2)))
        run.begin()
        check(0)
        run.read(answer(1))
        check(1)
        run.session.reset(run.streams[1], .cancel)
        check(2)
    }

    @Test(
        "A peer that goes away wants no new streams, whatever its settings say",
        arguments: [0, 1, 0x7FFF_FFFF] as [UInt32])
    func goAway(_ last: UInt32) {
        var run = SessionRun()
        var isGoingAway = run.session.isGoingAway
        #expect(!isGoingAway)
        run.read(Frame.settings() + Frame.goAway(last: last, 0) + Frame.settings((3, 100)))
        isGoingAway = run.session.isGoingAway
        let room = run.session.availableStreams
        #expect(isGoingAway && room == 0)
    }

    @Test("A stream that the peer has not processed is let go without a word")
    func forgotten() {
        var run = SessionRun()
        run.read(Frame.settings() + Frame.goAway(last: 0, 0))
        _ = run.takeSent()
        run.session.forget(run.streams[0])
        let outcome = run.finish()
        #expect(outcome.running == 0 && outcome.sent.isEmpty)
    }

    @Test("A stream is reset once, with its code")
    func resets() {
        var run = SessionRun()
        run.session.reset(run.streams[0], .cancel)
        run.session.reset(run.streams[0], .cancel)
        #expect(run.takeSent() == [.reset(1, 8)])
        run.begin()
        run.session.reset(run.streams[0], .cancel)
        #expect(run.finish().running == 1)
    }

    @Test("Before its numbers run out a connection has no room; when they have, no stream is begun")
    func exhaustion() throws {
        var run = SessionRun([])
        run.session.streams = HTTP2StreamTable(after: 0x7FFE_FFFD)
        var room = run.session.availableStreams
        #expect(room == 100)
        run.begin()
        room = run.session.availableStreams
        #expect(room == 99)
        run.begin()
        room = run.session.availableStreams
        #expect(run.streams.map(\.id) == [0x7FFE_FFFF, 0x7FFF_0001])
        #expect(room == 0)

        run.session.streams = HTTP2StreamTable(after: 0x7FFF_FFFB)
        run.begin()
        run.begin()
        #expect(run.streams.suffix(2).map(\.id) == [0x7FFF_FFFD, 0x7FFF_FFFF])
        _ = run.takeSent()
        for _ in 0..<3 {
            do throws(WireError) {
                try SentRequest(headers: [.accept: "x"]).open(in: &run.session)
                Issue.record("a number above 2^31 - 1")
            } catch {
                #expect(error == WireError(.connectionLost, "the connection has used all its stream numbers"))
            }
        }
        #expect(run.takeSent().isEmpty)
        run.read(Frame.settings() + answer(0x7FFF_FFFF) + answer(0x7FFF_FFFD))
        let outcome = run.finish()
        #expect(outcome.error == nil && outcome.running == 0 && outcome.events.count == 5)
    }
}

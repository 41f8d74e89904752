// SessionWindowTests: flow control: the bytes that may be sent, and the windows that are opened again (RFC 9113
// sections 5.2 and 6.9).

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionWindowTests {
    private typealias Frame = PeerFrame

    private static let upload = FedRequest(method: "POST", isWhole: false)

    /// Sends as much as the windows allow, up to `limit`.
    private func send(_ limit: Int = .max, on index: Int = 0, in run: inout SessionRun) -> Int {
        var sent = 0
        while sent < limit {
            let count = min(run.session.sendable(on: run.streams[index]), limit - sent)
            guard count > 0 else { break }
            let header = run.session.beginData(count, endsStream: false, on: run.streams[index])
            #expect(header.length == count && header.type == 0 && header.flags == 0)
            sent += count
        }
        return sent
    }

    // MARK: Sending

    @Test("Each frame is of 16 KiB at most, or what the peer allows, but not above 64 KiB")
    func frameSizes() {
        var run = SessionRun([Self.upload])
        run.read(Frame.settings((4, 1 << 20)) + Frame.windowUpdate(0, 1 << 20))
        func sendable() -> Int { run.session.sendable(on: run.streams[0]) }
        #expect(sendable() == 16_384)
        run.read(Frame.settings((5, 20_000)))
        #expect(sendable() == 20_000)
        run.read(Frame.settings((5, 0xFF_FFFF)))
        #expect(sendable() == 65_536)
    }

    @Test("At first each stream, and all together, may send 65,535 bytes")
    func initialWindows() {
        var run = SessionRun([Self.upload, Self.upload])
        run.read(Frame.settings())
        #expect(send(60_000, in: &run) == 60_000)
        #expect(send(on: 1, in: &run) == 5_535)
        #expect(send(in: &run) == 0)
        run.read(Frame.windowUpdate(0, 100_000))
        #expect(send(in: &run) == 5_535)
        #expect(send(on: 1, in: &run) == 60_000)
        run.read(Frame.windowUpdate(1, 10) + Frame.windowUpdate(3, 5))
        #expect(send(in: &run) == 10)
        #expect(send(on: 1, in: &run) == 5)
        #expect(run.takeEvents() == [.settings, .writable(nil), .writable(1), .writable(3)])
    }

    @Test("The peer's initial window holds for streams to come, and its change for those that run")
    func initialWindowSize() {
        var run = SessionRun([Self.upload])
        run.read(Frame.settings((4, 100)) + Frame.windowUpdate(0, 1 << 20))
        run.begin(Self.upload)
        #expect(send(on: 0, in: &run) == 100)
        #expect(send(40, on: 1, in: &run) == 40)
        run.read(Frame.settings((4, 150)))
        #expect(send(on: 0, in: &run) == 50)
        #expect(send(on: 1, in: &run) == 110)
        // The last of several values counts.
        run.read(Frame.settings((4, 1), (4, 151)))
        #expect(send(on: 0, in: &run) == 1)
    }

    @Test("A window that is lowered below what was sent is negative, and nothing goes out until it is not")
    func negativeWindows() {
        var run = SessionRun([Self.upload])
        run.read(Frame.settings() + Frame.windowUpdate(0, 1 << 20))
        #expect(send(60_000, in: &run) == 60_000)
        // 65,535 - 60,000 + (1,000 - 65,535)
        run.read(Frame.settings((4, 1_000)))
        #expect(send(in: &run) == 0)
        run.read(Frame.windowUpdate(1, 59_000))
        #expect(send(in: &run) == 0)
        run.read(Frame.windowUpdate(1, 1))
        #expect(send(in: &run) == 1)
        run.read(Frame.settings((4, 0)))
        run.read(Frame.settings((4, 1_007)))
        #expect(send(in: &run) == 7)
        run.begin(Self.upload)
        #expect(send(on: 1, in: &run) == 1_007)
    }

    @Test("A stream whose window was negative may be widened up to 2^31 - 1, and no further")
    func widestWindow() {
        var run = SessionRun([Self.upload])
        run.read(Frame.settings((4, 10)))
        #expect(send(in: &run) == 10)
        run.read(Frame.settings((4, 0)) + Frame.windowUpdate(1, 0x7FFF_FFFF))
        run.read(Frame.settings((4, 10)))
        let before = run.outcome.error
        #expect(before == nil)
        run.read(Frame.settings((4, 11)))
        #expect(run.finish().error?.description == "the window of stream 1 is widened beyond 2^31 - 1")
    }

    @Test("The last frame of a body says so, and it may be empty, whatever the windows")
    func lastFrame() {
        var run = SessionRun([Self.upload])
        run.read(Frame.settings((4, 0)))
        #expect(run.session.sendable(on: run.streams[0]) == 0)
        let header = run.session.beginData(0, endsStream: true, on: run.streams[0])
        #expect(header.length == 0 && header.flags == 1 && header.stream == 1)
        run.read(Frame.headers(1, [":status": "200"]))
        #expect(run.takeSent() == [.settingsAcknowledgement])
    }

    @Test("Nothing may be sent on a stream that is over, and what was sent there counts for the connection")
    func overStreams() {
        var run = SessionRun([Self.upload, Self.upload])
        run.read(Frame.settings())
        #expect(send(65_000, in: &run) == 65_000)
        run.read(Frame.reset(1, 0))
        #expect(run.session.sendable(on: run.streams[0]) == 0)
        _ = run.session.beginData(500, endsStream: false, on: run.streams[0])
        #expect(send(on: 1, in: &run) == 535)
    }

    // MARK: Receiving

    private static let chunk = [UInt8](repeating: 0, count: 16_384)

    /// Receives frames of 16 KiB; returns the window updates that follow.
    private func receive(_ frames: Int, on stream: UInt32 = 1, in run: inout SessionRun) -> [SentFrame] {
        run.outcome.events.removeAll()
        for _ in 0..<frames {
            run.read(Frame.data(stream, Self.chunk, ends: false))
            // As a connection does after a read.
            for handle in run.streams where handle.id == stream { run.session.refill(handle) }
        }
        let events = run.takeEvents()
        #expect(events == [.body(stream, [UInt8](repeating: 0, count: frames * 16_384))])
        return run.takeSent()
    }

    private func begun(_ fields: KeyValuePairs<String, String> = [":status": "200"], count: Int = 1) -> SessionRun {
        var run = SessionRun([FedRequest](repeating: FedRequest(), count: count))
        run.read(Frame.settings())
        for index in 0..<count { run.read(Frame.headers(UInt32(2 * index + 1), fields, ends: false)) }
        _ = run.takeSent()
        return run
    }

    @Test("A stream's window is filled up when half of it is used, and grows to 1 MiB for a reader that keeps up")
    func streamWindow() {
        var run = begun()
        for _ in 0..<3 { #expect(receive(1, in: &run) == [.windowUpdate(1, 16 << 10)]) }
        // Two windows have come without a pause.
        #expect(receive(1, in: &run) == [.windowUpdate(1, 48 << 10)])
        var updates: [SentFrame] = []
        for _ in 0..<256 { updates += receive(1, in: &run) }
        #expect(
            updates.filter { $0.stream == 1 }.suffix(2) == [.windowUpdate(1, 512 << 10), .windowUpdate(1, 512 << 10)])
    }

    @Test("Padding is part of the window")
    func padding() {
        let body = [UInt8](repeating: 0, count: 16_128)
        for (frame, update) in [
            (Frame.data(1, body, ends: false), []), (Frame.data(1, body, ends: false, padding: 254), []),
            (Frame.data(1, body, ends: false, padding: 255), [SentFrame.windowUpdate(1, 16 << 10)]),
        ] {
            var run = begun()
            run.read(frame)
            run.session.refill(run.streams[0])
            #expect(run.takeSent() == update)
        }
    }

    @Test("A frame that is only padding is given back without a reader")
    func onlyPadding() {
        var run = begun()
        for _ in 0..<63 { run.read(Frame.data(1, "", ends: false, padding: 255)) }
        #expect(run.takeSent().isEmpty)
        run.read(Frame.data(1, "", ends: false, padding: 255))
        #expect(run.takeSent() == [.windowUpdate(1, 16 << 10)])
    }

    @Test("A body that is collected gets the largest window at once, unless it fits into the first one")
    func collectedBody() {
        var run = begun()
        run.session.widen(run.streams[0])
        #expect(run.takeSent().isEmpty)
        run.session.refill(run.streams[0])
        #expect(run.takeSent() == [.windowUpdate(1, (1 << 20) - (32 << 10))])
        #expect(receive(31, in: &run).isEmpty)
        #expect(receive(1, in: &run) == [.windowUpdate(1, 512 << 10)])
        for (length, grows) in [(32 << 10, false), ((32 << 10) + 1, true)] {
            var short = begun([":status": "200", "content-length": "\(length)"])
            short.session.widen(short.streams[0])
            short.session.refill(short.streams[0])
            #expect(short.takeSent().isEmpty != grows)
        }
    }

    @Test("The window of a stream that ends is not given back")
    func endedStream() {
        var run = begun()
        run.read(Frame.data(1, Self.chunk))
        run.session.refill(run.streams[0])
        #expect(run.takeSent().isEmpty)
    }

    @Test("It is not given back while nobody reads, and at once afterwards, as small as at first")
    func pausedStream() {
        var run = begun()
        let stream = run.streams[0]
        run.session.widen(stream)
        run.session.refill(stream)
        _ = run.takeSent()
        run.session.pause(stream)
        var isPaused = run.session.isPaused(stream)
        #expect(isPaused)
        #expect(receive(63, in: &run).isEmpty)
        run.session.resume(stream, wasSlow: true)
        isPaused = run.session.isPaused(stream)
        #expect(!isPaused)
        #expect(run.takeSent() == [.windowUpdate(1, 16 << 10)])
        run.session.pause(stream)
        #expect(receive(1, in: &run).isEmpty)
        run.session.resume(stream, wasSlow: true)
        #expect(run.takeSent() == [.windowUpdate(1, 16 << 10)])
        // Two windows have come since the reader was slow, so the window grows.
        run.session.pause(stream)
        #expect(receive(1, in: &run).isEmpty)
        run.session.resume(stream, wasSlow: false)
        #expect(run.takeSent() == [.windowUpdate(1, 16 << 10)])
        #expect(receive(1, in: &run) == [.windowUpdate(1, 16 << 10)])
        #expect(receive(1, in: &run) == [.windowUpdate(1, 16 << 10)])
        #expect(receive(1, in: &run) == [.windowUpdate(1, 48 << 10)])
        run.read(Frame.reset(1, 0))
        run.session.pause(stream)
        run.session.resume(stream, wasSlow: true)
        run.session.widen(stream)
        isPaused = run.session.isPaused(stream)
        #expect(!isPaused)
    }

    @Test("It is not given back when the rest of the body fits into it", arguments: [0, 1])
    func restFits(_ more: Int) {
        var run = begun([":status": "200", "content-length": "\((32 << 10) + more)"])
        #expect(receive(1, in: &run) == (more > 0 ? [.windowUpdate(1, 16 << 10)] : []))
        run.read(Frame.data(1, Self.chunk, ends: more == 0))
        if more > 0 { run.read(Frame.data(1, [UInt8](repeating: 0, count: more))) }
        let outcome = run.finish()
        #expect(outcome.events.last == .end(1, []) && outcome.sent.isEmpty)
    }

    @Test("Padding takes from a window into which the rest of the body would fit")
    func paddedRest() {
        var run = begun([":status": "200", "content-length": "16400"])
        for index in 0..<164 {
            run.read(Frame.data(1, [UInt8](repeating: 0, count: 100), ends: index == 163, padding: 255))
            run.session.refill(run.streams[0])
        }
        let outcome = run.finish()
        #expect(outcome.error == nil && outcome.events.last == .end(1, []))
    }

    @Test("The connection's window of 8 MiB is given back when half of it is used, read or not")
    func connectionWindow() {
        var run = begun(count: 5)
        for stream in run.streams {
            run.session.widen(stream)
            run.session.refill(stream)
        }
        _ = run.takeSent()
        for stream in run.streams { run.session.pause(stream) }
        for stream in [1, 3, 5] as [UInt32] { #expect(receive(64, on: stream, in: &run).isEmpty) }
        // Also for a stream that was given up.
        #expect(receive(32, on: 7, in: &run).isEmpty)
        run.session.reset(run.streams[3], .cancel)
        _ = run.takeSent()
        for _ in 0..<31 { run.read(Frame.data(7, Self.chunk, ends: false)) }
        #expect(run.takeSent().isEmpty)
        #expect(receive(1, on: 9, in: &run) == [.windowUpdate(0, 4 << 20)])
    }

    @Test("Short responses use the connection's window like others")
    func wholeResponses() {
        var run = SessionRun([FedRequest](repeating: FedRequest(), count: 256))
        run.read(Frame.settings())
        _ = run.takeSent()
        for index in 0..<256 {
            #expect(run.takeSent().isEmpty)
            let stream = UInt32(2 * index + 1)
            run.read(Frame.headers(stream, [":status": "200"], ends: false) + Frame.data(stream, Self.chunk))
        }
        #expect(run.wholes.count == 256)
        #expect(run.takeSent() == [.windowUpdate(0, 4 << 20)])
    }
}

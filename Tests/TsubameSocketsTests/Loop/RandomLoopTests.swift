// RandomLoopTests: random interleavings of members, sockets, deadlines and threads.

import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(5))) struct RandomLoopTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    /// Several threads write to sockets of one loop, which close, come and go and get deadlines by chance. Every byte that
    /// was written to a socket that is read to its end arrives, no member is called after it was removed, and no deadline
    /// is early.
    @Test(arguments: kinds, 0..<8 as Range<UInt64>)
    func `nothing is lost, and no member is told of anything after it has gone`(
        kind: PollerKind, seed: UInt64
    ) async throws {
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<3 as Range<UInt64> {
                group.addTask {
                    var random = SplitMix(seed: seed &* 97 &+ thread)
                    for _ in 0..<60 { await Self.round(loop, &random) }
                }
            }
        }
        let left = try await loop.run { loop.memberCount }
        #expect(left == 0)
    }

    private static func round(_ loop: EventLoop, _ random: inout SplitMix) async {
        guard let ends = try? connectedPair() else {
            Issue.record("no socket pair")
            return
        }
        let near = Socket(taking: ends.near)
        var far: Socket? = Socket(taking: ends.far)
        let watched = Watched(loop, near)
        let ended = watched.ended
        loop.execute { watched.start() }
        var sent = 0
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            switch UInt8.random(in: 0..<4, using: &random) {
            case 0:
                let due = MonotonicClock.now + UInt64.random(in: 0..<200_000, using: &random)
                loop.execute { watched.setDeadline(due) }
            case 1: await Task.yield()
            default:
                let text = String(repeating: "x", count: Int.random(in: 1..<3_000, using: &random))
                if let socket = far.take() {
                    if case .bytes(let count) = socket.write(text) { sent += count }
                    far = consume socket
                }
            }
        }
        if Bool.random(using: &random) {
            far = nil
            await ended.wait()
            #expect(watched.received == sent)
        }
        let (stopped, passed) = (Latch<Bool>(), Latch<Bool>())
        loop.execute {
            watched.stop()
            stopped.settle(true)
        }
        _ = await stopped.wait()
        loop.execute { passed.settle(true) }
        _ = await passed.wait()
        #expect(watched.problems == [])
    }

    /// A member that checks what it is told.
    // All but `ended` and the locked values is confined to the loop.
    private final class Watched: LoopMember, @unchecked Sendable {
        private struct State: Sendable {
            var received = 0
            var problems: [String] = []
        }

        let ended = Signal()
        private let loop: EventLoop
        private var socket: Socket?
        private var id: MemberID?
        private var due = MonotonicClock.never
        private let state = Mutex(State())

        var received: Int { state.withLock { $0.received } }
        var problems: [String] { state.withLock { $0.problems } }

        init(_ loop: EventLoop, _ socket: consuming Socket) {
            self.loop = loop
            self.socket = consume socket
        }

        private func complain(_ problem: String) { state.withLock { $0.problems.append(problem) } }

        func start() {
            guard let socket = socket.take() else { return }
            let id = loop.add(self)
            self.id = id
            if (try? loop.watch(socket.descriptor, for: id)) == nil { complain("the socket cannot be watched") }
            self.socket = consume socket
        }

        func setDeadline(_ time: MonotonicTime) {
            guard let id else { return }
            due = time
            loop.setDeadline(of: id, to: time)
        }

        func stop() {
            if let socket = socket.take() { loop.unwatch(socket.descriptor) }
            if let id { loop.remove(id) }
            id = nil
        }

        func ready(_ states: Readiness) {
            guard id != nil, let socket = socket.take() else {
                return complain("told of \(states) after it was removed")
            }
            // One read in a turn, so that the member also asks to be called again.
            let reading = withUnsafeTemporaryAllocation(byteCount: 1_000, alignment: 1) { socket.read(into: $0) }
            switch reading {
            case .bytes(let count):
                state.withLock { $0.received += count }
                id.map { loop.callAgain($0) }
            case .wouldBlock: loop.arm(socket.descriptor, .readable)
            case .end, .failed: ended.fire()
            }
            self.socket = consume socket
        }

        func deadlinePassed() {
            if id == nil { complain("the deadline of a removed member") }
            if MonotonicClock.now < due { complain("an early deadline") }
            due = MonotonicClock.never
        }
    }
}

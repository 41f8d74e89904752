// ManySocketsTests: more sockets than a program has. Runs alone, since it takes half of the descriptors of the process.

import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.serialized, .timeLimit(.minutes(2))) struct ManySocketsTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    /// A member whose socket is writable, and whose deadline has passed by then.
    // Confined to the loop.
    private final class Awaiting: LoopMember, @unchecked Sendable {
        private let loop: EventLoop
        private let socket: Socket
        private var id: MemberID?
        private(set) var reports = 0
        private(set) var deadlines = 0

        init(_ loop: EventLoop, _ socket: consuming Socket) {
            self.loop = loop
            self.socket = consume socket
        }

        func start() throws {
            let id = loop.add(self)
            self.id = id
            try loop.watch(socket.descriptor, for: id)
            loop.setDeadline(of: id, to: MonotonicClock.now)
        }

        func ready(_ states: Readiness) {
            reports += 1
            if let id { loop.setDeadline(of: id, to: MonotonicClock.never) }
        }

        func deadlinePassed() { deadlines += 1 }

        func stop() {
            loop.unwatch(socket.descriptor)
            if let id { loop.remove(id) }
        }
    }

    /// One wait of a poller may report fewer sockets than are ready.
    @Test(arguments: kinds) func `no deadline passes before each socket that is ready has been reported`(
        kind: PollerKind
    ) async throws {
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        var members: [Awaiting] = []
        for _ in 0..<300 {
            let ends = try connectedPair()
            members += [Awaiting(loop, Socket(taking: ends.near)), Awaiting(loop, Socket(taking: ends.far))]
        }
        let all = members
        try await loop.run { for member in all { try member.start() } }
        // Each of these turns looks at the sockets, and then at the deadlines.
        for _ in 0..<4 { try await loop.run {} }
        let counts = try await loop.run {
            for member in all { member.stop() }
            return [all.map(\.reports), all.map(\.deadlines)]
        }
        #expect(counts == [Array(repeating: 1, count: 600), Array(repeating: 0, count: 600)])
    }

    /// More sockets than one wait reports are ready in each turn, since each end answers the other at once.
    @Test(arguments: kinds) func `a deadline passes although sockets become ready all the time`(
        kind: PollerKind
    ) async throws {
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        var readers: [Reader] = []
        for _ in 0..<300 {
            let ends = try connectedPair()
            readers.append(Reader(loop, Socket(taking: ends.near), echoes: true))
            readers.append(Reader(loop, Socket(taking: ends.far), echoes: true))
        }
        let all = readers
        let passed = Signal()
        let ends = try connectedPair()
        let far = Socket(taking: ends.far)
        let late = Reader(loop, Socket(taking: ends.near)) { if $0.deadlines > 0 { passed.fire() } }
        try await loop.run {
            for reader in all { try reader.start() }
            for reader in all { reader.send("x") }
            try late.start()
            if let id = late.id { loop.setDeadline(of: id, to: MonotonicClock.now) }
        }
        await passed.wait()
        try await loop.run { for reader in all + [late] { reader.stop() } }
        withExtendedLifetime(far) {}
        #expect(all.allSatisfy { !$0.now.text.isEmpty })
    }

    @Test(arguments: kinds) func `ten thousand sockets each get their own bytes`(kind: PollerKind) async throws {
        var limit = rlimit()
        getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        defer { _ = withUnsafePointer(to: before) { setrlimit(.init(RLIMIT_NOFILE.rawValue), $0) } }
        limit.rlim_cur = min(limit.rlim_max, 20_000)
        setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
        let pairs = min(5_000, (Int(clamping: limit.rlim_cur) - 500) / 2)
        try #require(pairs > 0)
        if pairs < 5_000 { print("only \(2 * pairs) sockets: the system allows \(limit.rlim_cur) descriptors") }
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        let done = Signal()
        let answered = Mutex(0)
        var readers: [Reader] = []
        for _ in 0..<pairs {
            let ends = try connectedPair()
            let near = Socket(taking: ends.near)
            let far = Socket(taking: ends.far)
            readers.append(Reader(loop, near, echoes: true))
            readers.append(
                Reader(loop, far) { seen in
                    guard seen.text == "hello" else { return }
                    let isLast = answered.withLock { count in
                        count += 1
                        return count == pairs
                    }
                    if isLast { done.fire() }
                })
        }
        let all = readers
        try await loop.run {
            for reader in all { try reader.start() }
            for index in stride(from: 1, to: all.count, by: 2) { all[index].send("hello") }
        }
        await done.wait()
        let left = try await loop.run {
            for reader in all { reader.stop() }
            return loop.memberCount
        }
        #expect(left == 0)
        #expect(all.allSatisfy { $0.now.text == "hello" })
    }
}

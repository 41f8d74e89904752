// EventLoopTests: work, tasks, sockets and deadlines of a loop, with each poller of this system.

import Dispatch
import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(2))) struct EventLoopTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    private func with<T>(_ kind: PollerKind, _ body: (EventLoop) async throws -> T) async throws -> T {
        let loop = try EventLoop(kind)
        defer { loop.stop() }
        return try await body(loop)
    }

    // MARK: Work and tasks

    /// Also for work that is given during a look, which needs the next one.
    @Test(arguments: kinds) func `work after a look finds what the sockets had`(kind: PollerKind) async throws {
        try await with(kind) { loop in
            let ends = try connectedPair()
            let far = Socket(taking: ends.far)
            let reader = Reader(loop, Socket(taking: ends.near))
            let seen = Mutex<[String]>([])
            let done = Signal()
            try await loop.run { try reader.start() }
            _ = far.write("a")
            try await loop.run {
                loop.afterLook {
                    seen.withLock { $0.append(reader.now.text) }
                    reader.send("answer")
                    loop.afterLook {
                        seen.withLock { $0.append(reader.now.text) }
                        done.fire()
                    }
                }
            }
            await done.wait()
            #expect(seen.withLock { $0 } == ["a", "a"])
            try await loop.run { reader.stop() }
        }
    }

    @Test(arguments: kinds) func `no wake-up is lost, whichever thread gives the work`(kind: PollerKind) async throws {
        try await with(kind) { loop in
            let count = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<2_000 {
                            // One after the other, so that the loop falls asleep in between.
                            let latch = Latch<Bool>()
                            loop.execute {
                                count.add()
                                latch.settle(true)
                            }
                            _ = await latch.wait()
                        }
                    }
                }
            }
            #expect(count.now == 8_000)
        }
    }

    @Test(arguments: kinds) func `a task runs on the loop that it prefers, and on no other`(kind: PollerKind)
        async throws
    {
        try await with(kind) { loop in
            let other = try EventLoop(kind)
            defer { other.stop() }
            #expect(!loop.isCurrent)
            await withTaskExecutorPreference(loop) {
                #expect(loop.isCurrent && !other.isCurrent)
                await withTaskExecutorPreference(other) { #expect(other.isCurrent && !loop.isCurrent) }
                await Task.yield()
                #expect(loop.isCurrent)
            }
        }
    }

    private static func send(_ text: String, to descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { SystemCall.write(descriptor, $0) }
    }

    private final class Order: Sendable { let numbers = Mutex<[Int]>([]) }

    @Test(arguments: kinds) func `more tasks than one turn runs all run once, in order`(kind: PollerKind) async throws {
        try await with(kind) { loop in
            let (held, release) = (Latch<Bool>(), DispatchSemaphore(value: 0))
            let order = Order()
            loop.execute {
                held.settle(true)
                release.wait()
            }
            _ = await held.wait()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<(4 * EventLoop.jobsPerTurn + 7) {
                    group.addTask(executorPreference: loop) { order.numbers.withLock { $0.append(number) } }
                }
                release.signal()
            }
            #expect(order.numbers.withLock { $0 } == Array(0..<(4 * EventLoop.jobsPerTurn + 7)))
        }
    }

    @Test(arguments: kinds) func `tasks that never rest do not keep a socket or a deadline waiting`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop in
            let isOver = Counter()
            let ends = try connectedPair()
            let near = Socket(taking: ends.near)
            let far = Socket(taking: ends.far)
            let (came, passed) = (Signal(), Signal())
            let reader = Reader(loop, near) { seen in
                if seen.text == "x" { came.fire() }
                if seen.deadlines > 0 { passed.fire() }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // More tasks than a turn runs.
                for _ in 0..<EventLoop.jobsPerTurn + 100 {
                    group.addTask(executorPreference: loop) {
                        while isOver.now == 0 { await Task.yield() }
                    }
                }
                try await loop.run { try reader.start() }
                _ = far.write("x")
                await came.wait()
                try await loop.run { reader.id.map { loop.setDeadline(of: $0, to: MonotonicClock.now) } }
                await passed.wait()
                isOver.add()
            }
            try await loop.run { reader.stop() }
        }
    }

    @Test(arguments: kinds) func `a deadline passes as of the look at the sockets, however long their owners take`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop in
            let pairs = try [connectedPair(), connectedPair(), connectedPair()]
            let far = pairs.map(\.far)
            defer { for descriptor in far { _ = close(descriptor) } }
            let state = Mutex((due: MonotonicClock.never, late: MemberID?.none))
            let (isBusy, came) = (Counter(), Signal())
            let late = Reader(loop, Socket(taking: pairs[2].near)) { seen in
                guard seen.text == "x" || seen.deadlines > 0 else { return }
                state.withLock { $0.late }.map { loop.setDeadline(of: $0, to: MonotonicClock.never) }
                came.fire()
            }
            let readers = pairs[..<2].map { pair in
                Reader(loop, Socket(taking: pair.near)) { seen in
                    guard seen.text == "x", isBusy.now == 0 else { return }
                    isBusy.add()
                    while MonotonicClock.now <= state.withLock({ $0.due }) {}
                    Self.send("x", to: far[2])
                }
            }
            try await loop.run { for reader in readers + [late] { try reader.start() } }
            // Each has had its first report by now. One wait then reports the bytes of both.
            for _ in 0..<2 { try await loop.run {} }
            try await loop.run {
                for descriptor in far[..<2] { Self.send("x", to: descriptor) }
                let due = MonotonicClock.now + 20_000_000
                state.withLock { $0 = (due, late.id) }
                late.id.map { loop.setDeadline(of: $0, to: due) }
            }
            await came.wait()
            #expect(late.now.text == "x" && late.now.deadlines == 0)
            try await loop.run { for reader in readers + [late] { reader.stop() } }
        }
    }

    // MARK: Sockets

    @Test(arguments: kinds) func `a report for a closed socket does not reach the one that has its number now`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop in
            // Both have bytes before the loop looks, so one wait reports both. The one that is told first takes the other's
            // place under the same number.
            let pairs = try [connectedPair(), connectedPair(), connectedPair()]
            let newcomer = Mutex<Reader?>(nil)
            let readers = Mutex<[Reader]>([])
            let told = Signal()
            let replace: @Sendable (Int) -> Void = { other in
                guard newcomer.withLock({ $0 == nil }), let number = readers.withLock({ $0[other].release() }) else {
                    return
                }
                dup2(pairs[2].near, number)
                let reader = Reader(loop, Socket(taking: number))
                newcomer.withLock { $0 = reader }
                #expect(throws: Never.self) { try reader.start() }
                loop.execute { loop.execute { told.fire() } }
            }
            let first = Reader(loop, Socket(taking: pairs[0].near)) { _ in replace(1) }
            let second = Reader(loop, Socket(taking: pairs[1].near)) { _ in replace(0) }
            readers.withLock { $0 = [first, second] }
            for pair in pairs.prefix(2) {
                let far = Socket(taking: pair.far)
                #expect(far.write("x") == .bytes(1))
                #expect(far.release() == pair.far)
            }
            try await loop.run {
                try first.start()
                try second.start()
            }
            await told.wait()
            try await loop.run {}
            let late = try #require(newcomer.withLock { $0 })
            #expect(first.now.reports.count + second.now.reports.count == 1)
            #expect(late.now.reports.allSatisfy { $0 == [.writable] }, "\(late.now.reports)")
            try await loop.run {
                for reader in [first, second, late] { reader.stop() }
            }
            for number in pairs.map(\.far) + [pairs[2].near] { close(number) }
        }
    }

    @Test(arguments: kinds) func `the loop tells of a connection, of a refusal, and of a reset`(kind: PollerKind)
        async throws
    {
        try await with(kind) { loop in
            let listener = try Listener()
            let socket = try Socket(for: listener.address)
            _ = try socket.connect(to: listener.address)
            let (connected, reset) = (Signal(), Signal())
            let reader = Reader(loop, socket) { seen in
                if seen.reports.contains(where: { $0.contains(.writable) }) { connected.fire() }
                if seen.end != nil { reset.fire() }
            }
            try await loop.run { try reader.start() }
            await connected.wait()
            let far = try listener.accept()
            try far.resetOnClose()
            far.close()
            await reset.wait()
            #expect(reader.now.end == .failed(SocketError(.read, ECONNRESET)))
            try await loop.run { reader.stop() }
        }
    }

    @Test(arguments: kinds) func `one endless member does not keep a hundred others waiting`(kind: PollerKind)
        async throws
    {
        /// Asks to be called again for as long as it lives.
        // Confined to the loop.
        final class Endless: LoopMember, @unchecked Sendable {
            private let loop: EventLoop
            private(set) var calls = 0
            var id: MemberID?

            init(_ loop: EventLoop) { self.loop = loop }

            func ready(_ states: Readiness) {
                calls += 1
                if let id { loop.callAgain(id) }
            }

            func deadlinePassed() {}
        }
        try await with(kind) { loop in
            let endless = Endless(loop)
            try await loop.run {
                endless.id = loop.add(endless)
                endless.ready([.readable])
            }
            for _ in 0..<100 {
                let ends = try connectedPair()
                let near = Socket(taking: ends.near)
                let far = Socket(taking: ends.far)
                let came = Signal()
                let reader = Reader(loop, near) { seen in if seen.text == "x" { came.fire() } }
                try await loop.run { try reader.start() }
                _ = far.write("x")
                await came.wait()
                try await loop.run { reader.stop() }
            }
            let calls = try await loop.run {
                if let id = endless.id { loop.remove(id) }
                return endless.calls
            }
            #expect(calls > 100)
        }
    }

    @Test(arguments: kinds) func `signals that interrupt the loop lose nothing`(kind: PollerKind) async throws {
        var action = sigaction()
        #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = { _ in }
        #endif
        // Without SA_RESTART, so that system calls fail with EINTR.
        sigaction(SIGUSR2, &action, nil)
        try await with(kind) { loop in
            let thread = try await loop.run { pthread_self() }
            let ends = try connectedPair()
            let near = Socket(taking: ends.near)
            let far = Socket(taking: ends.far)
            let done = Signal()
            let echo = Reader(loop, near, echoes: true)
            let expected = 3_000
            let reader = Reader(loop, far) { seen in if seen.text.utf8.count == expected { done.fire() } }
            try await loop.run {
                try echo.start()
                try reader.start()
            }
            for _ in 0..<expected {
                pthread_kill(thread, SIGUSR2)
                try await loop.run { reader.send("x") }
            }
            await done.wait()
            try await loop.run {
                echo.stop()
                reader.stop()
            }
        }
    }

    // MARK: Deadlines

    @Test(arguments: kinds) func `a deadline passes once, never early, also while the loop would sleep for ever`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop in
            let passed = Signal()
            let time = Mutex<MonotonicTime>(0)
            let ends = try connectedPair()
            defer { close(ends.far) }
            let reader = Reader(loop, Socket(taking: ends.near)) { seen in
                guard seen.deadlines == 1 else { return }
                time.withLock { $0 = MonotonicClock.now }
                passed.fire()
            }
            let due = MonotonicClock.now + 30_000_000
            try await loop.run {
                try reader.start()
                reader.id.map { loop.setDeadline(of: $0, to: due) }
            }
            await passed.wait()
            #expect(time.withLock { $0 } >= due)
            try await loop.run {
                reader.id.map { loop.setDeadline(of: $0, to: MonotonicClock.now) }
                reader.stop()
            }
            try await loop.run {}
            #expect(reader.now.deadlines == 1, "a member that is gone has no deadline")
        }
    }

    @Test(arguments: kinds) func `a member that sets a past deadline again and again does not hold the loop`(
        kind: PollerKind
    ) async throws {
        // Confined to the loop.
        final class Late: LoopMember, @unchecked Sendable {
            private let loop: EventLoop
            var id: MemberID?

            init(_ loop: EventLoop) { self.loop = loop }

            func ready(_ states: Readiness) {}
            func deadlinePassed() { if let id { loop.setDeadline(of: id, to: 1) } }
        }
        try await with(kind) { loop in
            let late = Late(loop)
            try await loop.run {
                late.id = loop.add(late)
                late.deadlinePassed()
            }
            let ends = try connectedPair()
            let far = Socket(taking: ends.far)
            let came = Signal()
            let reader = Reader(loop, Socket(taking: ends.near)) { seen in if seen.text == "x" { came.fire() } }
            try await loop.run { try reader.start() }
            _ = far.write("x")
            await came.wait()
            try await loop.run {
                reader.stop()
                if let id = late.id { loop.remove(id) }
            }
        }
    }

    // MARK: The process

    @Test func `a loop says that it has no thread in a forked process`() async throws {
        #if canImport(Glibc)
        typealias Fork = @convention(c) () -> pid_t
        let fork = try #require(dlsym(nil, "fork").map { unsafeBitCast($0, to: Fork.self) })
        let loop = try EventLoop()
        defer { loop.stop() }
        try loop.checkFork()
        let child = fork()
        if child == 0 {
            do {
                try loop.checkFork()
                _exit(1)
            } catch {
                _exit(error == SocketError(.use, ECHILD) ? 42 : 2)
            }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        #expect(status >> 8 & 255 == 42)
        try loop.checkFork()
        #endif
    }
}

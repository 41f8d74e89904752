// CallerRunTests: loops without a thread of their own, which threads run one after another.

import Dispatch
import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(2))) struct CallerRunTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    /// Counts without a lock. Only a loop's confinement makes that right.
    private final class Unguarded: @unchecked Sendable {
        var count = 0
    }

    /// Keeps jobs, as the executor of a waiting thread does, or gives them to a loop.
    private final class Jobs: TaskExecutor {
        let all = Mutex<[UnownedJob]>([])
        let loop = Mutex<EventLoop?>(nil)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if let loop = loop.withLock({ $0 }) { return loop.enqueue(job, for: asUnownedTaskExecutor()) }
            all.withLock { $0.append(job) }
        }
    }

    private final class NoMember: LoopMember, Sendable {
        func ready(_ states: Readiness) {}

        func deadlinePassed() {}
    }

    private func with<T>(
        _ kind: PollerKind, _ body: (_ loop: EventLoop, _ host: EventLoop) async throws -> T
    ) async throws -> T {
        let host = try EventLoop(kind)
        defer { host.stop() }
        return try await body(EventLoop(kind, hostedBy: host), host)
    }

    private static func run(_ loop: EventLoop, every interval: Int32 = -1, until isDone: () -> Bool) {
        let executor = Jobs()
        let rest = loop.runHere(for: executor.asUnownedTaskExecutor(), { [] }, until: isDone, every: interval) {}
        #expect(rest.isEmpty)
    }

    @Test(arguments: kinds) func `work for a loop that no thread runs is done by its host`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, host in
            for _ in 0..<1_000 {
                let latch = Latch<(Bool, Bool, Bool)>()
                loop.execute { latch.settle((loop.isCurrent, host.isCurrent, EventLoop.isOnShared)) }
                let (isOnLoop, isOnHost, isOnShared) = try #require(await latch.wait())
                // The host's other members wait meanwhile, so nothing may block there.
                #expect(isOnLoop && !isOnHost && isOnShared)
            }
            let latch = Latch<Bool>()
            host.execute { latch.settle(host.isCurrent && EventLoop.isOnShared) }
            #expect(await latch.wait() == true)
        }
    }

    @Test(arguments: kinds) func `a deadline passes although no thread runs the loop`(kind: PollerKind) async throws {
        final class Member: LoopMember, Sendable {
            let latch = Latch<MonotonicTime>()

            func ready(_ states: Readiness) {}

            func deadlinePassed() { latch.settle(MonotonicClock.now) }
        }
        try await with(kind) { loop, _ in
            let members = (0..<3).map { _ in Member() }
            let start = MonotonicClock.now
            loop.execute {
                // A later one is set first, and an earlier one replaces what the host has planned.
                for (member, delay) in zip(members, [60, 20, 40] as [MonotonicTime]) {
                    loop.setDeadline(of: loop.add(member), to: start + delay * 1_000_000)
                }
            }
            for (member, delay) in zip(members, [60, 20, 40] as [MonotonicTime]) {
                let passed = try #require(await member.latch.wait())
                #expect(passed >= start + delay * 1_000_000)
            }
        }
    }

    @Test(arguments: kinds) func `a member that is in the middle of something goes on without the thread`(
        kind: PollerKind
    ) async throws {
        final class Member: LoopMember, Sendable {
            let calls = Counter()
            let isDone = Latch<Bool>()
            let next = Mutex<@Sendable () -> Void>({})

            func ready(_ states: Readiness) {}

            func deadlinePassed() {}

            func calledAgain() {
                calls.add()
                if calls.now < 100 { next.withLock { $0 }() } else { isDone.settle(true) }
            }
        }
        try await with(kind) { loop, _ in
            let member = Member()
            await withUnsafeContinuation { continuation in
                DispatchQueue.global().async {
                    var isBegun = false
                    Self.run(loop) {
                        if isBegun { return true }
                        isBegun = true
                        let id = loop.add(member)
                        member.next.withLock { $0 = { loop.callAgain(id) } }
                        loop.callAgain(id)
                        return false
                    }
                    continuation.resume()
                }
            }
            #expect(await member.isDone.wait() == true)
            member.next.withLock { $0 = {} }
        }
    }

    @Test(arguments: kinds) func `a deadline that has come does not wait for the next look`(kind: PollerKind)
        async throws
    {
        final class Member: LoopMember, Sendable {
            let hasPassed = Counter()

            func ready(_ states: Readiness) {}

            func deadlinePassed() { hasPassed.add() }
        }
        try await with(kind) { loop, _ in
            let member = Member()
            await withUnsafeContinuation { continuation in
                DispatchQueue.global().async {
                    var isSet = false
                    // Ten minutes, which the test does not have.
                    Self.run(loop, every: 600_000) {
                        if !isSet { loop.setDeadline(of: loop.add(member), to: MonotonicClock.now) }
                        isSet = true
                        return member.hasPassed.now > 0
                    }
                    continuation.resume()
                }
            }
            #expect(member.hasPassed.now == 1)
        }
    }

    @Test(arguments: kinds) func `no work is lost or done twice at once, whichever threads come and go`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, _ in
            let done = Unguarded()
            let (total, given) = (20_000, Counter())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<(total / 2) {
                            loop.execute { done.count += 1 }
                            given.add()
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        await withUnsafeContinuation { continuation in
                            DispatchQueue.global().async {
                                // Each run ends after the work that it finds, and leaves the rest to others.
                                while given.now < total {
                                    var turns = 0
                                    Self.run(loop) {
                                        turns += 1
                                        if turns == 2 { loop.execute {} }
                                        return turns > 3
                                    }
                                }
                                continuation.resume()
                            }
                        }
                    }
                }
            }
            let latch = Latch<Int>()
            loop.execute { latch.settle(done.count) }
            #expect(await latch.wait() == total)
        }
    }

    @Test(arguments: kinds) func `work that comes as the last thread leaves is done`(kind: PollerKind) async throws {
        try await with(kind) { loop, _ in
            for round in 0..<2_000 {
                let (latch, done) = (Latch<Bool>(), Counter())
                DispatchQueue.global().async {
                    // It leaves at once, or after the work.
                    Self.run(loop) { round % 2 == 0 || done.now > 0 }
                }
                DispatchQueue.global().async {
                    loop.execute {
                        done.add()
                        latch.settle(true)
                    }
                }
                // No later thread or deadline would do it.
                #expect(await latch.wait() == true)
            }
        }
    }

    @Test(arguments: kinds) func `what a socket has to say is heard before the first job`(kind: PollerKind) async throws
    {
        final class Member: LoopMember, Sendable {
            let hasHeard = Atomic(false)

            func ready(_ states: Readiness) { if states.isReadable { hasHeard.store(true, ordering: .relaxed) } }

            func deadlinePassed() {}
        }
        try await with(kind) { loop, _ in
            let pair = try SocketPair()
            let (near, member, isWatched) = (pair.near.descriptor, Member(), Latch<Bool>())
            loop.execute { isWatched.settle((try? loop.watch(near, for: loop.add(member))) != nil) }
            #expect(await isWatched.wait() == true)
            let executor = Jobs()
            let heard = Counter()
            let task = Task(executorPreference: executor) {
                if member.hasHeard.load(ordering: .relaxed) { heard.add() }
            }
            // Nothing wakes the host.
            guard case .bytes(1) = pair.far.write("x") else {
                Issue.record("the socket takes no byte")
                return
            }
            let jobs = executor.all.withLock { $0 }
            var isAsked = false
            _ = loop.runHere(
                for: executor.asUnownedTaskExecutor(), { jobs },
                until: {
                    defer { isAsked = true }
                    return isAsked
                }, every: -1
            ) {}
            await task.value
            #expect(heard.now == 1)
            loop.execute { loop.unwatch(near) }
        }
    }

    @Test(arguments: kinds) func `a thread that waits in the loop is woken by work from another`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, _ in
            for _ in 0..<300 {
                let isDone = Atomic(false)
                await withUnsafeContinuation { continuation in
                    DispatchQueue.global().async {
                        Self.run(loop) { isDone.load(ordering: .relaxed) }
                        continuation.resume()
                    }
                    DispatchQueue.global().async { loop.execute { isDone.store(true, ordering: .relaxed) } }
                }
            }
        }
    }

    @Test(arguments: kinds) func `jobs run on the calling thread alone, and what is left is given back`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, _ in
            let executor = Jobs()
            let (hasRun, thread) = (Counter(), pthread_self())
            let tasks = (0..<10).map { _ in
                Task(executorPreference: executor) {
                    hasRun.add()
                    #expect(loop.isCurrent && pthread_equal(pthread_self(), thread) != 0)
                }
            }
            // The tasks have been enqueued when they are made.
            let jobs = executor.all.withLock { $0 }
            #expect(jobs.count == 10)
            let none = loop.runHere(for: executor.asUnownedTaskExecutor(), { jobs }, until: { true }, every: -1) {}
            #expect(none.count == 10 && hasRun.now == 0)
            let rest = loop.runHere(
                for: executor.asUnownedTaskExecutor(), { none }, until: { hasRun.now == 10 }, every: -1
            ) {}
            #expect(rest.isEmpty)
            for task in tasks { await task.value }
        }
    }

    @Test func `a loop of jobs alone runs them, and wakes for one from another thread`() async throws {
        let loop = EventLoop.ofJobs()
        #expect(throws: SocketError.self) { try loop.watch(0, for: loop.add(NoMember())) }
        for _ in 0..<100 {
            let executor = Jobs()
            let hasRun = Counter()
            let latch = Latch<Bool>()
            let task = Task(executorPreference: executor) {
                // Another thread resumes this task while the loop waits.
                _ = await latch.wait()
                hasRun.add()
                return loop.isCurrent
            }
            executor.loop.withLock { $0 = loop }
            DispatchQueue.global().async { latch.settle(true) }
            let jobs = executor.all.withLock { $0 }
            await withUnsafeContinuation { continuation in
                DispatchQueue.global().async {
                    let rest = loop.runHere(
                        for: executor.asUnownedTaskExecutor(), { jobs }, until: { hasRun.now == 1 }, every: -1
                    ) {}
                    continuation.resume()
                    #expect(rest.isEmpty)
                }
            }
            #expect(await task.value)
        }
    }

    @Test(arguments: kinds) func `a thread within one loop may run another`(kind: PollerKind) async throws {
        try await with(kind) { outer, host in
            let inner = try EventLoop(kind, hostedBy: host)
            let latch = Latch<Bool>()
            outer.execute {
                let isInInner = Atomic(false)
                inner.execute {
                    let isInside = inner.isCurrent && !outer.isCurrent && !EventLoop.isOnShared
                    isInInner.store(isInside, ordering: .relaxed)
                }
                Self.run(inner) { isInInner.load(ordering: .relaxed) }
                latch.settle(outer.isCurrent)
            }
            #expect(await latch.wait() == true)
        }
    }

    @Test(arguments: kinds) func `a host does not keep a loop that is dropped`(kind: PollerKind) async throws {
        let host = try EventLoop(kind)
        defer { host.stop() }
        func settled(_ loop: EventLoop) async {
            let latch = Latch<Bool>()
            loop.execute { latch.settle(true) }
            _ = await latch.wait()
        }
        var loop: EventLoop? = try EventLoop(kind, hostedBy: host)
        weak let dropped = loop
        if let loop { await settled(loop) }
        loop = nil
        // The closure that the host has run may hold it a little longer.
        await settled(host)
        await settled(host)
        #expect(dropped == nil)
    }
}

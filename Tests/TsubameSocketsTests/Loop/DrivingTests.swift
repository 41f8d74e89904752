// DrivingTests: loops without a thread of their own, which threads turn one after another.

import Dispatch
import Synchronization
import Testing
import TsubamePlatform
import TsubameSockets

@Suite(.timeLimit(.minutes(2))) struct DrivingTests {
    private static let kinds = PollerKind.allCases.filter(\.isAvailable)

    /// Counts without a lock. Only a loop's confinement makes that right.
    private final class Unguarded: @unchecked Sendable {
        var count = 0
    }

    /// Keeps jobs, as the executor of a waiting thread does.
    private final class Jobs: TaskExecutor {
        let all = Mutex<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            all.withLock { $0.append(job) }
        }
    }

    private func with<T>(
        _ kind: PollerKind, _ body: (_ loop: EventLoop, _ keeper: EventLoop) async throws -> T
    ) async throws -> T {
        let keeper = try EventLoop(kind)
        defer { keeper.stop() }
        return try await body(EventLoop(kind, keptBy: keeper), keeper)
    }

    private static func drive(_ loop: EventLoop, until isDone: () -> Bool) {
        let executor = Jobs()
        let rest = loop.drive([], for: executor.asUnownedTaskExecutor(), until: isDone, every: -1) {}
        #expect(rest.isEmpty)
    }

    @Test(arguments: kinds) func `work for a loop that no thread turns is done by its keeper`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, keeper in
            for _ in 0..<1_000 {
                let latch = Latch<(Bool, Bool, Bool)>()
                loop.execute { latch.settle((loop.isCurrent, keeper.isCurrent, EventLoop.isOnShared)) }
                let (isOnLoop, isOnKeeper, isOnShared) = try #require(await latch.wait())
                #expect(isOnLoop && !isOnKeeper && !isOnShared)
            }
            let latch = Latch<Bool>()
            keeper.execute { latch.settle(keeper.isCurrent && EventLoop.isOnShared) }
            #expect(await latch.wait() == true)
        }
    }

    @Test(arguments: kinds) func `a deadline passes although no thread turns the loop`(kind: PollerKind) async throws {
        final class Member: LoopMember, Sendable {
            let latch = Latch<MonotonicTime>()

            func ready(_ states: Readiness) {}

            func deadlinePassed() { latch.settle(MonotonicClock.now) }
        }
        try await with(kind) { loop, _ in
            let members = (0..<3).map { _ in Member() }
            let start = MonotonicClock.now
            loop.execute {
                // A later one is set first, and an earlier one replaces what the keeper has planned.
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
                                // Each drive ends after the work that it finds, and leaves the rest to others.
                                while given.now < total {
                                    var turns = 0
                                    Self.drive(loop) {
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

    @Test(arguments: kinds) func `a thread that waits in the loop is woken by work from another`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, _ in
            for _ in 0..<300 {
                let isDone = Atomic(false)
                await withUnsafeContinuation { continuation in
                    DispatchQueue.global().async {
                        Self.drive(loop) { isDone.load(ordering: .relaxed) }
                        continuation.resume()
                    }
                    DispatchQueue.global().async { loop.execute { isDone.store(true, ordering: .relaxed) } }
                }
            }
        }
    }

    @Test(arguments: kinds) func `jobs run on the driving thread alone, and what is left is given back`(
        kind: PollerKind
    ) async throws {
        try await with(kind) { loop, _ in
            let executor = Jobs()
            let hasRun = Counter()
            let tasks = (0..<10).map { _ in
                Task(executorPreference: executor) {
                    hasRun.add()
                    #expect(loop.isCurrent)
                }
            }
            // The tasks have been enqueued when they are made.
            let jobs = executor.all.withLock { $0 }
            #expect(jobs.count == 10)
            let none = loop.drive(jobs, for: executor.asUnownedTaskExecutor(), until: { true }, every: -1) {}
            #expect(none.count == 10 && hasRun.now == 0)
            let rest = loop.drive(
                none, for: executor.asUnownedTaskExecutor(), until: { hasRun.now == 10 }, every: -1
            ) {}
            #expect(rest.isEmpty)
            for task in tasks { await task.value }
        }
    }

    @Test(arguments: kinds) func `a thread within one loop may turn another`(kind: PollerKind) async throws {
        try await with(kind) { outer, keeper in
            let inner = try EventLoop(kind, keptBy: keeper)
            let latch = Latch<Bool>()
            outer.execute {
                let isInInner = Atomic(false)
                inner.execute { isInInner.store(inner.isCurrent && !outer.isCurrent, ordering: .relaxed) }
                Self.drive(inner) { isInInner.load(ordering: .relaxed) }
                latch.settle(outer.isCurrent)
            }
            #expect(await latch.wait() == true)
        }
    }

    @Test(arguments: kinds) func `a keeper does not keep a loop that is dropped`(kind: PollerKind) async throws {
        let keeper = try EventLoop(kind)
        defer { keeper.stop() }
        func settled(_ loop: EventLoop) async {
            let latch = Latch<Bool>()
            loop.execute { latch.settle(true) }
            _ = await latch.wait()
        }
        var loop: EventLoop? = try EventLoop(kind, keptBy: keeper)
        weak let dropped = loop
        if let loop { await settled(loop) }
        loop = nil
        // The closure that the keeper has run may hold it a little longer.
        await settled(keeper)
        await settled(keeper)
        #expect(dropped == nil)
    }
}

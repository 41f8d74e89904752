// ManualClockTests: time passes only when the test advances the clock.

import Synchronization
import Testing
import TsubameTesting

private final class Awake: Sendable {
    private let numbers = Mutex<Set<Int>>([])
    var all: Set<Int> { numbers.withLock { $0 } }
    func insert(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }
}

@Suite struct ManualClockTests {
    @Test func `stands still until it is turned`() {
        let clock = ManualClock()
        let start = clock.now
        #expect(start.offset == .zero)
        clock.advance(by: .seconds(3))
        clock.advance(by: .seconds(-1))
        #expect(start.duration(to: clock.now) == .seconds(3))
        clock.advance(to: start)
        #expect(clock.now.offset == .seconds(3))
        #expect(!clock.advanceToNextSleeper())
    }

    @Test func `wakes those whose deadline has come, and no others`() async throws {
        let clock = ManualClock()
        let awake = Awake()
        let tasks = (1...5).map { seconds in
            Task {
                try await clock.sleep(until: ManualClock.Instant(offset: .seconds(seconds)))
                awake.insert(seconds)
            }
        }
        try await clock.waitForSleepers(5)
        #expect(clock.advanceToNextSleeper())
        try await tasks[0].value
        #expect(clock.now.offset == .seconds(1))
        #expect(awake.all == [1])
        #expect(clock.sleepers == 4)
        clock.advance(by: .seconds(3))
        #expect(clock.sleepers == 1)
        for task in tasks[1...3] { try await task.value }
        #expect(clock.now.offset == .seconds(4))
        #expect(awake.all == [1, 2, 3, 4])
        clock.advance(by: .seconds(1))
        try await tasks[4].value
        #expect(clock.sleepers == 0)
    }

    @Test func `a sleeper counts as awake from the moment the clock was turned`() async throws {
        let clock = ManualClock()
        let task = Task {
            for _ in 0..<100 { try await clock.sleep(for: .seconds(1)) }
        }
        for _ in 0..<100 {
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            #expect(clock.sleepers == 0 || clock.now.offset < .seconds(100))
        }
        try await task.value
        #expect(clock.now.offset == .seconds(100))
    }

    @Test func `a deadline that has come does not sleep`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(2))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(2)))
        try await clock.sleep(for: .zero)
        #expect(clock.sleepers == 0)
    }

    @Test func `a cancelled sleeper wakes with CancellationError and is not counted`() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
        let waiter = Task { try await clock.waitForSleepers(1) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test func `a wait for sleepers that never come ends, and says how many there are`() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        let error = await #expect(throws: WaitTimeout.self) {
            try await clock.waitForSleepers(2, within: .milliseconds(20))
        }
        #expect(error?.description == "waited 0.02 seconds for 2 sleeping tasks on a ManualClock; so far: 1")
        // Zero is a time, too, and what has happened already needs none.
        await #expect(throws: WaitTimeout.self) { try await clock.waitForSleepers(2, within: .zero) }
        try await clock.waitForSleepers(1, within: .zero)
        clock.advance(by: .seconds(1))
        try await task.value
    }

    @Test func `many sleepers cancelled and woken at once all end`() async throws {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let task = Task { try await clock.sleep(for: .milliseconds(index % 7 + 1)) }
                    if index % 2 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
            group.addTask {
                while (try? await clock.waitForSleepers(1)) != nil { clock.advanceToNextSleeper() }
            }
            for _ in 0..<200 { await group.next() }
            group.cancelAll()
        }
        #expect(clock.sleepers == 0)
    }
}

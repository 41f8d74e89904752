// SleepWatchTests: connections that were idle while the machine slept.

import NIOCore
import Testing
import TsubamePlatform
import TsubameTesting

@testable import TsubameEngine
@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct SleepWatchTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `the difference of the clocks is a sleep, and counts once`() {
        var watch = SleepWatch()
        #expect(watch.isDue(at: 100 * second))
        #expect(watch.look(at: 100 * second, withSleep: 500 * second) == 0)
        #expect(!watch.isDue(at: 100 * second + 49_999_999) && watch.isDue(at: 100 * second + 50_000_000))
        #expect(watch.look(at: 101 * second, withSleep: 4_101 * second) == 3_600 * second)
        #expect(watch.look(at: 102 * second, withSleep: 4_102 * second) == 0)
    }

    @Test func `clocks that differ by little, or go wrong, are no sleep`() {
        var watch = SleepWatch()
        #expect(watch.look(at: 10 * second, withSleep: 10 * second) == 0)
        #expect(watch.look(at: 11 * second, withSleep: 12 * second - 1) == 0)
        #expect(watch.look(at: 12 * second, withSleep: 11 * second) == 0)
        // Two short sleeps are one of a second.
        #expect(watch.look(at: 13 * second, withSleep: 14 * second) == second)
        #expect(watch.look(at: 14 * second, withSleep: 14 * second) == 0)
    }

    /// The machine of a test cannot sleep. So the watch of each loop has last seen the clocks as they are before a sleep.
    @Test(arguments: [2, 20_000] as [UInt64])
    func `a call after a sleep takes no connection that is too old`(seconds: UInt64) async throws {
        let server = try await ScriptedServer.start()
        let engine = Engine()
        let client = Client(server.url, transport: engine)
        _ = try await client.get("x")
        for loopPool in engine.loops.loopPools {
            try await loopPool.loop.submit {
                var watch = SleepWatch()
                let asleep = seconds * 1_000_000_000
                _ = watch.look(
                    at: MonotonicClock.now - 60_000_000, withSleep: MonotonicClock.nowWithSleep &- 60_000_000 &- asleep)
                loopPool.timers.sleepWatch = watch
            }.get()
        }
        let response = try await client.get("x")
        #expect(response.connection?.isReused == (seconds == 2))
        await client.close()
    }
}

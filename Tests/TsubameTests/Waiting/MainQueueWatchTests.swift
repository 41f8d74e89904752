// MainQueueWatchTests: MainQueueWatch warns a program that does not serve the main queue, once, and no other program.

import Synchronization
import Testing

@testable import Tsubame

@Suite struct MainQueueWatchTests {
    /// A watch whose timer the test fires.
    private final class Watched: Sendable {
        private let looks = Mutex<[@Sendable () -> Void]>([])
        let warnings = Log<String>()

        var looksAhead: Int { looks.withLock { $0.count } }

        func makeWatch() -> MainQueueWatch {
            MainQueueWatch { look in
                self.looks.withLock { $0.append(look) }
            } warn: {
                self.warnings.add($0)
            }
        }

        func passTime() {
            for look in looks.withLock({ $0 }) { look() }
        }
    }

    @Test func `a callback that nobody serves is warned of, once, with what to do`() throws {
        let watched = Watched()
        let watch = watched.makeWatch()
        watch.expect()
        watch.expect()
        #expect(watched.warnings.all.isEmpty)
        watched.passTime()
        watch.expect()
        #expect(watched.looksAhead == 1)
        let warning = try #require(watched.warnings.all.first)
        #expect(watched.warnings.all.count == 1)
        #expect(warning.contains("dispatchMain()") && warning.contains("on: .queue(…)"))
    }

    @Test func `a callback that was served in time is not`() {
        let watched = Watched()
        let watch = watched.makeWatch()
        watch.expect()
        watch.served()
        watched.passTime()
        #expect(watched.warnings.all.isEmpty)
    }

    @Test func `once the main queue has been served nothing is watched any more`() {
        let watched = Watched()
        let watch = watched.makeWatch()
        watch.served()
        watch.expect()
        #expect(watched.looksAhead == 0)
    }

    @Test func `the watch of the process warns after a second`() async {
        // By its own timer, because the timer does not depend on this process's main queue.
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in MainQueueWatch.afterSecond { continuation.resume() } }
        #expect(ContinuousClock.now - start >= .milliseconds(999))
    }
}

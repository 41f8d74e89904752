// LoopWorkTests: the closures of a loop run in their order, a limited number in each turn.

import Testing

@testable import TsubameSockets

@Suite struct LoopWorkTests {
    @Test func `a turn has a limit of closures, and none is lost or overtaken`() {
        var work = LoopWork()
        let log = Log()
        func give(_ numbers: Range<Int>) { for number in numbers { work.waiting.append(Work { log.add(number) }) } }
        func turn() -> Int {
            work.begin()
            for work in work.running { work.run() }
            defer { work.running.removeAll() }
            return work.running.count
        }
        give(0..<10)
        #expect(turn() == 10 && work.isEmpty)
        give(10..<2_500)
        #expect(turn() == EventLoop.workPerTurn && !work.isEmpty)
        // Those that come meanwhile are the last.
        give(2_500..<2_600)
        var counts: [Int] = []
        while !work.isEmpty { counts.append(turn()) }
        #expect(
            counts.allSatisfy { $0 <= EventLoop.workPerTurn } && counts.reduce(0, +) == 2_590 - EventLoop.workPerTurn)
        #expect(log.numbers == Array(0..<2_600))
    }

    private final class Log: @unchecked Sendable {
        // Used by one thread.
        private(set) var numbers: [Int] = []

        func add(_ number: Int) { numbers.append(number) }
    }
}

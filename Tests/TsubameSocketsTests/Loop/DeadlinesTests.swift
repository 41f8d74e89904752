// DeadlinesTests: the deadlines of a loop against a simple model.

import Testing
import TsubamePlatform
import TsubameSockets

@Suite struct DeadlinesTests {
    @Test func `deadlines pass in their order, each once`() {
        var deadlines = Deadlines()
        for (slot, due) in [(0, 30), (1, 10), (2, 20), (7, 10)] as [(UInt32, UInt64)] { deadlines.set(slot, to: due) }
        #expect(deadlines.next == 10)
        #expect(deadlines.takeDue(at: 9) == nil)
        var passed: Set<UInt32> = []
        while let slot = deadlines.takeDue(at: 10) { passed.insert(slot) }
        #expect(passed == [1, 7])
        #expect(deadlines.takeDue(at: 25) == 2)
        #expect(deadlines.takeDue(at: 25) == nil)
        #expect(deadlines.takeDue(at: .max - 1) == 0)
        #expect(deadlines.takeDue(at: .max - 1) == nil)
        #expect(deadlines.next == MonotonicClock.never)
    }

    @Test func `a deadline that moves to a later time passes then, and one that is cleared never`() {
        var deadlines = Deadlines()
        deadlines.set(0, to: 10)
        deadlines.set(1, to: 10)
        deadlines.set(0, to: 50)
        deadlines.set(1, to: MonotonicClock.never)
        #expect(deadlines.takeDue(at: 49) == nil)
        #expect(deadlines.next == 50)
        deadlines.set(0, to: 20)
        #expect(deadlines.next == 20)
        #expect(deadlines.takeDue(at: 20) == 0)
        #expect(deadlines.due(of: 0) == MonotonicClock.never && deadlines.due(of: 99) == MonotonicClock.never)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `random changes pass as in a simple model`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        var deadlines = Deadlines()
        var model: [UInt32: UInt64] = [:]
        var now: UInt64 = 0
        for _ in 0..<5_000 {
            let slot = UInt32.random(in: 0..<200, using: &random)
            switch UInt8.random(in: 0..<10, using: &random) {
            case 0..<6:
                let due = now + UInt64.random(in: 1..<1_000, using: &random)
                deadlines.set(slot, to: due)
                model[slot] = due
            case 6:
                deadlines.set(slot, to: MonotonicClock.never)
                model[slot] = nil
            default:
                now += UInt64.random(in: 0..<50, using: &random)
                var passed: Set<UInt32> = []
                while let slot = deadlines.takeDue(at: now) { #expect(passed.insert(slot).inserted) }
                #expect(passed == Set(model.filter { $0.value <= now }.keys))
                model = model.filter { $0.value > now }
            }
            // The loop may wake too early, but never too late.
            #expect(deadlines.next <= model.values.min() ?? MonotonicClock.never)
        }
    }
}

/// A generator that gives the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

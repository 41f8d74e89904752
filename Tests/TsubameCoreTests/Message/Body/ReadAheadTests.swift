// ReadAheadTests: when a producer pauses and goes on.

import Testing
import TsubameCore

@Suite struct ReadAheadTests {
    private let piece = 4_096

    /// Receives pieces until the producer must pause; returns how many.
    private func fill(_ readAhead: inout ReadAhead, at now: UInt64 = 0) -> Int {
        for count in 1...1_000 {
            readAhead.received(piece)
            if readAhead.pauseIfFull(at: now) { return count }
        }
        return 0
    }

    /// Takes pieces until the producer goes on; returns how many.
    private func drain(_ readAhead: inout ReadAhead, at now: UInt64 = 0) -> Int {
        for count in 1...1_000 where readAhead.taken(piece, at: now) { return count }
        return 0
    }

    @Test func `the limit is small until the reader has taken much`() {
        var readAhead = ReadAhead()
        #expect(fill(&readAhead) == 3 && readAhead.isPaused)
        var taken = drain(&readAhead)
        #expect(taken == 2 && !readAhead.isPaused)
        while taken < 64 {
            #expect(fill(&readAhead) <= 3)
            taken += drain(&readAhead)
        }
        #expect(fill(&readAhead) > 50)
        #expect(drain(&readAhead) > 25)
    }

    @Test func `a reader that is trusted, or was quick, may have much unread`() {
        var readAhead = ReadAhead()
        readAhead.trust()
        #expect(fill(&readAhead, at: 0) == 63)
        #expect(drain(&readAhead, at: ReadAhead.slowPause - 1) == 32)
        #expect(fill(&readAhead, at: 0) == 32)
        // A collector whose thread was busy is still trusted.
        #expect(drain(&readAhead, at: ReadAhead.slowPause * 2) == 32 && !readAhead.isSlow)
        #expect(fill(&readAhead, at: 0) == 32)
    }

    @Test func `a piece that comes during a pause does not end it`() {
        var readAhead = ReadAhead()
        _ = fill(&readAhead)
        let resumes = readAhead.taken(piece, at: 0)
        readAhead.received(100)
        let isPaused = readAhead.pauseIfFull(at: 0)
        #expect(!resumes && isPaused)
    }

    @Test func `after a long pause the reader has to prove itself again`() {
        var readAhead = ReadAhead()
        // Much, taken quickly.
        for _ in 0..<64 {
            readAhead.received(piece)
            let resumes = readAhead.taken(piece, at: 0)
            #expect(!resumes)
        }
        #expect(fill(&readAhead, at: 1_000) == 63 && !readAhead.isSlow)
        #expect(drain(&readAhead, at: 1_000 + ReadAhead.slowPause) == 32)
        #expect(readAhead.isSlow)
        // More is unread than the small limit allows.
        #expect(fill(&readAhead, at: 0) == 1)
        // Of the 32 pieces, 1 may be unread when the producer goes on.
        #expect(drain(&readAhead, at: 0) == 31)
        #expect(fill(&readAhead, at: 0) == 2)
    }

    @Test func `each piece costs more than its bytes`() {
        var readAhead = ReadAhead()
        var count = 0
        while !readAhead.pauseIfFull(at: 0) {
            readAhead.received(1)
            count += 1
        }
        #expect(count == 96)
    }

    @Test func `a body that has ended is not paused`() {
        var readAhead = ReadAhead()
        _ = fill(&readAhead)
        readAhead.endPause()
        #expect(!readAhead.isPaused && !readAhead.taken(piece, at: 0))
    }
}

// TimeoutsTests: the defaults, and how a request's timeouts stand over the client's.

import Testing
import TsubameCore

@Suite struct TimeoutsTests {
    @Test func `the defaults are those of the documentation`() {
        let timeouts = Timeouts()
        #expect(timeouts.connect == .seconds(10) && timeouts.tls == .seconds(10) && timeouts.pool == .seconds(30))
        #expect(timeouts.head == .seconds(60) && timeouts.idle == .seconds(60) && timeouts.total == nil)
        #expect(timeouts.isUnset)
    }

    @Test func `a timeout that a request sets counts, and the others are the client's`() {
        var (client, request) = (Timeouts(), Timeouts())
        client.total = .seconds(20)
        client.idle = .seconds(5)
        request.idle = .milliseconds(500)
        let merged = request.merged(over: client)
        #expect(merged.total == .seconds(20) && merged.idle == .milliseconds(500) && merged.connect == .seconds(10))
        #expect(Timeouts().merged(over: client) == client)
    }

    @Test func `none is a value of its own`() {
        var (client, request) = (Timeouts(), Timeouts())
        client.total = .seconds(20)
        request.total = nil
        request.connect = nil
        let merged = request.merged(over: client)
        #expect(merged.total == nil && merged.connect == nil && merged.isSet(.total) && !merged.isSet(.head))
    }

    @Test(arguments: [
        (Duration.seconds(-1), UInt64(0)), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1_500), 1_500_000_000),
    ])
    func `a timeout is kept in nanoseconds, and never below zero`(_ duration: Duration, _ expected: UInt64) {
        var timeouts = Timeouts()
        timeouts.head = duration
        #expect(timeouts.nanoseconds(.head) == expected)
    }

    @Test func `a timeout longer than the clock's range traps nothing`() {
        var timeouts = Timeouts()
        timeouts.head = .seconds(Int64.max)
        #expect(timeouts.nanoseconds(.head) > 1 << 62)
    }
}

// ConnectorDeadlineTests: when an attempt to connect ends.

import Testing
import TsubameCore
import TsubamePlatform

@testable import TsubameEngine

@Suite struct ConnectorDeadlineTests {
    @Test func `the limit that began last ends the attempt`() {
        var deadline = ConnectorDeadline()
        #expect(deadline.due == MonotonicClock.never)
        deadline.begin(.connect, in: 100, from: 1_000)
        #expect(deadline.limit == .connect && deadline.due == 1_100)
        deadline.begin(.tls, in: 50, from: 2_000)
        #expect(deadline.limit == .tls && deadline.due == 2_050)
        deadline.begin(.tls, in: MonotonicClock.never, from: 2_000)
        #expect(deadline.due == MonotonicClock.never)
    }

    @Test func `without its request, an attempt ends in time, however long its limits are`() {
        var deadline = ConnectorDeadline()
        deadline.begin(.connect, in: 60_000, from: 1_000)
        deadline.end(by: 11_000)
        #expect(deadline.limit == .connect && deadline.due == 11_000)
        deadline.begin(.tls, in: 60_000, from: 9_000)
        #expect(deadline.limit == .tls && deadline.due == 11_000)
        deadline.begin(.tls, in: 500, from: 9_000)
        #expect(deadline.due == 9_500)
        deadline.begin(.tls, in: MonotonicClock.never, from: 9_000)
        #expect(deadline.due == 11_000)
    }
}

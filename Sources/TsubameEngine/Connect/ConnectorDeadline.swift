// ConnectorDeadline: the limit that runs while a connection is made. A pure value, but for the loop's name for it.

import TsubameCore
import TsubamePlatform
import TsubameSockets

struct ConnectorDeadline {
    /// The limit that runs, or ran last.
    private(set) var limit = Timeouts.Name.connect
    /// When it ends; ``MonotonicClock/never`` without an end.
    private(set) var due = MonotonicClock.never
    /// When the attempt ends in any case.
    private var last = MonotonicClock.never
    /// The loop's name for the attempt.
    var memberID: MemberID?

    /// A limit begins to run.
    mutating func begin(_ limit: Timeouts.Name, in nanoseconds: UInt64, from now: MonotonicTime) {
        self.limit = limit
        let (end, overflow) = now.addingReportingOverflow(nanoseconds)
        due = Swift.min(overflow ? MonotonicClock.never : end, last)
    }

    /// The limit that runs, and all that begin later, end at this time at the latest.
    mutating func end(by last: MonotonicTime) {
        self.last = last
        due = Swift.min(due, last)
    }
}

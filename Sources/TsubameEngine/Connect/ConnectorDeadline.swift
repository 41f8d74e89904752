// ConnectorDeadline: the limit that runs while a connection is made.

import TsubameCore
import TsubamePlatform
import TsubameSockets

struct ConnectorDeadline {
    /// The limit that runs, or ran last.
    private(set) var limit = Timeouts.Name.connect
    /// Whether it ends.
    private(set) var isSet = false
    private var memberID: MemberID?

    mutating func set(_ limit: Timeouts.Name, in nanoseconds: UInt64, of connector: Connector) {
        self.limit = limit
        let (due, overflow) = MonotonicClock.now.addingReportingOverflow(nanoseconds)
        isSet = nanoseconds != MonotonicClock.never && !overflow
        let loop = connector.loopPool.loop.loop
        let id = memberID ?? loop.add(connector)
        memberID = id
        loop.setDeadline(of: id, to: isSet ? due : MonotonicClock.never)
    }

    mutating func clear(of connector: Connector) {
        if let memberID { connector.loopPool.loop.loop.remove(memberID) }
        memberID = nil
    }
}

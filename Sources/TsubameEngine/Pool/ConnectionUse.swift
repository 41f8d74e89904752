// ConnectionUse: what a connection is, and how often it has been used.

import TsubameCore
import TsubamePlatform

struct ConnectionUse {
    private let facts: ConnectionInfo
    private let madeAt = MonotonicClock.now
    /// How many exchanges it has begun.
    private(set) var exchanges = 0
    /// Whether it had carried another exchange before the last one, or was there before the call of that. Then it may have been
    /// dead already.
    private(set) var wasIdle = false
    /// How many bytes were given to the channel. Only HTTP/2 counts them.
    var writtenBytes: Int64 = 0

    init(_ facts: ConnectionInfo) { self.facts = facts }

    /// The facts for the exchange that it has begun last.
    var info: ConnectionInfo { exchanges > 1 ? facts.reused() : facts }

    mutating func begin(_ call: Call) {
        wasIdle = exchanges > 0 || call.start > madeAt
        exchanges += 1
    }
}

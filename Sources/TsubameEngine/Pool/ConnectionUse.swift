// ConnectionUse: what a connection is, and how often it has been used.

import TsubameCore

struct ConnectionUse {
    private let facts: ConnectionInfo
    /// How many exchanges it has begun.
    private(set) var exchanges = 0
    /// How many bytes were given to the channel. Only HTTP/2 counts them.
    var writtenBytes: Int64 = 0

    init(_ facts: ConnectionInfo) { self.facts = facts }

    /// The facts for the exchange that it has begun last.
    var info: ConnectionInfo { exchanges > 1 ? facts.reused() : facts }

    mutating func begin() { exchanges += 1 }
}

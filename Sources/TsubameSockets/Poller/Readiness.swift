// Readiness: the states of a socket that a poller reports.

package struct Readiness: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A read brings bytes, the end or an error.
    package static let readable = Readiness(rawValue: 1)
    /// A write takes bytes, or fails. An attempt to connect has ended.
    package static let writable = Readiness(rawValue: 2)
    /// The peer has ended its direction, or the connection is broken. No other report of new bytes may follow, so the
    /// owner has to read until the end, an error or its budget.
    package static let ended = Readiness(rawValue: 4)
}

// Readiness: the states of a socket that a poller reports.

/// A set of states. Other modules can inline its members. There the functions of `OptionSet` are calls by witness tables, and
/// allocate.
package struct Readiness: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A read brings bytes, the end or an error.
    @inlinable package static var readable: Readiness { Readiness(rawValue: 1) }
    /// A write takes bytes, or fails. An attempt to connect has ended.
    @inlinable package static var writable: Readiness { Readiness(rawValue: 2) }
    /// The peer has ended its direction, or the connection is broken. No other report of new bytes may follow, so the
    /// owner has to read until the end, an error or its budget.
    @inlinable package static var ended: Readiness { Readiness(rawValue: 4) }

    @inlinable package var isReadable: Bool { rawValue & 1 != 0 }
    @inlinable package var isWritable: Bool { rawValue & 2 != 0 }
    @inlinable package var hasEnded: Bool { rawValue & 4 != 0 }
}

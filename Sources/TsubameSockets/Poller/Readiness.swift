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

/// A member of an event loop. A number is given again only with another generation, so a report that was meant for an
/// earlier member is recognised.
package struct MemberID: Hashable, Sendable {
    package let slot: UInt32
    package let generation: UInt32

    package init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(bits: UInt64) {
        slot = UInt32(truncatingIfNeeded: bits)
        generation = UInt32(truncatingIfNeeded: bits >> 32)
    }

    var bits: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

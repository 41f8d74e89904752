// MemberID: the name by which a poller reports a member of an event loop.

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

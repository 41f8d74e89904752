// MemberTable: the members of a loop by their numbers, and their deadlines.

import TsubamePlatform

/// A slot is used again for another member. The generation then differs, so that a late report finds no member.
struct MemberTable {
    private struct Slot {
        var member: (any LoopMember)?
        var generation: UInt32 = 1
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []
    /// By slot.
    var deadlines = Deadlines()

    var count: Int { slots.count - free.count }

    mutating func add(_ member: any LoopMember) -> MemberID {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(slot)].member = member
        return MemberID(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Its deadline is cleared, too.
    mutating func remove(_ id: MemberID) {
        guard self[id] != nil else { return }
        slots[Int(id.slot)].member = nil
        // 0 belongs to the poller.
        slots[Int(id.slot)].generation = max(slots[Int(id.slot)].generation &+ 1, 1)
        free.append(id.slot)
        deadlines.set(id.slot, to: MonotonicClock.never)
    }

    subscript(id: MemberID) -> (any LoopMember)? {
        let index = Int(id.slot)
        guard index < slots.count, slots[index].generation == id.generation else { return nil }
        return slots[index].member
    }

    subscript(slot slot: UInt32) -> (any LoopMember)? { slots[Int(slot)].member }
}

// HPACKTableIndex: finds a field, or at least its name, in the dynamic table of an encoder.

/// Two hash tables with chains, newest entry first. Entries leave the table in the order in which they came, so nothing
/// is removed here: a chain ends at the first link to an entry that is gone.
struct HPACKTableIndex: ~Copyable {
    private struct Link {
        var fieldHash: UInt32
        var nameHash: UInt32
        /// The numbers of the next older entries in the two chains.
        var olderField: UInt32
        var olderName: UInt32
    }

    /// Indexed by the number of an entry. The count is a power of two.
    private let links: UnsafeMutablePointer<Link>
    private let linkMask: UInt32
    /// The number of the newest entry for each hash: first those of fields, then those of names.
    private let newest: UnsafeMutablePointer<UInt32>
    private let placeMask: UInt32

    /// - Parameter size: the maximum size of the table, in bytes.
    init(size: Int) {
        let count = Self.power(atLeast: size / HPACKDynamicTable.overhead)
        links = .allocate(capacity: count)
        links.initialize(
            repeating: Link(fieldHash: 0, nameHash: 0, olderField: 0, olderName: 0), count: count)
        newest = .allocate(capacity: 2 * count)
        newest.initialize(repeating: 0, count: 2 * count)
        linkMask = UInt32(count - 1)
        placeMask = linkMask
    }

    deinit {
        links.deallocate()
        newest.deallocate()
    }

    private static func power(atLeast count: Int) -> Int {
        var power = 16
        while power < count { power *= 2 }
        return power
    }

    /// The age of this field in the dynamic table; nil if the table does not hold it.
    @inline(__always)
    func age(
        of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, hash: UInt64,
        in table: borrowing HPACKDynamicTable
    ) -> Int? {
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Int(hash & placeMask)]
        var last = -1
        while true {
            let age = Int(clamping: table.inserted &- 1 &- number)
            // A search moves only to older entries. Numbers wrap around, after which an old link may lead anywhere.
            guard age > last, let entry = table.entry(age) else { return nil }
            let link = links[Int(number & linkMask)]
            if link.fieldHash == hash, entry.hasName(name), entry.hasValue(value) { return age }
            last = age
            number = link.olderField
        }
    }

    /// The age of the newest entry with this name in the dynamic table; nil if there is none.
    @inline(__always)
    func age(ofName name: UnsafeRawBufferPointer, hash: UInt64, in table: borrowing HPACKDynamicTable) -> Int? {
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Int(placeMask &+ 1 &+ hash & placeMask)]
        var last = -1
        while true {
            let age = Int(clamping: table.inserted &- 1 &- number)
            guard age > last, let entry = table.entry(age) else { return nil }
            let link = links[Int(number & linkMask)]
            if link.nameHash == hash, entry.hasName(name) { return age }
            last = age
            number = link.olderName
        }
    }

    /// Records the entry with this number.
    @inline(__always)
    mutating func note(_ number: UInt32, fieldHash: UInt64, nameHash: UInt64) {
        let fieldHash = UInt32(truncatingIfNeeded: fieldHash)
        let nameHash = UInt32(truncatingIfNeeded: nameHash)
        let field = Int(fieldHash & placeMask)
        let name = Int(placeMask &+ 1 &+ nameHash & placeMask)
        links[Int(number & linkMask)] = Link(
            fieldHash: fieldHash, nameHash: nameHash, olderField: newest[field], olderName: newest[name])
        newest[field] = number
        newest[name] = number
    }
}

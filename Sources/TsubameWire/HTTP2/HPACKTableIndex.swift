// HPACKTableIndex: where in the dynamic table an encoder has a field, or at least its name.

/// Two hash tables of chains, newest entry first. Entries leave in the order in which they came, so nothing is ever
/// removed here: a chain ends at the first link to an entry that is gone.
struct HPACKTableIndex: ~Copyable {
    private struct Link {
        var fieldHash: UInt32
        var nameHash: UInt32
        /// The numbers of the next older entries in the two chains.
        var olderField: UInt32
        var olderName: UInt32
    }

    /// By an entry's number; a power of two.
    private let links: UnsafeMutablePointer<Link>
    private let linkMask: UInt32
    /// The newest entry's number, by hash: of fields, and behind them of names.
    private let newest: UnsafeMutablePointer<UInt32>
    private let placeMask: UInt32

    /// - Parameter size: the most that the table may hold, in bytes.
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

    /// How far into the dynamic table this field is.
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
            // Always on to older ones: numbers wrap around, after which an old link may lead anywhere.
            guard age > last, let entry = table.entry(age) else { return nil }
            let link = links[Int(number & linkMask)]
            if link.fieldHash == hash, entry.hasName(name), entry.hasValue(value) { return age }
            last = age
            number = link.olderField
        }
    }

    /// How far into the dynamic table an entry with this name is.
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

    /// Notes the entry that is inserted next, as `number`.
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

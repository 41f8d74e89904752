// NearestName: finds the names that a mistyped name may have meant.

package enum NearestName {
    /// The names that begin with `typed`, else those that differ from it least. Returns at most three in the order of
    /// `names`, and none if all differ by much.
    package static func find(_ typed: String, in names: [String]) -> [String] {
        guard !typed.isEmpty else { return [] }
        let longer = names.filter { $0.hasPrefix(typed) }
        if !longer.isEmpty, typed.utf8.count > 1 { return Array(longer.prefix(3)) }
        let letters = Array(typed.utf8)
        // A typing error rarely changes more than a third of the letters, and no name is longer than 64 bytes.
        let allowed = min(3, max(1, letters.count / 3))
        guard letters.count <= 64 else { return [] }
        let distances = names.map { distance(letters, Array($0.utf8)) }
        guard let least = distances.min(), least <= allowed else { return [] }
        return Array(zip(names, distances).filter { $1 == least }.map(\.0).prefix(3))
    }

    /// The number of bytes to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var (before, last, row): ([Int], [Int], [Int]) = ([], [], Array(0...b.count))
        for i in a.indices {
            (before, last, row) = (last, row, [i + 1])
            for j in b.indices {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
        }
        return row.last ?? 0
    }

    /// `; is “name” meant?` for the nearest name; empty if none is near.
    package static func question(_ typed: String, in names: [String]) -> String {
        find(typed, in: names).first.map { "; is \($0) meant?" } ?? ""
    }
}

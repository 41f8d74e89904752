// Removals: the latest removals from a cache, so that older exchanges do not bring a response back.

/// Remembers a few hundred removals. For any older exchange every key counts as removed.
struct Removals: Sendable {
    private static let limit = 256

    private(set) var count: UInt64 = 0
    /// The last removal of each key.
    private var last: [String: UInt64] = [:]
    /// Up to this number every key counts as removed.
    private var all: UInt64 = 0

    /// - Parameter key: nil for all keys.
    mutating func note(_ key: String?) {
        count &+= 1
        if last.count >= Self.limit || key == nil {
            last = [:]
            all = count
        }
        if let key { last[key] = count }
    }

    func contains(_ key: String, since count: UInt64) -> Bool { all > count || last[key].map { $0 > count } ?? false }
}

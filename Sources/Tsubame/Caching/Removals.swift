// Removals: what a cache was told to forget lately.

/// The last few hundred; what was begun before them counts as forgotten.
struct Removals: Sendable {
    private static let limit = 256

    private(set) var count: UInt64 = 0
    /// Of each key the last time.
    private var last: [String: UInt64] = [:]
    /// Everything up to here.
    private var all: UInt64 = 0

    /// - Parameter key: nil for everything.
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

// Removals: the latest removals from a cache, and those that its storage has not carried out yet.

/// Remembers a few hundred removals, so that an older exchange does not bring a response back. For an exchange before
/// these, every key counts as removed.
///
/// A removal is owed until the storage has carried it out. Until then no response to its key may be used or stored.
/// When too many are owed, all responses are. If they cannot be removed together, each key can by itself.
struct Removals: Sendable {
    private static let limit = 256
    /// The most keys that are remembered as removed by themselves.
    private static let exemptLimit = 1 << 16
    /// The most look-ups between two tries to remove all.
    private static let longestWait = 1_024

    private(set) var count: UInt64 = 0
    /// The last removal of each key.
    private var last: [String: UInt64] = [:]
    /// Up to this number every key counts as removed.
    private var all: UInt64 = 0
    /// The last removal of each key that the storage owes.
    private var owed: [String: UInt64] = [:]
    /// The last removal of all responses that the storage owes; 0 if it owes none.
    private var owedAll: UInt64 = 0
    /// The hash values of keys whose responses have been removed since then.
    private var exempt: Set<Int> = []
    /// How many keys are removed by themselves before all are tried again, and how many of them are left.
    private var wait = (length: 0, left: 0)

    /// Notes a removal, which the storage owes from now on.
    /// - Parameter key: nil for all keys.
    mutating func note(_ key: String?) {
        count &+= 1
        if last.count >= Self.limit || key == nil {
            last = [:]
            all = count
        }
        if let key { last[key] = count }
        if let key, owed.count < Self.limit || owed[key] != nil {
            owed[key] = count
        } else {
            (owed, owedAll, exempt, wait) = ([:], count, [], (0, 0))
        }
    }

    /// Notes that the storage has carried out the removals up to this number.
    /// - Parameter key: nil for all keys.
    mutating func settle(_ key: String?, upTo number: UInt64) {
        if let key {
            if let last = owed[key], last <= number { owed[key] = nil }
            guard owedAll > 0, owedAll <= number else { return }
            if exempt.count >= Self.exemptLimit { (exempt, wait) = ([], (0, 0)) }
            exempt.insert(key.hashValue)
        } else {
            owed = owed.filter { $0.value > number }
            if owedAll <= number { (owedAll, exempt) = (0, []) }
        }
    }

    var owesAll: Bool { owedAll > 0 }

    /// Whether to try the removal of all again before that of one key. If keys can be removed by themselves, and all
    /// cannot, twice as many keys come before each next try.
    mutating func takesAll() -> Bool {
        guard owesAll else { return false }
        if exempt.isEmpty { return true }
        if wait.left > 0 {
            wait.left -= 1
            return false
        }
        let length = min(max(1, 2 * wait.length), Self.longestWait)
        wait = (length, length)
        return true
    }

    func owes(_ key: String) -> Bool {
        owedAll > 0 && !exempt.contains(key.hashValue) || !owed.isEmpty && owed[key] != nil
    }

    func contains(_ key: String, since count: UInt64) -> Bool {
        owes(key) || all > count || last[key].map { $0 > count } ?? false
    }
}

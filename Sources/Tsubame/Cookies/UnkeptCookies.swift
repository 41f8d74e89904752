// UnkeptCookies: the changes of a jar that its storage could not write yet.

import TsubameWire

/// Changes that are in memory only, because the storage was locked or failed. The next write contains them.
struct UnkeptCookies: Sendable {
    /// nil stands for a removed cookie.
    private(set) var changes: [CookieKey: StoredCookie?] = [:]
    /// The owner that is still to be written; nil if the written owner is up to date.
    private(set) var owner: String?

    var isEmpty: Bool { changes.isEmpty && owner == nil }

    /// Adds the changes of a write that failed.
    /// - Parameter owner: the owner after them, if it is not the written one.
    mutating func add(_ newChanges: [CookieKey: StoredCookie?], owner: String?) {
        changes.merge(newChanges) { (_, new) in new }
        // Servers cause changes, so their number is limited. The remaining ones are of cookies in the store.
        if changes.count > 2 * CookieStore.maximum { changes = changes.filter { $0.value != nil } }
        self.owner = owner
    }
}

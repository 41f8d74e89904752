// CookieStore+Changes: adds and removes cookies, applies the limits and records the changes for a storage.

import TsubameCore
import TsubamePlatform

extension CookieStore {
    /// Removes the cookies for which `matches` returns true. If it removes any, the store gets a new owner.
    /// - Returns: how many cookies it removed.
    @discardableResult
    package mutating func removeAll(where matches: (Cookie) -> Bool) -> Int {
        let before = count
        remove(where: matches)
        // Another account may log in next, and must not see cached responses of the previous account.
        if count < before { renewOwner() }
        return before - count
    }

    package mutating func removeAll() {
        remove { _ in true }
        renewOwner()
    }

    private mutating func remove(where matches: (Cookie) -> Bool) {
        for domain in Array(domains.keys) { remove(in: domain) { matches($0.cookie) } }
    }

    // MARK: The owner

    /// Gives the store an owner that no process has used before.
    package mutating func renewOwner() { owner = UniqueNumber().text }

    /// Takes the owner that was stored with the cookies. Makes a new one if the text is nil or malformed.
    package mutating func takeOwner(_ text: String?) {
        guard let text, Self.isOwner(text) else { return renewOwner() }
        owner = text
    }

    /// Whether the text has the form of ``UniqueNumber/text``.
    package static func isOwner(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
    }

    /// Replaces the cookies for which `isReplaced` returns true, for example by cookies that other processes have
    /// stored. The replacement does not count as a change. Invalid and expired cookies are left out.
    package mutating func replace(
        where isReplaced: (Cookie) -> Bool, by others: some Sequence<StoredCookie>, now: Int64
    ) {
        let (changes, uses) = (changes, uses)
        (self.changes, self.uses) = (nil, nil)
        defer { (self.changes, self.uses) = (changes, uses) }
        // Only this process knows which cookies it has sent.
        var used: [CookieKey: UInt64] = [:]
        for entry in domains.values.joined() { used[CookieKey(entry.cookie)] = entry.used }
        remove(where: isReplaced)
        for var entry in others where !entry.isOver(at: now) {
            guard let cookie = try? checked(entry.cookie) else { continue }
            entry.cookie = cookie
            entry.used = max(entry.used, used[CookieKey(cookie)] ?? 0)
            counter = max(counter, entry.created, entry.used)
            put(entry, now: now)
        }
    }

    /// Runs `body` and returns the cookies that it added, and nil for each cookie that it removed.
    package mutating func recording(_ body: (inout CookieStore) -> Void) -> [CookieKey: StoredCookie?] {
        let outer = changes
        changes = [:]
        body(&self)
        let recorded = changes ?? [:]
        changes = outer?.merging(recorded) { (_, new) in new }
        return recorded
    }

    /// Applies recorded changes again, after the stored cookies have been read again.
    package mutating func apply(_ changes: [CookieKey: StoredCookie?], now: Int64) {
        let removed = Set(changes.filter { $0.value == nil }.keys)
        for domain in Set(removed.map(\.domain)) {
            remove(in: domain) { removed.contains(CookieKey($0.cookie)) }
        }
        // The storage may still hold cookies that this store no longer has.
        for key in removed { self.changes?[key] = .some(nil) }
        for entry in changes.values.compactMap({ $0 }).sorted(by: { $0.created < $1.created }) { put(entry, now: now) }
    }

    /// The cookies sent since the previous call, with their times of use. Recording starts with the first call.
    package mutating func takeUses() -> [CookieKey: UInt64] {
        defer { uses = [:] }
        return uses ?? [:]
    }

    mutating func put(_ cookie: Cookie, now: Int64) {
        counter &+= 1
        put(StoredCookie(cookie: cookie, created: counter, used: counter), now: now)
    }

    private mutating func put(_ new: StoredCookie, now: Int64) {
        var new = new
        if let expires = new.cookie.expires {
            let (latest, isTooLate) = now.addingReportingOverflow(Self.maximumLifetime)
            new.cookie.expires = min(expires, isTooLate ? .max : latest)
        }
        let (domain, key) = (new.cookie.domain, CookieKey(new.cookie))
        if let index = domains[domain]?.firstIndex(where: { CookieKey($0.cookie) == key }) {
            // A cookie that replaces another keeps its creation time (§5.7, step 22.3).
            new.created = domains[domain]?[index].created ?? new.created
            domains[domain]?[index] = new
        } else {
            domains[domain, default: []].append(new)
            count += 1
        }
        changes?[key] = .some(new)
        removeExpired(in: domain, now: now)
        // An insecure page of the domain must not be able to evict its Secure cookies, so the others are evicted
        // first.
        while let entries = domains[domain], entries.count > Self.maximumPerDomain,
            let victim = entries.min(by: {
                ($0.cookie.isSecure ? 1 : 0, $0.used, $0.created) < ($1.cookie.isSecure ? 1 : 0, $1.used, $1.created)
            })
        {
            remove(victim)
        }
        guard count > Self.maximum else { return }
        for domain in Array(domains.keys) { removeExpired(in: domain, now: now) }
        // Cookies that were sent together were used at the same time. The oldest of them goes first.
        while count > Self.maximum,
            let victim = domains.values.joined().min(by: { ($0.used, $0.created) < ($1.used, $1.created) })
        {
            remove(victim)
        }
    }

    private mutating func remove(_ victim: StoredCookie) {
        let key = CookieKey(victim.cookie)
        remove(in: victim.cookie.domain) { CookieKey($0.cookie) == key }
    }

    mutating func removeExpired(in domain: String, now: Int64) {
        guard domains[domain]?.contains(where: { $0.isOver(at: now) }) == true else { return }
        remove(in: domain) { $0.isOver(at: now) }
    }

    private mutating func remove(in domain: String, where matches: (StoredCookie) -> Bool) {
        guard var entries = domains.removeValue(forKey: domain) else { return }
        let before = entries.count
        entries.removeAll { entry in
            guard matches(entry) else { return false }
            changes?[CookieKey(entry.cookie)] = .some(nil)
            return true
        }
        count -= before - entries.count
        if !entries.isEmpty { domains[domain] = entries }
    }
}

// Putting into a store and taking out, its limits, and what has changed in it.

import TsubameCore

extension CookieStore {
    /// Removes the cookies for which `matches` says so. The owner is another one if there were any.
    /// - Returns: how many there were.
    @discardableResult
    package mutating func removeAll(where matches: (Cookie) -> Bool) -> Int {
        let before = count
        remove(where: matches)
        // The next account may log in now, and is not to see the pages of the last one.
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

    /// No process has used the new one before.
    package mutating func renewOwner() { owner = UniqueNumber().text }

    /// Takes the owner that is kept with the cookies; a new one if that is missing or not of this form.
    package mutating func takeOwner(_ text: String?) {
        guard let text, Self.isOwner(text) else { return renewOwner() }
        owner = text
    }

    /// Whether it has the form of ``UniqueNumber/text``.
    package static func isOwner(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
    }

    /// Puts other cookies in place of those for which `isReplaced` says so, such as what others have kept meanwhile.
    /// Nothing of it counts as a change. What cannot be kept, or has ended, is left out.
    package mutating func replace(
        where isReplaced: (Cookie) -> Bool, by others: some Sequence<StoredCookie>, now: Int64
    ) {
        let (changes, uses) = (changes, uses)
        (self.changes, self.uses) = (nil, nil)
        defer { (self.changes, self.uses) = (changes, uses) }
        // What this process has sent is known here only.
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

    /// Does `body`, and says what was put in or taken out by it: nil for what was taken out.
    package mutating func recording(_ body: (inout CookieStore) -> Void) -> [CookieKey: StoredCookie?] {
        let outer = changes
        changes = [:]
        body(&self)
        let recorded = changes ?? [:]
        changes = outer?.merging(recorded) { (_, new) in new }
        return recorded
    }

    /// Makes changes once more, after what is kept has been read again.
    package mutating func apply(_ changes: [CookieKey: StoredCookie?], now: Int64) {
        let removed = Set(changes.filter { $0.value == nil }.keys)
        for domain in Set(removed.map(\.domain)) {
            remove(in: domain) { removed.contains(CookieKey($0.cookie)) }
        }
        // The place may still have those that this store no longer has.
        for key in removed { self.changes?[key] = .some(nil) }
        for entry in changes.values.compactMap({ $0 }).sorted(by: { $0.created < $1.created }) { put(entry, now: now) }
    }

    /// What has been sent since this was called last, and when; from the first call on.
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
            // What replaces a cookie keeps its time of creation (§5.7, step 22.3).
            new.created = domains[domain]?[index].created ?? new.created
            domains[domain]?[index] = new
        } else {
            domains[domain, default: []].append(new)
            count += 1
        }
        changes?[key] = .some(new)
        removeExpired(in: domain, now: now)
        // An insecure page of the domain must not be able to drive its Secure cookies out: the others go first.
        while let entries = domains[domain], entries.count > Self.maximumPerDomain,
            let victim = entries.min(by: {
                ($0.cookie.isSecure ? 1 : 0, $0.used) < ($1.cookie.isSecure ? 1 : 0, $1.used)
            })
        {
            remove(victim)
        }
        guard count > Self.maximum else { return }
        for domain in Array(domains.keys) { removeExpired(in: domain, now: now) }
        while count > Self.maximum, let victim = domains.values.joined().min(by: { $0.used < $1.used }) {
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

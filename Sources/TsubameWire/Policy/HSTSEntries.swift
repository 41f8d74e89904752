// HSTSEntries: the hosts that are to be reached by https only (RFC 6797 section 8). A plain value: whoever shares it
// guards it.

package struct HSTSEntries: Sendable {
    /// The ones that end first go when there are more.
    package static let maximum = 10_000

    package struct Entry: Sendable, Hashable {
        /// In seconds since 1970.
        package var expires: Int64
        package var includesSubdomains: Bool

        package init(expires: Int64, includesSubdomains: Bool) {
            self.expires = expires
            self.includesSubdomains = includesSubdomains
        }
    }

    package private(set) var entries: [String: Entry] = [:]

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// Does what a host asks for in a response that came over a secure connection. Addresses ask in vain (section 8.1.1).
    /// - Parameters:
    ///   - host: in lower case.
    ///   - now: seconds since 1970.
    /// - Returns: whether anything changed but the time.
    @discardableResult
    package mutating func take(_ field: StrictTransport, from host: String, now: Int64) -> Bool {
        let host = Self.name(host)
        guard !CookieScope.isAddress(host), !host.isEmpty else { return false }
        guard field.maxAge > 0 else { return entries.removeValue(forKey: host) != nil }
        let (end, isOver) = now.addingReportingOverflow(field.maxAge)
        let old = entries.updateValue(
            Entry(expires: isOver ? .max : end, includesSubdomains: field.includesSubdomains), forKey: host)
        if entries.count > Self.maximum { makeRoom(now: now) }
        return old?.includesSubdomains != field.includesSubdomains
    }

    /// Whether a host is to be reached by https only: by an entry of its own, or by one above it that includes it.
    package func contains(_ host: String, now: Int64) -> Bool {
        guard !entries.isEmpty else { return false }
        let host = Self.name(host)
        return CookieScope.domains(of: host).contains { domain in
            guard let entry = entries[domain], entry.expires > now else { return false }
            return domain == host || entry.includesSubdomains
        }
    }

    package mutating func removeAll() { entries = [:] }

    package mutating func insert(_ entry: Entry, for host: String) { entries[Self.name(host)] = entry }

    /// A name may end with the root's dot.
    private static func name(_ host: String) -> String { DomainName.withoutRootDot(host) }

    private mutating func makeRoom(now: Int64) {
        entries = entries.filter { $0.value.expires > now }
        guard entries.count > Self.maximum else { return }
        let kept = entries.sorted { $0.value.expires > $1.value.expires }.prefix(Self.maximum * 9 / 10)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

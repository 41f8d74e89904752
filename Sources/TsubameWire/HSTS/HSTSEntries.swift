// HSTSEntries: the hosts that must be reached by https (RFC 6797 section 8).

import TsubameCore

/// A plain value without a lock: code that shares it must guard it.
package struct HSTSEntries: Sendable {
    /// The highest number of entries. Beyond it, the entries that expire first are removed.
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

    /// Applies a field from a response that came over a secure connection. A field from an IP address is ignored
    /// (section 8.1.1).
    /// - Parameters:
    ///   - host: in lower case.
    ///   - now: seconds since 1970.
    /// - Returns: whether anything but an expiry time changed.
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

    /// Whether a host must be reached by https: by an entry of its own, or by an entry of a parent domain that
    /// includes subdomains.
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

    /// The host without the dot of the DNS root that may end it.
    private static func name(_ host: String) -> String { DomainName.withoutRootDot(host) }

    private mutating func makeRoom(now: Int64) {
        entries = entries.filter { $0.value.expires > now }
        guard entries.count > Self.maximum else { return }
        let kept = entries.sorted { $0.value.expires > $1.value.expires }.prefix(Self.maximum * 9 / 10)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

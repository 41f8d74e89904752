// StoredTerms: what a stored response says about its own reuse, read once.

package import HTTPTypes

package struct StoredTerms: Sendable, Hashable {
    package let control: CacheControl
    package let freshness: Freshness
    package let entityTag: EntityTag?
    /// As it came; it is sent back in just this form.
    package let lastModified: String?
    /// nil if what came is no date.
    package let lastModifiedTime: Int64?
    package let date: Int64?

    package init(_ head: StoredHead) {
        control = CacheControl(head.fields[values: .cacheControl])
        date = head.fields[values: .date].first.flatMap { HTTPDate.parse($0) }
        entityTag = head.fields[values: .eTag].first.flatMap { EntityTag($0) }
        let modified = head.fields[values: .lastModified].first
        lastModifiedTime = modified.flatMap { HTTPDate.parse($0) }
        lastModified = lastModifiedTime == nil ? nil : modified
        freshness = Freshness(head, control, date: date, lastModified: lastModifiedTime)
    }

    /// Whether there is something to ask the origin by (RFC 9111 section 4.3.1).
    package var canBeValidated: Bool { entityTag != nil || lastModified != nil }

    /// Adds the condition by which the origin says whether the response still holds.
    package func addCondition(to fields: inout HTTPFields) {
        if let entityTag {
            fields[.ifNoneMatch] = (entityTag.isWeak ? "W/" : "") + entityTag.opaque
        }
        if let lastModified { fields[.ifModifiedSince] = lastModified }
    }

    /// Whether Last-Modified is so far from Date that nothing can have changed unnoticed (RFC 9110 section 8.8.2.2).
    package var hasStrongDate: Bool {
        guard let lastModifiedTime, let date else { return false }
        return date > lastModifiedTime
    }
}

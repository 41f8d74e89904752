// StoredTerms: the parsed fields of a stored response that decide about its reuse.

package import HTTPTypes

package struct StoredTerms: Sendable, Hashable {
    package let control: CacheControl
    package let freshness: Freshness
    package let entityTag: EntityTag?
    /// The field as received, because a condition repeats it unchanged; nil if it is not a date.
    package let lastModified: String?
    /// In seconds since 1970; nil if the field is not a date.
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

    /// Whether the response has a validator for a conditional request (RFC 9111 section 4.3.1).
    package var canBeValidated: Bool { entityTag != nil || lastModified != nil }

    /// Adds the conditions by which the origin decides whether the response is still valid.
    package func addCondition(to fields: inout HTTPFields) {
        if let entityTag {
            fields[.ifNoneMatch] = (entityTag.isWeak ? "W/" : "") + entityTag.opaque
        }
        if let lastModified { fields[.ifModifiedSince] = lastModified }
    }

    /// Whether Last-Modified lies far enough before Date to be a strong validator (RFC 9110 section 8.8.2.2).
    package var hasStrongDate: Bool {
        guard let lastModifiedTime, let date else { return false }
        return date > lastModifiedTime
    }
}

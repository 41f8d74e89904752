// CacheConditions: the conditional fields that the caller set on a request (RFC 9110 section 13.1).

package import HTTPTypes

package struct CacheConditions: Sendable, Hashable {
    private enum Tags: Sendable, Hashable {
        case any
        case these([EntityTag])
    }

    private var tags: Tags?
    private var modifiedSince: Int64?
    /// Whether only the origin can evaluate the conditions: If-Match, If-Unmodified-Since and unreadable conditions
    /// are not for a cache (RFC 9111 section 4.3.2).
    package private(set) var needsOrigin = false

    package init(_ fields: HTTPFields) {
        if fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince) { needsOrigin = true }
        if let field = fields[.ifNoneMatch] {
            if field == "*" {
                tags = .any
            } else {
                let elements = FieldDirective.split(field, at: ",") ?? []
                let known = elements.compactMap { EntityTag($0) }
                if known.count != elements.count || known.isEmpty { needsOrigin = true }
                tags = .these(known)
            }
        } else if let field = fields[.ifModifiedSince] {
            // A field that is not a date must be ignored (RFC 9110 section 13.1.3). The origin is left to decide
            // that.
            modifiedSince = HTTPDate.parse(field)
            if modifiedSince == nil { needsOrigin = true }
        }
    }

    package var isEmpty: Bool { tags == nil && modifiedSince == nil && !needsOrigin }

    /// Whether a stored 200 response is the one that the caller already has. The caller then gets a 304.
    package func areMet(by stored: StoredTerms) -> Bool {
        switch tags {
        case .any: return true
        case .these(let tags):
            return stored.entityTag.map { tag in tags.contains { $0.isWeaklyEqual(to: tag) } } ?? false
        case nil: break
        }
        guard let modifiedSince else { return false }
        guard let modified = stored.lastModifiedTime ?? stored.date else { return false }
        return modified <= modifiedSince
    }
}

// CacheTerms: what a request says to a cache.

package import HTTPTypes
package import TsubameCore

package struct CacheTerms: Sendable {
    package enum Method: Sendable, Hashable {
        /// GET, and QUERY with content that is part of the identity.
        case get
        case head
        /// Neither answered nor stored by a cache; what is unsafe makes it forget (RFC 9111 section 4.4).
        case other(isSafe: Bool)
    }

    package let method: Method
    package let control: CacheControl
    package let policy: CachePolicy
    package let conditions: CacheConditions
    /// The Range field, and the If-Range beside it.
    package let range: String?
    package let ifRange: String?
    package var identity: CacheIdentity

    /// - Parameter hasOtherContent: whether the request has content of which its identity says nothing.
    package init(
        _ method: HTTPRequest.Method, _ fields: HTTPFields, policy: CachePolicy, identity: CacheIdentity,
        hasOtherContent: Bool = false
    ) {
        switch method {
        case .get where !hasOtherContent, .query where !hasOtherContent: self.method = .get
        case .head where !hasOtherContent: self.method = .head
        default: self.method = .other(isSafe: method.isSafe)
        }
        let values = fields[values: .cacheControl]
        // RFC 9111 section 5.4.
        let isPragma = values.isEmpty && fields[.pragma]?.lowercasedASCII.contains("no-cache") == true
        control = CacheControl(isPragma ? ["no-cache"] : values)
        self.policy = policy
        conditions = CacheConditions(fields)
        range = fields[.range]
        ifRange = fields[.ifRange]
        self.identity = identity
    }

    package var onlyIfCached: Bool { control.onlyIfCached || policy == .onlyStored }

    /// How stale a response may be.
    var maxStale: CacheControl.Staleness? {
        switch policy {
        case .preferStored, .onlyStored: .any
        case .standard, .reload: control.maxStale
        }
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name("Pragma") ?? .cacheControl
}

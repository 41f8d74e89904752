// CacheTerms: the parts of a request that matter to a cache.

package import HTTPTypes
package import TsubameCore

package struct CacheTerms: Sendable {
    package enum Method: Sendable, Hashable {
        /// GET, and QUERY with content that is part of the identity.
        case get
        case head
        /// A method that a cache neither answers nor stores. An unsafe method invalidates stored responses (RFC 9111
        /// section 4.4).
        case other(isSafe: Bool)
    }

    package let method: Method
    package let control: CacheControl
    package let policy: CachePolicy
    package let conditions: CacheConditions
    /// The Range field; ``ifRange`` is the If-Range field.
    package let range: String?
    package let ifRange: String?
    package var identity: CacheIdentity

    /// - Parameter hasOtherContent: whether the request has content that its identity does not cover.
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
        // Pragma counts only without Cache-Control (RFC 9111 section 5.4).
        let isPragma = values.isEmpty && fields[.pragma]?.lowercasedASCII.contains("no-cache") == true
        control = CacheControl(isPragma ? ["no-cache"] : values)
        self.policy = policy
        conditions = CacheConditions(fields)
        range = fields[.range]
        ifRange = fields[.ifRange]
        self.identity = identity
    }

    package var onlyIfCached: Bool { control.onlyIfCached || policy == .onlyStored }

    /// The staleness that the request accepts; nil if it accepts none.
    var maxStale: CacheControl.Staleness? {
        switch policy {
        case .preferStored, .onlyStored: .any
        case .standard, .reload: control.maxStale
        }
    }
}

// CachedResponse: a stored response, as a list of a cache shows it.

import TsubameWire

/// A response that a cache in a folder keeps.
package struct CachedResponse: Sendable {
    /// The method and the URL of its request.
    package let request: String
    package let status: Int
    /// The length of the body.
    package let bytes: Int64
    /// Seconds since the origin made or confirmed the response.
    package let age: Double
    /// Seconds until the response becomes stale; negative if it is.
    package let timeToLive: Double
    /// Whether the server gave no lifetime, and a tenth of the time since Last-Modified counts (RFC 9111 section 4.2.2).
    package let isHeuristic: Bool
    /// Whether the origin can confirm the response by its ETag or Last-Modified.
    package let canBeValidated: Bool
    /// The fields of the request that choose this response, by name (RFC 9111 section 4.1).
    package let selecting: [String]
}

extension ResponseCache {
    /// The responses of a cache in a folder, ordered by their requests; nil for another cache. Reads every record, so it
    /// blocks.
    package var contents: [CachedResponse]? {
        guard let folder = storage as? FolderCacheStorage else { return nil }
        let now = now()
        return folder.contents.map { key, response in
            let terms = response.terms
            return CachedResponse(
                request: key.prefix { $0 != "\n" }.description, status: response.head.status,
                bytes: response.bodyLength,
                age: terms.freshness.age(at: now), timeToLive: terms.freshness.timeToLive(at: now),
                isHeuristic: terms.freshness.isHeuristic, canBeValidated: terms.canBeValidated,
                // The other names are the cache's own, such as that of the client's certificate.
                selecting: response.head.selecting.keys.filter { !$0.hasPrefix("=") }.sorted())
        }.sorted { ($0.request, $0.age) < ($1.request, $1.age) }
    }
}

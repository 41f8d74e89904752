// CachePolicy: how caches may answer a request.

/// How the client's cache, and other caches on the way to the origin, may answer a request.
///
/// No policy overrides what a response forbids. A response with `no-cache` is never used without asking its origin. The
/// same holds for a stale response with `must-revalidate` (RFC 9111 sections 5.2.2.2 and 5.2.2.4).
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The rules of RFC 9111.
    case standard
    /// Asks the origin again, even if a response is stored: `Cache-Control: no-cache`.
    case reload
    /// Uses a stored response of any age, and asks the origin if there is none: `Cache-Control: max-stale`.
    case preferStored
    /// Uses a stored response of any age, and never asks the origin: `Cache-Control: only-if-cached`. The status is 504
    /// if there is no stored response.
    case onlyStored

    /// The name that `URLRequest.CachePolicy` has for ``standard``.
    public static var useProtocolCachePolicy: CachePolicy { .standard }
    /// The name that `URLRequest.CachePolicy` has for ``reload``.
    public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }
    /// The name that `URLRequest.CachePolicy` has for ``preferStored``.
    public static var returnCacheDataElseLoad: CachePolicy { .preferStored }
    /// The name that `URLRequest.CachePolicy` has for ``onlyStored``.
    public static var returnCacheDataDontLoad: CachePolicy { .onlyStored }
}

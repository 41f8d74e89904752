// Response+CacheStatus: reports how a cache handled the request of a response.

public import TsubameCore
import TsubameWire

extension Response {
    /// How the nearest cache handled the request. This is the last member of the field Cache-Status (RFC 9211), which
    /// a client with a cache adds to every response. nil if no cache reports anything.
    ///
    /// - `tsubame; hit; ttl=59`: the stored response was used. It stays fresh for 59 seconds.
    /// - `tsubame; hit; ttl=-5; detail=stale-while-revalidate`: the stored response was used, and is being revalidated.
    /// - `tsubame; fwd=uri-miss; stored`: the origin was asked, and its response was stored.
    /// - `tsubame; fwd=stale; fwd-status=304; ttl=60`: the origin confirmed that the stored response is still valid.
    /// - `tsubame; fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error`: the stored response was used because the
    ///   origin fails.
    /// - `tsubame; detail=only-if-cached`: the origin was not asked. The status is 504.
    public var cacheStatus: String? { headers[values: .cacheStatus].last }
}

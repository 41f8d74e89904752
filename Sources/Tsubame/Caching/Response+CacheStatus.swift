// What a cache did with a request, as its response tells.

public import TsubameCore
import TsubameWire

extension Response {
    /// What the nearest cache did: the last member of the field Cache-Status (RFC 9211), which a client with a cache adds
    /// to every response. nil if no cache says anything.
    ///
    /// | text | what it did |
    /// |---|---|
    /// | `tsubame; hit; ttl=59` | used what is stored, which stays fresh for 59 seconds |
    /// | `tsubame; hit; ttl=-5; detail=stale-while-revalidate` | used it, and brings it up to date |
    /// | `tsubame; fwd=uri-miss; stored` | asked the origin, and stored the answer |
    /// | `tsubame; fwd=stale; fwd-status=304; ttl=60` | asked whether what is stored still holds; it does |
    /// | `tsubame; fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error` | used it because the origin fails |
    /// | `tsubame; detail=only-if-cached` | asked nobody: status 504 |
    public var cacheStatus: String? { headers[values: .cacheStatus].last }
}

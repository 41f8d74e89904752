// DecodingPolicy: whether a client asks for compressed content and decodes it.

/// Whether requests offer content codings, and responses are decoded.
public enum DecodingPolicy: Sendable, Hashable {
    /// Requests offer `Accept-Encoding: gzip, deflate, br, zstd`, and responses are decoded. `br` is offered only
    /// where the system has libbrotlidec, and `zstd` only where it has libzstd. Tsubame looks for both once in a
    /// process, when its first client is made.
    ///
    /// A request that sets Accept-Encoding itself gets the content as it came. So does a request that sets Range:
    /// Tsubame asks for `identity` then, because a part of coded content cannot be decoded.
    case automatic
    /// Requests offer no content coding, and responses are not decoded.
    case off
}

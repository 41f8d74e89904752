// ResponseCachePolicy: whether a client keeps responses, and in which cache.

/// Whether a client keeps responses to use them again, and in which cache.
public struct ResponseCachePolicy: Sendable {
    /// The cache that keeps the responses; nil if the client keeps none.
    public let cache: ResponseCache?

    /// Keeps no response.
    public static let off = ResponseCachePolicy(cache: nil)

    /// A new cache in memory. The client and its views share it, and it ends with them. ``Client/cache`` returns it.
    /// - Parameter bytes: the most bytes to keep, bodies and fields. The least recently used responses are removed
    ///   first.
    public static func memory(bytes: Int = 64 << 20) -> ResponseCachePolicy {
        ResponseCachePolicy(cache: ResponseCache(bytes: bytes))
    }

    /// A cache of your own, which several clients can share.
    public static func cache(_ cache: ResponseCache) -> ResponseCachePolicy { ResponseCachePolicy(cache: cache) }
}

extension ResponseCachePolicy: CustomStringConvertible {
    /// `off`, or the description of the cache.
    public var description: String { cache.map(\.description) ?? "off" }
}

extension Client {
    /// The cache of the client and of its views; nil if the client has none.
    public var cache: ResponseCache? { configuration.cache.cache }
}

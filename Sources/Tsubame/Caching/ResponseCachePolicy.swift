// ResponseCachePolicy: whether a client keeps responses.

/// Whether a client keeps responses and uses them again.
public struct ResponseCachePolicy: Sendable {
    /// Where they are kept; nil if they are not.
    public let cache: ResponseCache?

    /// No response is kept.
    public static let off = ResponseCachePolicy(cache: nil)

    /// A new cache in memory, gone with the client and its views; ``Client/cache`` is the way to it.
    /// - Parameter bytes: how much it keeps, bodies and fields; what was used longest ago goes first.
    public static func memory(bytes: Int = 64 << 20) -> ResponseCachePolicy {
        ResponseCachePolicy(cache: ResponseCache(bytes: bytes))
    }

    /// A cache that was made before, perhaps to be shared by clients.
    public static func cache(_ cache: ResponseCache) -> ResponseCachePolicy { ResponseCachePolicy(cache: cache) }
}

extension ResponseCachePolicy: CustomStringConvertible {
    /// `off`, or what the cache says of itself.
    public var description: String { cache.map(\.description) ?? "off" }
}

extension Client {
    /// The cache of the client and of its views; nil if it has none.
    public var cache: ResponseCache? { configuration.cache.cache }
}

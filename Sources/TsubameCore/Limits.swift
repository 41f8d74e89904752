// Limits: how much of what comes from a server is accepted. Always on.

/// Bounds on what a server can make the client read or hold. Beyond one, the call fails with
/// ``CallError/Kind/limitExceeded`` and a text that names it.
public struct Limits: Sendable, Hashable {
    /// A whole response head, in bytes.
    public var headBytes = 256 << 10
    /// Fields of a response head.
    public var headFields = 1_000
    /// One line of a head, in bytes.
    public var lineBytes = 64 << 10
    /// All chunk extensions of one body, in bytes.
    public var chunkExtensionBytes = 16 << 10
    /// The trailer section, in bytes.
    public var trailerBytes = 16 << 10
    /// Informational (1xx) responses before the final one.
    public var informationalResponses = 32
    /// Content codings on one response.
    public var contentCodings = 5
    /// A body collected in memory, in bytes after decoding. Streamed bodies have no limit.
    public var bufferedBody = 64 << 20
    /// Exchanges for one call: redirects, retries and authentication together. Parts of an upload that come further do not
    /// count.
    public var exchanges = 40

    /// The defaults.
    public init() {}
}

// Limits: bounds on the data that the client accepts from a server. Always on.

/// Bounds on the data that a server can make the client read or hold. If a bound is exceeded, the call fails with
/// ``CallError/Kind/limitExceeded`` and a text that names the bound.
public struct Limits: Sendable, Hashable {
    /// The size of a response head, in bytes; 256 KiB by default.
    public var headBytes = 256 << 10
    /// The number of fields in a response head; 1,000 by default.
    public var headFields = 1_000
    /// The length of one line of a head, in bytes; 64 KiB by default.
    public var lineBytes = 64 << 10
    /// The size of all chunk extensions of one body, in bytes; 16 KiB by default.
    public var chunkExtensionBytes = 16 << 10
    /// The size of the trailer section, in bytes; 16 KiB by default.
    public var trailerBytes = 16 << 10
    /// The number of informational (1xx) responses before the final one; 32 by default.
    public var informationalResponses = 32
    /// The number of content codings on one response; 5 by default.
    public var contentCodings = 5
    /// The size of a body that is collected in memory, in bytes after decoding; 64 MiB by default. A streamed body has
    /// no limit.
    public var bufferedBody = 64 << 20
    /// The number of exchanges of one call, 40 by default: redirects, retries and authentication together. Parts of an upload that
    /// make progress do not count, nor do exchanges of a download that bring a mebibyte or more.
    public var exchanges = 40

    /// The default limits.
    public init() {}
}

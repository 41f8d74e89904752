// HTTPVersion: the versions of HTTP that are spoken.

/// A version of HTTP.
public enum HTTPVersion: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// What old servers answer in (RFC 1945). Requests never go out in it.
    case http10
    /// RFC 9112.
    case http11
    /// RFC 9113.
    case http2

    /// As it stands in a status line: `HTTP/1.1`, `HTTP/2`.
    public var description: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }
}

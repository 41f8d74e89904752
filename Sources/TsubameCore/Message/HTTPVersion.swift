// HTTPVersion: the versions of HTTP that the client understands.

/// A version of HTTP.
public enum HTTPVersion: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// HTTP/1.0 (RFC 1945), in which only old servers respond. The client sends requests in it only if
    /// ``ConnectionSettings/httpVersion`` says so.
    case http10
    /// HTTP/1.1 (RFC 9112).
    case http11
    /// HTTP/2 (RFC 9113).
    case http2
    /// HTTP/3 (RFC 9114), which only other transports speak, such as URLSession on Apple's systems.
    case http3

    /// The version as a status line has it, such as `HTTP/1.1` or `HTTP/2`.
    public var description: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        case .http3: "HTTP/3"
        }
    }
}

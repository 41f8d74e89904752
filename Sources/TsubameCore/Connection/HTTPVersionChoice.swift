// HTTPVersionChoice: the version of HTTP that connections use.

extension ConnectionSettings {
    /// The version of HTTP that connections use.
    public enum HTTPVersionChoice: Sendable, Hashable, CaseIterable {
        /// HTTP/2 with servers that choose it in the TLS handshake (ALPN), and HTTP/1.1 with all others and without TLS.
        case negotiated
        /// Only HTTP/1.0 (RFC 1945), for servers that understand nothing newer. The fields are the same as with HTTP/1.1.
        /// Each connection carries one exchange. A call whose body has no known length, or has trailers, fails with
        /// ``CallError/Kind/invalidRequest``.
        case http10
        /// Only HTTP/1.1.
        case http11
        /// Only HTTP/2. Without TLS, the client begins with HTTP/2 at once (prior knowledge, RFC 9113 section 3.3). If a
        /// server does not choose HTTP/2 in the handshake, the call fails with ``CallError/Kind/tls``. If it answers in
        /// HTTP/1, the call fails with ``CallError/Kind/invalidResponse``. A call through a proxy that forwards fails with
        /// ``CallError/Kind/unsupported``.
        case http2

        /// The protocols that TLS offers, in order of preference (RFC 7301).
        package var applicationProtocols: [String] {
            switch self {
            case .negotiated: ["h2", "http/1.1"]
            case .http10: []
            case .http11: ["http/1.1"]
            case .http2: ["h2"]
            }
        }
    }
}

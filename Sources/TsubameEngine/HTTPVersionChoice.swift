// HTTPVersionChoice: which version of HTTP connections speak.

extension ConnectionSettings {
    /// Which version of HTTP is spoken.
    public enum HTTPVersionChoice: Sendable, Hashable, CaseIterable {
        /// HTTP/2 with servers that choose it in the TLS handshake (ALPN), HTTP/1.1 with all others and without TLS.
        case negotiated
        /// HTTP/1.1 and nothing else.
        case http11
        /// HTTP/2 and nothing else: without TLS it is spoken unasked, to servers that are known to understand it (RFC 9113
        /// section 3.3). A server that does not choose it fails the call (``CallError/Kind/tls``), one that answers in
        /// HTTP/1 too (``CallError/Kind/invalidResponse``). Proxies that forward cannot be spoken to in it
        /// (``CallError/Kind/unsupported``).
        case http2

        /// What TLS offers, the dearest first (RFC 7301).
        var applicationProtocols: [String] {
            switch self {
            case .negotiated: ["h2", "http/1.1"]
            case .http11: ["http/1.1"]
            case .http2: ["h2"]
            }
        }
    }
}

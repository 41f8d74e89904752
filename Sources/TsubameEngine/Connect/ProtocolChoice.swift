// ProtocolChoice: which version of HTTP is spoken on a connection.

import TsubameCore

extension ConnectionKey {
    /// The version where no handshake asks for it.
    var plainVersion: HTTPVersion {
        switch settings.settings.httpVersion {
        case .negotiated, .http11: .http11
        case .http10: .http10
        case .http2: .http2
        }
    }

    /// The version after a TLS handshake.
    /// - Parameter applicationProtocol: the server's choice (ALPN, RFC 7301).
    /// - Throws: ``CallError/Kind/tls`` if that is not what the settings allow, or is not HTTP.
    func version(chosen applicationProtocol: String?) throws(CallError) -> HTTPVersion {
        let choice = settings.settings.httpVersion
        switch applicationProtocol {
        case nil where choice == .http10: return .http10
        case "h2" where choice == .negotiated || choice == .http2: return .http2
        case nil where choice != .http2, "http/1.1" where choice != .http2: return plainVersion
        case "h2", "http/1.1", nil:
            throw CallError(
                .tls,
                "the server does not speak \(choice == .http2 ? "HTTP/2" : "HTTP/1.1"), and nothing else is wanted",
                phase: .securing, advice: "leave connection.httpVersion as it is by default")
        default: throw CallError(.tls, "the server wants to speak another protocol than HTTP", phase: .securing)
        }
    }
}

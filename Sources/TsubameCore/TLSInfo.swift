// TLSInfo: what is known of the TLS of a connection.

/// What the handshake of a connection settled.
public struct TLSInfo: Sendable, CustomStringConvertible {
    /// Such as `TLS 1.3`.
    public let version: String
    /// What was negotiated by ALPN (RFC 7301), such as `http/1.1`; nil if the server said nothing.
    public let applicationProtocol: String?
    /// The server's own certificate.
    public let certificate: ServerCertificate?

    package init(version: String, applicationProtocol: String?, certificate: ServerCertificate?) {
        self.version = version
        self.applicationProtocol = applicationProtocol
        self.certificate = certificate
    }

    /// The same as ``version``.
    public var description: String { version }
}

/// The certificate that a server showed. What it holds is worked out when it is asked for.
public struct ServerCertificate: Sendable {
    private let source: any CertificateSource

    package init(_ source: any CertificateSource) { self.source = source }

    /// The certificate in DER; empty if it cannot be had.
    public var der: Bytes { source.der }
    /// `sha256/` and the base64 of the SHA-256 of its SubjectPublicKeyInfo, as pins are written (RFC 7469 section 2.4);
    /// empty if it cannot be had.
    public var publicKeyPin: String { source.publicKeyPin }
}

/// A certificate as the TLS library holds it.
package protocol CertificateSource: Sendable {
    var der: Bytes { get }
    var publicKeyPin: String { get }
}

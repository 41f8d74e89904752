// TLSInfo: the result of a connection's TLS handshake.

/// The result of a connection's TLS handshake.
public struct TLSInfo: Sendable, CustomStringConvertible {
    /// The version of TLS, such as `TLS 1.3`.
    public let version: String
    /// The protocol that was negotiated by ALPN (RFC 7301), such as `http/1.1`; nil if the server chose none.
    public let applicationProtocol: String?
    /// The algorithms of the connection by their registered name, such as `TLS_AES_128_GCM_SHA256`; nil if the transport does not
    /// tell them.
    public let cipherSuite: String?
    /// The server's own certificate.
    public let certificate: ServerCertificate?

    package init(
        version: String, applicationProtocol: String?, cipherSuite: String? = nil, certificate: ServerCertificate?
    ) {
        self.version = version
        self.applicationProtocol = applicationProtocol
        self.cipherSuite = cipherSuite
        self.certificate = certificate
    }

    /// The same as ``version``.
    public var description: String { version }
}

/// The certificate that a server presented. Its properties are computed when they are read.
public struct ServerCertificate: Sendable {
    private let source: any CertificateSource

    package init(_ source: any CertificateSource) { self.source = source }

    /// The certificate in DER; empty if it is not available.
    public var der: Bytes { source.der }
    /// The pin of the certificate's public key: `sha256/` and the base64 of the SHA-256 of its SubjectPublicKeyInfo
    /// (RFC 7469 section 2.4). Empty if it is not available.
    public var publicKeyPin: String { source.publicKeyPin }
}

/// Ends a handshake that only reads the server's certificates.
package struct CertificatesRead: Error {
    /// The server's own certificate first. None of them was verified.
    package let certificates: [ServerCertificate]

    package init(_ certificates: [ServerCertificate]) { self.certificates = certificates }
}

/// A certificate as the TLS library holds it.
package protocol CertificateSource: Sendable {
    var der: Bytes { get }
    var publicKeyPin: String { get }
}

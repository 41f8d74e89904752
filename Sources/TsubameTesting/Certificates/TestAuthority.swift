// TestAuthority: an authority that makes certificates while a test runs.
#if TestServer

internal import HTTPBin

/// An authority of a test's own, which issues certificates for servers and clients. Its keys exist only in memory.
///
/// ```swift
/// let authority = try TestAuthority()
/// let server = try await ScriptedServer.start(tls: try authority.identity(for: ["api.example.com"])) { _ in .ok() }
/// // the client under test trusts authority.certificatePEM
/// ```
public struct TestAuthority: Sendable {
    private let maker: CertificateMaker
    /// The authority's certificate in PEM, for clients to trust. It is valid for ten years around now.
    public let certificatePEM: String

    /// Makes an authority with a P-256 key.
    /// - Throws: the error of the certificate's encoder.
    public init() throws {
        maker = try CertificateMaker()
        certificatePEM = try maker.authorityPEM
    }

    /// Makes the identity of a server.
    /// - Parameters:
    ///   - names: the host names and IP addresses of the certificate.
    ///   - begin: when the certificate becomes valid, from now on; negative for the past.
    ///   - end: when it expires, from now on; negative for a certificate that has expired.
    /// - Throws: the error of the encoder if a name cannot be in a certificate.
    public func identity(
        for names: [String] = ["localhost", "127.0.0.1", "::1"], from begin: Duration = .seconds(-60),
        until end: Duration = .seconds(86_400)
    ) throws -> TLSIdentity {
        let issued = try maker.certificate(for: names, usage: .server, from: begin, until: end)
        return TLSIdentity(certificatesPEM: issued.certificate, privateKeyPEM: issued.privateKey)
    }

    /// Makes a certificate with which a client shows who it is, and its key, both in PEM.
    /// - Parameter name: the common name of the certificate's subject.
    /// - Throws: the error of the encoder if the name cannot be in a certificate.
    public func clientCertificate(named name: String) throws -> (certificatePEM: String, privateKeyPEM: String) {
        let issued = try maker.certificate(for: [name], usage: .client, from: .seconds(-60), until: .seconds(86_400))
        return (issued.certificate, issued.privateKey)
    }
}
#endif

// TLSIdentity: the certificates, the key and the TLS settings of a ScriptedServer.
#if TestServer

internal import NIOCore
internal import NIOSSL
public import Tsubame

/// A certificate chain and its private key, with which a ``ScriptedServer`` speaks TLS.
///
/// ```swift
/// let server = try await ScriptedServer.start(tls: .localhost) { _ in .ok("secure") }
/// // the client under test trusts TestCertificates.authorityPEM
/// ```
public struct TLSIdentity: Sendable, Hashable {
    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// RFC 5246 and RFC 8446.
        case tls12, tls13
    }

    /// The certificate in PEM, followed by those of intermediate authorities.
    public var certificatesPEM: String
    /// The private key in PEM.
    public var privateKeyPEM: String
    /// The versions that the server speaks.
    public var versions: ClosedRange<Version> = .tls12 ... .tls13
    /// An authority in PEM. Every client must show a certificate that this authority issued, or the handshake fails.
    /// With nil the server asks for no certificate.
    public var clientAuthorityPEM: String?

    /// Takes a certificate with its chain, and its key, in PEM.
    public init(certificatesPEM: String, privateKeyPEM: String) {
        self.certificatesPEM = certificatesPEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// For localhost, 127.0.0.1 and ::1, issued by ``TestCertificates/authorityPEM``.
    public static let localhost = TLSIdentity(
        certificatesPEM: TestCertificates.localhostPEM, privateKeyPEM: TestCertificates.localhostKeyPEM)

    /// Like ``localhost``, but expired since February 2020.
    public static let expired = TLSIdentity(
        certificatesPEM: TestCertificates.expiredPEM, privateKeyPEM: TestCertificates.expiredKeyPEM)

    /// For `wrong.host` only, issued by ``TestCertificates/authorityPEM``.
    public static let wrongHost = TLSIdentity(
        certificatesPEM: TestCertificates.wrongHostPEM, privateKeyPEM: TestCertificates.wrongHostKeyPEM)

    /// For localhost, 127.0.0.1 and ::1, signed with its own key.
    public static let selfSigned = TLSIdentity(
        certificatesPEM: TestCertificates.selfSignedPEM, privateKeyPEM: TestCertificates.selfSignedKeyPEM)

    /// The same identity with other versions of TLS.
    public func with(versions: ClosedRange<Version>) -> TLSIdentity {
        var copy = self
        copy.versions = versions
        return copy
    }

    /// The same identity, which admits only clients with a certificate of this authority.
    public func with(clientAuthorityPEM: String) -> TLSIdentity {
        var copy = self
        copy.clientAuthorityPEM = clientAuthorityPEM
        return copy
    }

    /// - Parameters:
    ///   - http: the versions of HTTP. The server offers them by ALPN if HTTP/2 is one of them.
    ///   - named: called with the host that a client names in its first message (SNI).
    func makeContext(
        offering http: [HTTPVersion], named: @escaping @Sendable (String?) -> Void
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificatesPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKeyPEM.utf8), format: .pem)))
        configuration.minimumTLSVersion = versions.lowerBound == .tls12 ? .tlsv12 : .tlsv13
        configuration.maximumTLSVersion = versions.upperBound == .tls12 ? .tlsv12 : .tlsv13
        if http.contains(.http2) {
            configuration.applicationProtocols = http.map { $0 == .http2 ? "h2" : "http/1.1" }
        }
        if let clientAuthorityPEM {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(clientAuthorityPEM.utf8)))
        }
        configuration.sslContextCallback = { values, promise in
            named(values.serverHostname)
            promise.succeed(.noChanges)
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

extension TLSIdentity.Version: Comparable {
    /// An older version is less than a newer one.
    public static func < (left: Self, right: Self) -> Bool { left == .tls12 && right == .tls13 }
}
#endif

// CertificateMaker: makes an authority and the certificates that it signs.
#if Server
import Crypto
import SwiftASN1
import X509
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes an authority, and certificates that it signs, all with P-256 keys.
package struct CertificateMaker: Sendable {
    /// The purpose of a certificate.
    package enum Usage: Sendable {
        case server
        case client
    }

    /// A certificate and its key in PEM.
    package struct Issued: Sendable {
        package let certificate: String
        package let privateKey: String
    }

    private static let year: TimeInterval = 365 * 24 * 60 * 60

    private let key: P256.Signing.PrivateKey
    private let authority: Certificate
    private let now: Date

    /// - Parameter lifetime: the number of seconds before and after now for which the authority is valid.
    package init(lifetime: ClosedRange<Double> = -5 * Self.year...5 * Self.year) throws {
        let (key, now) = (P256.Signing.PrivateKey(), Date())
        self.key = key
        self.now = now
        let name = try DistinguishedName { CommonName("HTTPBin \(Int(now.timeIntervalSince1970))") }
        let publicKey = Certificate.PublicKey(key.publicKey)
        authority = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(lifetime.lowerBound),
            notValidAfter: now.addingTimeInterval(lifetime.upperBound), issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
    }

    /// The certificate of the authority in PEM.
    package var authorityPEM: String {
        get throws { try authority.serializeAsPEM().pemString + "\n" }
    }

    /// Makes a certificate.
    /// - Parameters:
    ///   - names: the host names and IP addresses of a server, or the name of a client.
    ///   - usage: the purpose.
    ///   - begin: when the certificate becomes valid, from now on.
    ///   - end: when it expires, from now on.
    package func certificate(
        for names: [String], usage: Usage, from begin: Duration, until end: Duration
    ) throws -> Issued {
        let own = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(own.publicKey)
        let issuer = SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(begin / .seconds(1)),
            notValidAfter: now.addingTimeInterval(end / .seconds(1)), issuer: authority.subject,
            subject: try DistinguishedName { CommonName(usage == .client ? names.first ?? "" : "HTTPBin") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([usage == .client ? .clientAuth : .serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        return Issued(
            certificate: try certificate.serializeAsPEM().pemString + "\n", privateKey: own.pemRepresentation + "\n")
    }

    /// An IP address becomes its bytes (RFC 5280 section 4.2.1.6), any other name a host name.
    private static func generalName(_ name: String) -> GeneralName {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, name, &bytes) == 1 { return .ipAddress(ASN1OctetString(contentBytes: bytes[...])) }
        }
        return .dnsName(name)
    }
}

#endif

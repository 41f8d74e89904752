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

struct CertificateMaker {
    private static let day: TimeInterval = 24 * 60 * 60

    private let authorityKey = P256.Signing.PrivateKey()
    // Set back, so that the certificate is valid for a client whose clock is a little late.
    private let begin = Date(timeIntervalSinceNow: -60)
    private var end: Date { begin.addingTimeInterval(Self.day) }

    func identity(for names: [String]) throws -> HTTPBin.Identity {
        let key = P256.Signing.PrivateKey()
        let authority = try authority()
        let certificate = try certificate(for: names, key: key, signedBy: authority)
        return HTTPBin.Identity(
            certificates: try certificate.serializeAsPEM().pemString + "\n", privateKey: key.pemRepresentation + "\n",
            authority: try authority.serializeAsPEM().pemString + "\n")
    }

    private func authority() throws -> Certificate {
        let name = try DistinguishedName { CommonName("HTTPBin \(Int(begin.timeIntervalSince1970))") }
        let key = Certificate.PublicKey(authorityKey.publicKey)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key, notValidBefore: begin,
            notValidAfter: end, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key)
            },
            issuerPrivateKey: Certificate.PrivateKey(authorityKey))
    }

    private func certificate(
        for names: [String], key: P256.Signing.PrivateKey, signedBy authority: Certificate
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let issuer = SubjectKeyIdentifier(hash: Certificate.PublicKey(authorityKey.publicKey))
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey, notValidBefore: begin,
            notValidAfter: end, issuer: authority.subject,
            subject: try DistinguishedName { CommonName("HTTPBin") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier)
            },
            issuerPrivateKey: Certificate.PrivateKey(authorityKey))
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

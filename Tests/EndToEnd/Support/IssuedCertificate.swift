// IssuedCertificate: certificates with faults that an authority should not issue, and a few correct ones.
#if Server
import Crypto
import Foundation
import SwiftASN1
import TsubameTesting
import X509

/// A certificate with its key. It may issue others, allowed or not.
struct IssuedCertificate {
    static let day: TimeInterval = 86_400

    let certificate: Certificate
    private let key: P256.Signing.PrivateKey

    var pem: String { get throws { try certificate.serializeAsPEM().pemString + "\n" } }

    /// A self-signed authority, each property of which can be changed.
    static func root(
        _ name: String = "Root", to end: TimeInterval = 10 * day,
        _ extensions: () throws -> Certificate.Extensions = authority
    ) throws -> IssuedCertificate {
        try make(name, signedBy: nil, -10 * day, end, extensions)
    }

    static func authority() throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true))
        }
    }

    static func server(_ names: [GeneralName] = [.dnsName("localhost")]) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            if !names.isEmpty { SubjectAlternativeNames(names) }
        }
    }

    /// - Parameters:
    ///   - start: in seconds from now.
    ///   - end: in seconds from now.
    func issue(
        _ name: String, from start: TimeInterval = -2 * day, to end: TimeInterval = 2 * day,
        _ extensions: () throws -> Certificate.Extensions
    ) throws -> IssuedCertificate {
        try Self.make(name, signedBy: self, start, end, extensions)
    }

    /// Makes a certificate that names `self` as its issuer but has another signer.
    func forge(_ name: String) throws -> IssuedCertificate {
        let other = IssuedCertificate(certificate: certificate, key: P256.Signing.PrivateKey())
        return try other.issue(name) { try Self.server() }
    }

    private static func make(
        _ name: String, signedBy issuer: IssuedCertificate?, _ start: TimeInterval, _ end: TimeInterval,
        _ extensions: () throws -> Certificate.Extensions
    ) throws -> IssuedCertificate {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: start), notValidAfter: Date(timeIntervalSinceNow: end),
            issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try extensions(), issuerPrivateKey: Certificate.PrivateKey((issuer?.key ?? key)))
        return IssuedCertificate(certificate: certificate, key: key)
    }

    /// The server's chain: this certificate, and the certificates between it and a root.
    func identity(with others: IssuedCertificate...) throws -> TLSIdentity {
        TLSIdentity(
            certificatesPEM: try ([self] + others).map { try $0.pem }.joined(), privateKeyPEM: key.pemRepresentation)
    }
}
#endif

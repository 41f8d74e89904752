// Certificates: the client's roots, its own identity (with a PUBLIC private key, for tests only), and the parts of a
// certificate.

import Foundation
import Testing
import Tsubame
import TsubameTesting

extension ConnectionSettings.TLS.Roots {
    /// The authority that issued the certificates of the servers under test.
    static let authority = Self.pem(TestCertificates.authorityPEM)
}

extension ConnectionSettings.TLS.Identity {
    static let client = Self.pem(certificate: ClientCertificate.pem, key: ClientCertificate.keyPEM)
}

extension TLSIdentity {
    /// Its certificate in DER.
    var der: [UInt8] {
        get throws { try ClientCertificate.der(of: certificatesPEM) }
    }

    /// The pin of its key (RFC 7469 section 2.4), computed by hand. The SubjectPublicKeyInfo of a P-256 key is always
    /// these 26 bytes, followed by the 65 of a point (RFC 5480).
    var pin: String {
        get throws {
            let start: [UInt8] = [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ]
            let der = try der
            let at = try #require(der.firstRange(of: start)).lowerBound
            let key = Array(der[at..<(at + 91)])
            return "sha256/" + Data(SHA256.digest(key)).base64EncodedString()
        }
    }
}

extension ClientCertificate {
    static var der: [UInt8] {
        get throws { try der(of: pem) }
    }

    fileprivate static func der(of pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }
}

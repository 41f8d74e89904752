// Certificates: whom a client trusts, who it says it is (with a PUBLIC private key, for tests only), and what stands in
// a certificate.

import Foundation
import Testing
import Tsubame
import TsubameTesting

extension ConnectionSettings.TLS.Roots {
    /// Who issued the certificates of the servers under test.
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

    /// The pin of its key (RFC 7469 section 2.4), worked out by hand: the SubjectPublicKeyInfo of a P-256 key is always
    /// these 26 bytes with the 65 of a point behind them (RFC 5480).
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

/// Signed with its own key, which is published here and proves nothing about anyone.
enum ClientCertificate {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBsjCCAVmgAwIBAgIUKdDGo45hcO6mqMPGBOHjrHcWl8kwCgYIKoZIzj0EAwIw
        LjEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MQ8wDQYDVQQDDAZjbGllbnQw
        IBcNMjYxMTIxMjAzMzAzWhgPMjEyNjEwMjgyMDMzMDNaMC4xGzAZBgNVBAoMElRz
        dWJhbWUgdGVzdHMgb25seTEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE8d3x4ixKBx+LgQwbqOl1YMgI7Ew0No/mKJc2CI5BkdRy0lyL
        YqK3X1YpBW3xTfgHEpHXniiQWdm2lTihW1mmfqNTMFEwHQYDVR0OBBYEFBPdMBmY
        R8YgyUJsxx+a0/b5u6OjMB8GA1UdIwQYMBaAFBPdMBmYR8YgyUJsxx+a0/b5u6Oj
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgU9C36D81o3fjSHYW
        ArJW0ey8yAx7n2ld+iClx5bxBbYCIFfcedI2UX2OpblwG65QNIzOQffJ7WNytW3n
        n8pPGLBP
        -----END CERTIFICATE-----
        """

    static let keyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgee4RVUzQ+CIpm3yj
        T7Ym8HC/m54/jho4p+PfPiKd3qChRANCAATx3fHiLEoHH4uBDBuo6XVgyAjsTDQ2
        j+YolzYIjkGR1HLSXItiordfVikFbfFN+AcSkdeeKJBZ2baVOKFbWaZ+
        -----END PRIVATE KEY-----
        """

    /// The same key, encrypted by AES-256 with ``passphrase``.
    static let encryptedKeyPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAivVGvtm78dPwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEK1HEOZMSo02rZS8u+z5lz4EgZBE
        s3BDAU/U6VymCaQ91YGID+M/7OLEw5PyJDd+4WdEMpi49O9Rnk08eqstJDJ2ckGr
        p/WiaLlnyedW/XxG9+PN/qkupDL/b/3XyYMaLw3hK/poofOQnmwU4aE6/BH6e4f9
        N8R7QsiE6oTkibBcmI/9Mx/qXl38A9lKAfmi5SuBVCImklkP1UVfV2AXXkR1Xcw=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    static let passphrase = "open sesame"

    static var der: [UInt8] {
        get throws { try der(of: pem) }
    }

    fileprivate static func der(of pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }
}

// CertificateDetailsTests: certificates of any bytes are read or refused and never trap.

import Foundation
import Testing
import TsubameWire

@Suite struct CertificateDetailsTests {
    /// For localhost, 127.0.0.1 and ::1, from 2020 to 2126.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIICBjCCAaygAwIBAgICEAEwCgYIKoZIzj0EAwIwPjEfMB0GA1UEAwwWVHN1YmFt
        ZSB0ZXN0IGF1dGhvcml0eTEbMBkGA1UECgwSVHN1YmFtZSB0ZXN0cyBvbmx5MCAX
        DTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAxMRIwEAYDVQQDDAlsb2Nh
        bGhvc3QxGzAZBgNVBAoMElRzdWJhbWUgdGVzdHMgb25seTBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABOS13iN7YZaR+mS2soHKzkju7/MEAde4DStGFT+COLjS4OgD
        kmugYBPcBCV2SXdXtjVMWwLgRcKQhHMghjCB7nmjgaQwgaEwDAYDVR0TAQH/BAIw
        ADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYE
        FIZJ0/rZyaIJgaPWUHKWkdzfAtWZMB8GA1UdIwQYMBaAFNeQg5WLQ4JEd+KrDxoy
        i6pWKp4lMCwGA1UdEQQlMCOCCWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAAAAAA
        AAAAATAKBggqhkjOPQQDAgNIADBFAiEAxGnbcgPZX4XZcQWJMAiSMTlXnhecmWmi
        NECB8BbElMoCIC7T9CSjHzcmJAOIQxMMut85dVQ96NRCbVrLbroD/o1M
        -----END CERTIFICATE-----
        """

    private func der() throws -> [UInt8] { try #require(PEM.certificates(in: Self.pem).first) }

    @Test func `what a certificate says of itself is read`() throws {
        let details = try #require(CertificateDetails(der: try der()))
        #expect(details.subjectName == "localhost" && details.issuerName == "Tsubame test authority")
        #expect(details.commonName == "localhost" && !details.isSelfIssued)
        #expect(details.notBefore == 1_577_836_800 && details.notAfter == 4_922_899_200)
        #expect(details.hostNames == ["localhost"])
        #expect(details.addresses == [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]])
        #expect(details.isAuthority == false && details.pathLength == nil && details.maySignCertificates == false)
        #expect(details.mayBeServer && details.permittedHosts == nil && details.excludedHosts == [])
    }

    @Test func `one that is cut off anywhere is none, or has less to say`() throws {
        let der = try der()
        for end in der.indices { #expect(CertificateDetails(der: Array(der[..<end])) == nil) }
        #expect(CertificateDetails(der: []) == nil)
    }

    @Test func `every byte of it may be any other`() throws {
        let der = try der()
        var read = 0
        for index in der.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0x84, 0xFF, der[index] ^ 0x20, der[index] &+ 1] as [UInt8] {
                var other = der
                other[index] = value
                let chain = CertificateChain([other, other], isComplete: true)
                if !chain.faults(roots: [:], now: .max).isEmpty { read += 1 }
            }
        }
        // Each has a fault: it is expired, has an unknown issuer, or cannot be read.
        #expect(read == der.count * 8)
    }

    @Test func `FAULT 5: lengths that lie are believed nowhere`() {
        for bytes in [
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 1, 1, 1, 1, 1], [0x30, 0x80], [0x30, 0x82, 0x01],
            [0x3F, 0x01, 0x00], [0x30], [0x30, 0x03, 0x30, 0x84, 0x7F],
        ] as [[UInt8]] {
            #expect(CertificateDetails(der: bytes) == nil)
        }
    }

    @Test func `only certificates are read from a text`() throws {
        let text =
            "junk\r\n" + Self.pem.replacing("\n", with: "\r\n") + "\n-----BEGIN CERTIFICATE-----\n!!\n"
            + "-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" + Self.pem
        #expect(PEM.certificates(in: text) == [try der(), try der()])
        #expect(PEM.certificates(in: "-----BEGIN CERTIFICATE-----\nAAAA") == [])
    }
}

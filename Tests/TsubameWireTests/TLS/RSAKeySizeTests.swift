// RSAKeySizeTests: the length of the key in a SubjectPublicKeyInfo.

import Testing
import TsubameWire

@Suite struct RSAKeySizeTests {
    /// An RSA SubjectPublicKeyInfo with this modulus and the exponent 65537.
    private func key(_ modulus: [UInt8], algorithm: UInt8 = 0x01) -> [UInt8] {
        let numbers = value(0x30, value(0x02, modulus) + value(0x02, [0x01, 0x00, 0x01]))
        let name = value(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, algorithm])
        return value(0x30, value(0x30, name + value(0x05, [])) + value(0x03, [0] + numbers))
    }

    private func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    @Test func `FAULT 7: the bits of an RSA modulus are counted`() {
        let (rest, longRest) = ([UInt8](repeating: 0xFF, count: 127), [UInt8](repeating: 0xFF, count: 255))
        #expect(RSAKeySize.bits(ofSPKI: key([0x00, 0x80] + rest)) == 1024)
        #expect(RSAKeySize.bits(ofSPKI: key([0x7F] + rest)) == 1023)
        #expect(RSAKeySize.bits(ofSPKI: key([0x00, 0x80] + longRest, algorithm: 0x0A)) == 2048)
        #expect(RSAKeySize.bits(ofSPKI: key([0x00])) == 0)
        #expect(RSAKeySize.bits(ofSPKI: key([])) == 0)
    }

    @Test func `a key of another kind, or one that is cut off, has no such length`() {
        let whole = key([0x00, 0x80] + [UInt8](repeating: 1, count: 127))
        for end in whole.indices { #expect(RSAKeySize.bits(ofSPKI: Array(whole[..<end])) == nil) }
        // The first bytes of every key on the curve P-256 (RFC 5480).
        let elliptic: [UInt8] =
            [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
            ] + [UInt8](repeating: 7, count: 64)
        #expect(RSAKeySize.bits(ofSPKI: elliptic) == nil)
    }
}

// RSAKeySize: finds the length of an RSA key.

package enum RSAKeySize {
    /// The common prefix of the object identifiers of PKCS #1 (RFC 8017 appendix A).
    private static let family: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]

    /// The length of the modulus in bits; nil for a key of another kind.
    /// - Parameter key: a SubjectPublicKeyInfo in DER (RFC 5280 section 4.1.2.7).
    package static func bits(ofSPKI key: [UInt8]) -> Int? {
        var outer = DERReader(key[...])
        guard var parts = outer.next(DERReader.Tag.sequence)?.values,
            var algorithm = parts.next(DERReader.Tag.sequence)?.values,
            let name = algorithm.next(DERReader.Tag.objectIdentifier), name.content.starts(with: family),
            let string = parts.next(DERReader.Tag.bitString)
        else { return nil }
        // The first byte is the number of unused bits in the last one.
        var inner = DERReader(string.content.dropFirst())
        guard var numbers = inner.next(DERReader.Tag.sequence)?.values,
            let modulus = numbers.next(DERReader.Tag.integer)?.content.drop(while: { $0 == 0 })
        else { return nil }
        return modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    }
}

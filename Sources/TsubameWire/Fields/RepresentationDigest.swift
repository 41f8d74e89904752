// RepresentationDigest: the server's digest of a representation's bytes (RFC 9530).

/// The value of `Repr-Digest` or `Content-Digest`: a dictionary of algorithms and byte sequences (RFC 8941 section
/// 3.2).
package enum RepresentationDigest {
    /// No server sends a longer field on purpose.
    private static let maximumBytes = 4096

    /// The 32 bytes of `sha-256`; nil if the member is missing or malformed. If it is repeated, the last one counts,
    /// as for every key of such a dictionary.
    package static func sha256(_ field: String) -> [UInt8]? {
        guard field.utf8.count <= maximumBytes else { return nil }
        var result: [UInt8]?
        // A byte sequence cannot hold a comma, so splitting at commas is safe.
        for member in field.split(separator: ",") {
            let member = member.drop { $0 == " " || $0 == "\t" }
            guard let equals = member.firstIndex(of: "="), member[..<equals] == "sha-256" else { continue }
            let value = member[member.index(after: equals)...].prefix { $0 != ";" }
            let text = value.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            guard text.count > 2, text.first == ":", text.last == ":" else { return nil }
            result = bytes(ofBase64: String(text.dropFirst().dropLast()))
        }
        return result?.count == 32 ? result : nil
    }

    private static func bytes(ofBase64 text: String) -> [UInt8]? {
        var (result, bits, count) = ([UInt8](), UInt32(0), 0)
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case 0x41...0x5A: digit = byte - 0x41
            case 0x61...0x7A: digit = byte - 0x61 + 26
            case 0x30...0x39: digit = byte - 0x30 + 52
            case 0x2B: digit = 62
            case 0x2F: digit = 63
            // Padding stands only at the end, so it adds no bits.
            case 0x3D: continue
            default: return nil
            }
            bits = bits &<< 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits &>> UInt32(count)))
            }
        }
        return result
    }
}

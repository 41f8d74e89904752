// Quotation: a few received bytes for an error text, limited in length and printable.

enum Quotation {
    /// The bytes in quotation marks, cut to `limit` bytes. Bytes other than visible ASCII and space are written as
    /// `\xNN`.
    static func of(_ bytes: UnsafeRawBufferPointer, upTo limit: Int = 40) -> String {
        var text = "\""
        for byte in bytes.prefix(limit) { text += escaped(byte) }
        return text + (bytes.count > limit ? "…\"" : "\"")
    }

    /// One byte, as `"x"` or 0xNN.
    static func of(_ byte: UInt8) -> String {
        byte >= 0x20 && byte < 0x7F ? "\"\(Character(Unicode.Scalar(byte)))\"" : "0x" + hexadecimal(byte)
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case 0x22, 0x5C: "\\\(Character(Unicode.Scalar(byte)))"
        case 0x20..<0x7F: String(Character(Unicode.Scalar(byte)))
        default: "\\x" + hexadecimal(byte)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }
}

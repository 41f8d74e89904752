// Quotation: a few received bytes in an error text, bounded and printable.

enum Quotation {
    /// The bytes in quotation marks, cut to `limit`, with `\xNN` for what is not visible ASCII or a space.
    static func of(_ bytes: UnsafeRawBufferPointer, upTo limit: Int = 40) -> String {
        var text = "\""
        for byte in bytes.prefix(limit) { text += escaped(byte) }
        return text + (bytes.count > limit ? "…\"" : "\"")
    }

    /// One byte: `"x"`, or 0xNN.
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

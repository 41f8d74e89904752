// EncodedBytes: bytes that a file writes as base64 or as hexadecimal digits.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

package enum EncodedBytes {
    /// nil if the text has another character than the alphabet, white space and the padding at its end. The padding may
    /// be left out.
    package static func base64(_ text: String) -> [UInt8]? {
        var digits = text.utf8.filter { !isBlank($0) }
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }

    package static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { !isBlank($0) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    package static func base64Text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

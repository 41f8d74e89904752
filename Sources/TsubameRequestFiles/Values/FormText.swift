// FormText: the pairs of a form as a user writes them, in the form in which they are sent.

import TsubameCore

package enum FormText {
    /// Names and values without blanks around them. Characters that a form cannot hold are percent-encoded. Characters that
    /// are encoded already stay.
    package static func encoded(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { encodedPart(String($0).trimmed) }.joined(separator: "=")
        }.joined(separator: "&")
    }

    private static func encodedPart(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result = ""
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let isEncoded =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count && isDigit(bytes[index + 1])
                && isDigit(bytes[index + 2])
            if isEncoded || (0x21...0x7E).contains(byte) && !"%\"<>\\^`{|}#".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += PercentEncoding.encode([byte])
            }
            index += 1
        }
        return result
    }

    private static func isDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}

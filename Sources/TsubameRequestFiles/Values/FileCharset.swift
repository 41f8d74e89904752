// FileCharset: the charsets of files whose expressions are replaced.

package enum FileCharset: String, Sendable {
    case utf8, latin1, utf16

    /// A charset by the name that VS Code has for it; UTF-8 for an empty name, and nil for one that is not known.
    init?(named name: String) {
        switch name.lowercased() {
        case "", "utf8", "utf-8", "ascii": self = .utf8
        case "latin1", "binary", "iso-8859-1": self = .latin1
        case "utf16le", "ucs2", "ucs-2", "utf-16le": self = .utf16
        default: return nil
        }
    }

    /// The text of bytes in this charset; nil if they are none.
    package func text(of bytes: [UInt8]) -> String? {
        switch self {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .latin1: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .utf16:
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
            return String(validating: units, as: UTF16.self)
        }
    }
}

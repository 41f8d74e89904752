// String and Number: small readings of text that several endpoints share.
#if Server
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension String {
    /// The text without spaces and tabs at its ends.
    var trimmed: String {
        var text = self[...]
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text.drop { $0 == " " || $0 == "\t" })
    }

    init(latin1 bytes: some Sequence<UInt8>) {
        var scalars = UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        self.init(scalars)
    }

    /// The bytes as text if they are valid UTF-8, otherwise as a `data:` URL (RFC 2397).
    init(readableOr mediaType: String, _ bytes: [UInt8]) {
        self =
            String(validating: bytes, as: UTF8.self)
            ?? "data:\(mediaType);base64,\(Data(bytes).base64EncodedString())"
    }
}

enum Number {
    /// A run of decimal digits; `Int.max` if the number is larger.
    static func digits(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }

    /// Any integer, as Python's `int` reads it. A number out of range becomes `Int.max` or `Int.min`.
    static func integer(_ text: String) -> Int? {
        let trimmed = text.trimmed
        let unsigned = trimmed.first == "-" || trimmed.first == "+" ? String(trimmed.dropFirst()) : trimmed
        guard let magnitude = digits(unsigned) else { return nil }
        return trimmed.first == "-" ? -magnitude : magnitude
    }

    /// A run of decimal digits of any length without leading zeros; nil for any other text.
    static func canonical(_ text: String) -> String? {
        guard digits(text) != nil else { return nil }
        let significant = text.drop { $0 == "0" }
        return significant.isEmpty ? "0" : String(significant)
    }

    /// A count from a parameter, from 0 to `limit`.
    static func count(_ text: String?, default value: Int, limit: Int) throws -> Int {
        guard let text else { return value }
        guard let count = digits(text) else { throw Problem(400, "not a count: \(text)") }
        return min(count, limit)
    }

    /// A time in seconds from a parameter, at most `limit`.
    static func seconds(_ text: String?, default value: Double = 0, limit: Double = 3600) throws -> Double {
        guard let text else { return value }
        guard let seconds = Double(text), seconds >= 0 else { throw Problem(400, "not a time in seconds: \(text)") }
        return min(seconds, limit)
    }
}

#endif

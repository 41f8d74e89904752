// ParameterCoding+Reading: the conversion of a parameter's text into a value.
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ParameterCoding {
    func isNil(_ text: String) -> Bool { nils != .dropped && text == textOfNil }

    /// The value of a type that is one parameter; nil if `type` has parts and must decode itself.
    /// - Throws: `DecodingError.dataCorrupted` if the text is not such a value. The error does not contain the text,
    ///   because it may be a secret.
    func value<T>(of type: T.Type, from text: String, at codingPath: [any CodingKey]) throws -> T? {
        guard let value = value(ofAny: type, from: text) else { return nil }
        guard let value = value as? T else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "Cannot read \(text.utf8.count) bytes as \(type)."))
        }
        return value
    }

    /// nil for a type that is not one parameter; `Unreadable` for a text that is not a value of the type.
    private func value(ofAny type: Any.Type, from text: String) -> Any? {
        switch type {
        case is String.Type: text
        case is Bool.Type: bool(text) ?? Unreadable()
        case let type as any FixedWidthInteger.Type: integer(type, text)
        case is Double.Type: Double(text).flatMap { $0.isFinite ? $0 : nil } ?? Unreadable()
        case is Float.Type: Float(text).flatMap { $0.isFinite ? $0 : nil } ?? Unreadable()
        case is Date.Type: date(text) ?? Unreadable()
        case is Data.Type: Data(base64Encoded: text) ?? Unreadable()
        case is URL.Type: URL(string: text) ?? Unreadable()
        case is UUID.Type: UUID(uuidString: text) ?? Unreadable()
        case is Decimal.Type: decimal(text) ?? Unreadable()
        default: nil
        }
    }

    private struct Unreadable {}

    private func integer<I: FixedWidthInteger>(_ type: I.Type, _ text: String) -> Any { I(text) ?? Unreadable() }

    /// Both spellings are read, even if `booleans` writes only one.
    private func bool(_ text: String) -> Bool? {
        switch text {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// `Decimal(string:)` stops at the first invalid character and accepts the text before it, so the text is checked
    /// first.
    private func decimal(_ text: String) -> Decimal? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }), Double(text) != nil
        else { return nil }
        return Decimal(string: text)
    }

    private func date(_ text: String) -> Date? {
        switch dates {
        case .iso8601: ISO8601Date(text)?.date
        case .secondsSince1970: number(text).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: number(text).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .custom(_, let read): read(text)
        }
    }

    private func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}

/// A date such as `2026-11-21T04:35:47Z`, `2026-11-21T04:35:47.25+09:00` or `2026-11-21` (RFC 3339 section 5.6). A
/// date without a time is its first second in UTC.
struct ISO8601Date {
    let date: Date

    init?(_ text: String) {
        var rest = text.utf8[...]
        /// A number of exactly `digits` digits, after `mark` if it is given.
        func number(_ digits: Int, after mark: Character? = nil) -> Int? {
            if let mark {
                guard rest.first == mark.asciiValue else { return nil }
                rest = rest.dropFirst()
            }
            let text = rest.prefix(digits)
            guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(digits)
            return Int(String(Substring(text)))
        }
        guard let year = number(4), let month = number(2, after: "-"), let day = number(2, after: "-") else {
            return nil
        }
        var (hour, minute, second, fraction, offset) = (0, 0, 0, 0.0, 0)
        if let separator = rest.first {
            guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: "t") || separator == UInt8(ascii: " ")
            else { return nil }
            rest = rest.dropFirst()
            guard let hours = number(2), let minutes = number(2, after: ":"), let seconds = number(2, after: ":") else {
                return nil
            }
            (hour, minute, second) = (hours, minutes, seconds)
            if rest.first == UInt8(ascii: ".") {
                let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
                guard !digits.isEmpty, let value = Double("0." + String(Substring(digits.prefix(18)))) else {
                    return nil
                }
                fraction = value
                rest = rest[digits.endIndex...]
            }
            switch rest.first {
            case UInt8(ascii: "Z"), UInt8(ascii: "z"): rest = rest.dropFirst()
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                let sign = rest.first == UInt8(ascii: "+") ? 1 : -1
                rest = rest.dropFirst()
                guard let hours = number(2), let minutes = number(2, after: ":"), hours < 24, minutes < 60 else {
                    return nil
                }
                offset = sign * (hours * 3_600 + minutes * 60)
            default: return nil
            }
        }
        guard rest.isEmpty,
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        date = Date(timeIntervalSince1970: Double(civil.secondsSince1970 - Int64(offset)) + fraction)
    }
}

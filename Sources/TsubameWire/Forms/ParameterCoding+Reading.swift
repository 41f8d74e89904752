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

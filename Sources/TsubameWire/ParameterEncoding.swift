// How names and values are spelt in a query or a form; ParameterEncoder does the walking.
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

package struct ParameterEncoding: Sendable, Hashable {
    /// `outer[inner]`, `name[]`, `true`/`false`, ISO 8601 dates in UTC, base64 data, shortest numbers.
    package static let standard = ParameterEncoding()

    func name(of key: String, in parent: String?) -> String {
        guard let parent else { return key }
        return "\(parent)[\(key)]"
    }

    func elementName(in parent: String) -> String {
        "\(parent)[]"
    }

    /// The text of a value that is one parameter; nil if the value has parts, or is nil, and must encode itself.
    func text(of value: some Encodable, at codingPath: [any CodingKey]) throws -> String? {
        switch value {
        case let value as String: return value
        case let value as Bool: return value ? "true" : "false"
        case let value as any BinaryInteger: return value.description
        case let value as Double: return try text(ofNumber: value, at: codingPath)
        case let value as Float: return try text(ofNumber: value, at: codingPath)
        case let value as Date: return try text(ofDate: value, at: codingPath)
        case let value as Data: return value.base64EncodedString()
        case let value as URL: return value.absoluteString
        case let value as UUID: return value.uuidString
        case let value as Decimal: return value.description
        default: return nil
        }
    }

    private func text(
        ofNumber number: some BinaryFloatingPoint & CustomStringConvertible, at codingPath: [any CodingKey]
    ) throws -> String {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "The number is not finite."))
        }
        return number.shortestText
    }

    private func text(ofDate date: Date, at codingPath: [any CodingKey]) throws -> String {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)),
            let text = CivilTime(secondsSince1970: seconds).iso8601
        else {
            // Not the date itself: printing one that is not finite traps in FoundationEssentials.
            throw EncodingError.invalidValue(
                date.timeIntervalSince1970,
                .init(codingPath: codingPath, debugDescription: "The date is not in the years 0 to 9999."))
        }
        return text
    }
}

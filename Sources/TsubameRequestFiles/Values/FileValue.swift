// FileValue: a value that a capture or an assert takes from a response.

import TsubameWire

/// A value with its kind. The kinds are those of Hurl.
package enum FileValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int128)
    case number(Double)
    /// A fraction in another spelling than that of ``number(_:)``, such as `1.10`. It is sent as it is, and compared as a
    /// number.
    case decimal(String)
    case text(String)
    case bytes([UInt8])
    case date(FileDate)
    case list([FileValue])
    case object([(name: String, value: FileValue)])

    package init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .string(let text): .text(text)
            case .array(let elements): .list(elements.map(FileValue.init))
            case .object(let members): .object(members.map { ($0.name, FileValue($0.value)) })
            }
    }

    /// The value of a text outside of a file, such as `--var n=3`: a number, `true`, `false` or `null` by its look; in
    /// quotation marks always a string.
    package init(typed text: String) {
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            self = .text(String(text.dropFirst().dropLast()))
            return
        }
        let isNumber = text.first.map { $0.isASCII && $0.isNumber || $0 == "-" } ?? false
        switch text {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "null": self = .null
        default:
            if isNumber, let integer = Int128(text), "\(integer)" == text {
                self = .integer(integer)
            } else if isNumber, let number = Double(text), "\(number)" == text {
                self = .number(number)
            } else if Self.isDecimal(text) {
                self = .decimal(text)
            } else {
                self = .text(text)
            }
        }
    }

    /// Whether the text is digits, a point and digits, without zeros that are not needed before them.
    private static func isDecimal(_ text: String) -> Bool {
        let parts = text.trimmingPrefix("-").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            return false
        }
        return parts[0] == "0" || parts[0].first != "0"
    }

    /// The value as checks and filters see it.
    package var plain: FileValue {
        if case .decimal(let text) = self { Double(text).map { .number($0) } ?? .text(text) } else { self }
    }

    /// The kind, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number, .decimal: "float"
        case .text: "string"
        case .bytes: "bytes"
        case .date: "date"
        case .list: "list"
        case .object: "object"
        }
    }

    /// The most characters of a value in a message. Reports cut it once more, after they have taken secrets out.
    private static let longestShown = 65_536

    /// The value in a message, with its kind.
    package var shown: String { "\(kind) <\(shortened)>" }

    private var shortened: String {
        let text = text
        return text.utf8.count > Self.longestShown ? text.prefix(Self.longestShown) + "…" : text
    }

    /// The value as it stands in a text with expressions.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .decimal(let text), .text(let text): text
        case .bytes(let bytes): Hexadecimal.text(bytes)
        case .date(let date): date.text
        case .list, .object: json.compactText
        }
    }

    /// The value as JSON. Bytes become hexadecimal digits.
    package var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .decimal(let text), .text(let text): .string(text)
        case .bytes(let bytes): .string(Hexadecimal.text(bytes))
        case .date(let date): .string(date.text)
        case .list(let values): .array(values.map(\.json))
        case .object(let members): .object(members.map { ($0.name, $0.value.json) })
        }
    }
}

extension FileValue: Equatable {
    package static func == (left: FileValue, right: FileValue) -> Bool {
        switch (left, right) {
        case (.bytes(let left), .bytes(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.bytes, _), (_, .bytes), (.date, _), (_, .date): false
        default: left.json == right.json
        }
    }
}

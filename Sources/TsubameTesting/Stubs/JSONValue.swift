// JSONValue: a JSON value that is compared by content.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A JSON value whose members have no order.
indirect enum JSONValue: Equatable, Decodable {
    case null
    case bool(Bool)
    /// A whole number, which a `Double` might round.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init?(parsing data: Data) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value as text, with its members in order.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    /// The path of the first place where this value differs, such as `user.tags[1]`; nil if both are equal. The values
    /// are left out, since they may be secret.
    /// - Parameter matches: whether a text of this value fits a text of the other one.
    func firstDifference(
        from other: JSONValue, at path: String = "", _ matches: (String, String) -> Bool = { $0 == $1 }
    ) -> String? {
        let here = path.isEmpty ? "its root" : path
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            for name in Set(mine.keys).union(others.keys).sorted() {
                let inner = path.isEmpty ? name : "\(path).\(name)"
                guard let one = mine[name] else { return "\(inner), which is missing" }
                guard let two = others[name] else { return "\(inner), which is not expected" }
                if let difference = one.firstDifference(from: two, at: inner, matches) { return difference }
            }
            return nil
        case (.array(let mine), .array(let others)):
            for (index, (one, two)) in zip(mine, others).enumerated() {
                if let difference = one.firstDifference(from: two, at: "\(path)[\(index)]", matches) {
                    return difference
                }
            }
            return mine.count == others.count
                ? nil : "\(here), which has \(mine.count) elements, and not \(others.count)"
        case (.string(let mine), .string(let other)): return matches(mine, other) ? nil : here
        // A number may be withheld too.
        case (.string(let mine), .integer), (.string(let mine), .number):
            return matches(mine, other.text) ? nil : here
        default: return self == other ? nil : here
        }
    }
}

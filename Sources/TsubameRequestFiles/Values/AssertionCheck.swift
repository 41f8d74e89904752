// AssertionCheck: whether the value of an assert is the expected one.

import TsubameCore

/// A check that failed.
package struct AssertionFailure: Sendable, Equatable {
    package let place: FilePlace
    /// The assert as it is written.
    package let text: String
    package let actual: String
    package let expected: String

    package init(place: FilePlace, text: String, actual: String, expected: String) {
        self.place = place
        self.text = text
        self.actual = actual
        self.expected = expected
    }
}

extension ValueReading {
    /// nil if the assert holds.
    package func failure(of assertion: Assertion) -> AssertionFailure? {
        func failure(_ actual: String, _ expected: String) -> AssertionFailure {
            AssertionFailure(place: assertion.path.place, text: assertion.text, actual: actual, expected: expected)
        }
        do throws(ValueProblem) {
            let value = try value(of: assertion.path)?.plain
            let (holds, expected) = try check(value, assertion.predicate)
            // Without a value, nothing but its absence holds.
            if value == nil, !assertion.predicate.isAboutPresence {
                return failure("none", (assertion.isNegated ? "not " : "") + expected)
            }
            if holds != assertion.isNegated { return nil }
            let wanted =
                expected == "something" && assertion.isNegated ? "none" : (assertion.isNegated ? "not " : "") + expected
            return failure(value?.shown ?? "none", wanted)
        } catch {
            return failure(error.reason, assertion.text)
        }
    }

    /// Whether a predicate holds, and what it expects, in words.
    private func check(
        _ value: FileValue?, _ predicate: Predicate
    ) throws(ValueProblem) -> (holds: Bool, expected: String) {
        switch predicate {
        case .kind(.exists): return (value != nil, "something")
        case .kind(.isEmpty):
            guard let value else { return (false, "isEmpty") }
            guard value.hasLength else {
                throw ValueProblem(
                    "isEmpty looks at strings, bytes, lists and objects, and not at a value of the kind \(value.kind)")
            }
            return (Self.isOfKind(value, .isEmpty), "isEmpty")
        case .kind(let kind): return (value.map { Self.isOfKind($0, kind) } ?? false, kind.rawValue)
        case .matches(let pattern):
            let source = pattern.source
            let pattern = try variables.pattern(of: pattern)
            guard let value else { return (false, "a string that matches /\(source)/") }
            guard case .text(let text) = value else {
                throw ValueProblem("matches looks at strings, and not at a value of the kind \(value.kind)")
            }
            return (try ValueReading.match(pattern, in: text) != nil, "a string that matches /\(source)/")
        case .comparison(let comparison, let expected):
            var other = try self.value(of: expected)
            // A field or a text holds the spelling of a number, and JSON its value.
            if case .text? = value, case .decimal(let spelling) = other { other = .text(spelling) }
            other = other.plain
            guard let value else { return (false, "\(comparison.rawValue) \(other.shown)") }
            return (try compare(value, comparison, other), "\(comparison.rawValue) \(other.shown)")
        }
    }

    func value(of expected: ExpectedValue) throws(ValueProblem) -> FileValue {
        switch expected {
        case .text(let template): return .text(try variables.text(of: template))
        case .graphQL(let template): return .text(GraphQLQuery.json(of: try variables.text(of: template)))
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .bytes(let bytes): return .bytes(bytes)
        case .expression(let name, _): return try variables.value(of: name)
        case .pattern: throw ValueProblem("a pattern needs the predicate matches")
        case .file(let path): return .bytes(try readFile(variables.text(of: path)))
        }
    }

    private func compare(
        _ value: FileValue, _ comparison: Predicate.Comparison, _ other: FileValue
    ) throws(ValueProblem) -> Bool {
        switch comparison {
        case .equal: return value == other
        case .notEqual: return value != other
        case .less: return try Self.isLess(value, other)
        case .greater: return try Self.isLess(other, value)
        case .notLess:
            if value == other { return true }
            return try Self.isLess(other, value)
        case .notGreater:
            if value == other { return true }
            return try Self.isLess(value, other)
        case .startsWith:
            switch (value, other) {
            case (.text(let text), .text(let start)): return text.utf8.starts(with: start.utf8)
            case (.bytes(let bytes), .bytes(let start)): return bytes.starts(with: start)
            default: throw ValueProblem("startsWith compares two strings, or bytes")
            }
        case .endsWith:
            switch (value, other) {
            case (.text(let text), .text(let end)): return text.utf8.reversed().starts(with: end.utf8.reversed())
            case (.bytes(let bytes), .bytes(let end)): return bytes.reversed().starts(with: end.reversed())
            default: throw ValueProblem("endsWith compares two strings, or bytes")
            }
        case .contains, .includes:
            switch (value, other) {
            case (.text(let text), .text(let part)):
                return part.isEmpty || Array(text.utf8).firstRange(of: Array(part.utf8)) != nil
            case (.bytes(let bytes), .bytes(let part)): return part.isEmpty || bytes.firstRange(of: part) != nil
            case (.list(let values), _): return values.contains(other)
            default: throw ValueProblem("contains looks into strings, bytes and lists, and not into \(value.kind)")
            }
        }
    }

    private static func isLess(_ left: FileValue, _ right: FileValue) throws(ValueProblem) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return left < right
        case (.date(let left), .date(let right)):
            return (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        case (.text(let left), .text(let right)):
            return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
        default:
            guard let left = left.json.double, let right = right.json.double else {
                throw ValueProblem("\(left.kind) and \(right.kind) have no order")
            }
            return left < right
        }
    }

    private static func isOfKind(_ value: FileValue, _ kind: Predicate.Kind) -> Bool {
        switch (kind, value) {
        case (.exists, _), (.isBoolean, .bool), (.isInteger, .integer), (.isFloat, .number), (.isNumber, .integer),
            (.isNumber, .number), (.isString, .text), (.isList, .list), (.isObject, .object), (.isCollection, .list),
            (.isCollection, .object), (.isCollection, .bytes):
            true
        case (.isEmpty, .text(let text)): text.isEmpty
        case (.isEmpty, .bytes(let bytes)): bytes.isEmpty
        case (.isEmpty, .list(let values)): values.isEmpty
        case (.isEmpty, .object(let members)): members.isEmpty
        case (.isIsoDate, .text(let text)): (try? isoDate?.matchesWhole(text)) ?? false
        case (.isUuid, .text(let text)): (try? uuid?.matchesWhole(text)) ?? false
        case (.isDate, .date): true
        case (.isIpv4, .text(let text)): IPAddress(text)?.bytes.count == 4
        case (.isIpv6, .text(let text)): IPAddress(text)?.bytes.count == 16 && !text.contains("%")
        default: false
        }
    }

    private static let isoDate = try? Pattern(
        #"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)"#
    )
    private static let uuid = try? Pattern("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
}

extension Predicate {
    /// Whether the predicate looks at the presence of a value.
    fileprivate var isAboutPresence: Bool { if case .kind(.exists) = self { true } else { false } }
}

extension FileValue {
    fileprivate var hasLength: Bool {
        switch self {
        case .text, .bytes, .list, .object: true
        case .null, .bool, .integer, .number, .decimal, .date: false
        }
    }
}

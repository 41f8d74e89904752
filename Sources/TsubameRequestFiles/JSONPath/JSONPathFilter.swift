// JSONPathFilter: the expression of a filter selector, and its functions (RFC 9535 sections 2.3.5 and 2.4).

indirect enum JSONPathFilter: Sendable {
    enum Comparison: String, Sendable, CaseIterable {
        // The longer ones come first, because they begin like others.
        case equal = "==", notEqual = "!=", notGreater = "<=", notLess = ">=", less = "<", greater = ">"
    }

    /// A query within a filter.
    struct Query: Sendable {
        let path: JSONPath
        /// Whether it begins at the current value (`@`), and not at the root.
        let isRelative: Bool

        func values(_ current: JSONValue, _ root: JSONValue) throws(JSONPath.TooMany) -> [JSONValue] {
            try path.values(from: isRelative ? current : root, root: root)
        }
    }

    /// An expression that has one value or none.
    indirect enum Operand: Sendable {
        case literal(JSONValue)
        /// A singular query.
        case query(Query)
        case length(Operand)
        case count(Query)
        case value(Query)
    }

    /// A pattern that is written in the query, or comes from the document.
    enum MatchPattern: Sendable {
        /// nil for a text that is no pattern, which matches nothing.
        case fixed(Pattern?)
        case operand(Operand)
    }

    case or([JSONPathFilter])
    case and([JSONPathFilter])
    case not(JSONPathFilter)
    case comparison(Operand, Comparison, Operand)
    case exists(Query)
    case match(Operand, MatchPattern, isWhole: Bool)

    func holds(for current: JSONValue, root: JSONValue) throws(JSONPath.TooMany) -> Bool {
        switch self {
        case .or(let parts):
            for part in parts where try part.holds(for: current, root: root) { return true }
            return false
        case .and(let parts):
            for part in parts where try !part.holds(for: current, root: root) { return false }
            return true
        case .not(let part): return try !part.holds(for: current, root: root)
        case .exists(let query): return try !query.values(current, root).isEmpty
        case .comparison(let left, let comparison, let right):
            return comparison.holds(try left.value(current, root), try right.value(current, root))
        case .match(let operand, let pattern, let isWhole):
            guard case .string(let text) = try operand.value(current, root) else { return false }
            let compiled: Pattern?
            switch pattern {
            case .fixed(let fixed): compiled = fixed
            case .operand(let operand):
                guard case .string(let text) = try operand.value(current, root) else { return false }
                // The document may bring one pattern for each of its values.
                compiled = try? Pattern(text, .interoperable, maximumSteps: 1_000)
            }
            guard let compiled else { return false }
            do throws(Pattern.TooMuchWork) {
                return try isWhole ? compiled.matchesWhole(text) : compiled.firstMatch(in: text) != nil
            } catch {
                throw JSONPath.TooMany()
            }
        }
    }
}

extension JSONPathFilter.Operand {
    /// nil for nothing: a query that selects no value, or a function without a result.
    func value(_ current: JSONValue, _ root: JSONValue) throws(JSONPath.TooMany) -> JSONValue? {
        switch self {
        case .literal(let value): return value
        case .query(let query): return try query.values(current, root).first
        case .count(let query): return .integer(Int128(try query.values(current, root).count))
        case .value(let query):
            let values = try query.values(current, root)
            return values.count == 1 ? values[0] : nil
        case .length(let operand):
            return switch try operand.value(current, root) {
            case .string(let text): .integer(Int128(text.unicodeScalars.count))
            case .array(let elements): .integer(Int128(elements.count))
            case .object(let members): .integer(Int128(Set(members.map { Array($0.name.utf8) }).count))
            default: nil
            }
        }
    }
}

extension JSONPathFilter.Comparison {
    /// Compares two values; nil is nothing (RFC 9535 section 2.3.5.2.2).
    func holds(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: Self.isLess(left, right)
        case .greater: Self.isLess(right, left)
        case .notGreater: left == right || Self.isLess(left, right)
        case .notLess: left == right || Self.isLess(right, left)
        }
    }

    /// Only numbers and strings have an order.
    private static func isLess(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
        case (.integer(let left), .integer(let right)): left < right
        case (let left?, let right?):
            if let left = left.double, let right = right.double { left < right } else { false }
        default: false
        }
    }
}

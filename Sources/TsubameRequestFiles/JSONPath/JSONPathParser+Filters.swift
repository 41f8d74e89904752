// Reads the filters of a query, and their functions (RFC 9535 sections 2.3.5 and 2.4).

extension JSONPathParser {
    mutating func expression() throws(JSONPath.Problem) -> JSONPathFilter {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw problem("the filter is nested too deep") }
        var parts = [try conjunction()]
        while takeOperator("||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(JSONPath.Problem) -> JSONPathFilter {
        var parts = [try basic()]
        while takeOperator("&&") { parts.append(try basic()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// Takes an operator with the white space around it; without the operator the white space stays.
    private mutating func takeOperator(_ text: String) -> Bool {
        let start = offset
        skipSpace()
        guard take(text) else {
            offset = start
            return false
        }
        skipSpace()
        return true
    }

    private mutating func basic() throws(JSONPath.Problem) -> JSONPathFilter {
        if take("!") {
            skipSpace()
            if current == "(" { return .not(try parenthesised()) }
            let start = offset
            guard let test = try test(term()) else { throw problem("only a query or a test can be negated", at: start) }
            return .not(test)
        }
        if current == "(" { return try parenthesised() }
        let start = offset
        let left = try term()
        let end = offset
        skipSpace()
        if let comparison = JSONPathFilter.Comparison.allCases.first(where: { take($0.rawValue) }) {
            skipSpace()
            let place = offset
            let right = try term()
            return .comparison(try operand(left, at: start), comparison, try operand(right, at: place))
        }
        offset = end
        guard let test = try test(left) else { throw problem("a value has to be compared with another", at: start) }
        return test
    }

    private mutating func parenthesised() throws(JSONPath.Problem) -> JSONPathFilter {
        let start = offset
        offset += 1
        skipSpace()
        let inner = try expression()
        skipSpace()
        guard take(")") else { throw problem("the parenthesis does not end", at: start) }
        return inner
    }

    /// An expression whose kind decides where it may stand.
    private enum Term {
        case operand(JSONPathFilter.Operand)
        case query(JSONPathFilter.Query)
        case test(JSONPathFilter)
    }

    private func test(_ term: Term) throws(JSONPath.Problem) -> JSONPathFilter? {
        switch term {
        case .query(let query): .exists(query)
        case .test(let test): test
        case .operand: nil
        }
    }

    private func operand(_ term: Term, at place: Int) throws(JSONPath.Problem) -> JSONPathFilter.Operand {
        switch term {
        case .operand(let operand): return operand
        case .query(let query):
            guard query.path.isSingular else {
                throw problem("a query that may select several values cannot be compared", at: place)
            }
            return .query(query)
        case .test: throw problem("match and search are tests, and have no value to compare", at: place)
        }
    }

    private mutating func term() throws(JSONPath.Problem) -> Term {
        switch current {
        case "@", "$": return .query(try query())
        case "'", "\"": return .operand(.literal(.string(try string())))
        case "-": return .operand(.literal(try number()))
        case let scalar? where Self.isDigit(scalar): return .operand(.literal(try number()))
        default:
            let start = offset
            while let scalar = current,
                ("a"..."z").contains(scalar) || offset > start && (Self.isDigit(scalar) || scalar == "_")
            {
                offset += 1
            }
            let name = String(String.UnicodeScalarView(scalars[start..<offset]))
            if current == "(" { return try function(name, from: start) }
            switch name {
            case "true": return .operand(.literal(.bool(true)))
            case "false": return .operand(.literal(.bool(false)))
            case "null": return .operand(.literal(.null))
            default: throw problem("a query, a value or a function is missing", at: start)
            }
        }
    }

    private mutating func query() throws(JSONPath.Problem) -> JSONPathFilter.Query {
        let isRelative = current == "@"
        offset += 1
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw problem("the filter is nested too deep") }
        return JSONPathFilter.Query(path: JSONPath(try segments()), isRelative: isRelative)
    }

    private mutating func number() throws(JSONPath.Problem) -> JSONValue {
        let start = offset
        _ = take("-")
        let digits = offset
        while let scalar = current, Self.isDigit(scalar) { offset += 1 }
        guard offset > digits, scalars[digits] != "0" || offset == digits + 1 else {
            throw problem("this is no number", at: start)
        }
        if take(".") {
            let fraction = offset
            while let scalar = current, Self.isDigit(scalar) { offset += 1 }
            guard offset > fraction else { throw problem("digits are missing after the point") }
        }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            let exponent = offset
            while let scalar = current, Self.isDigit(scalar) { offset += 1 }
            guard offset > exponent else { throw problem("digits are missing in the exponent") }
        }
        let text = String(String.UnicodeScalarView(scalars[start..<offset]))
        return Int128(text).map { .integer($0) } ?? .number(Double(text) ?? 0)
    }

    // MARK: Functions

    private mutating func function(_ name: String, from start: Int) throws(JSONPath.Problem) -> Term {
        guard let count = ["length": 1, "count": 1, "value": 1, "match": 2, "search": 2][name] else {
            throw problem("there is no function \(name)", at: start)
        }
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw problem("the filter is nested too deep") }
        offset += 1
        var arguments: [(term: Term, place: Int)] = []
        skipSpace()
        while arguments.count < count {
            if !arguments.isEmpty {
                guard take(",") else { throw problem("\(name) needs \(count) arguments") }
                skipSpace()
            }
            let place = offset
            arguments.append((try term(), place))
            skipSpace()
        }
        guard take(")") else { throw problem("\(name) has \(count == 1 ? "one argument" : "\(count) arguments")") }
        let first = arguments[0]
        switch name {
        case "length": return .operand(.length(try operand(first.term, at: first.place)))
        case "match", "search":
            let pattern: JSONPathFilter.MatchPattern
            let second = try operand(arguments[1].term, at: arguments[1].place)
            if case .literal(.string(let text)) = second {
                pattern = .fixed(try? Pattern(text, .interoperable))
            } else {
                pattern = .operand(second)
            }
            return .test(.match(try operand(first.term, at: first.place), pattern, isWhole: name == "match"))
        default:
            guard case .query(let query) = first.term else { throw problem("\(name) needs a query", at: first.place) }
            return .operand(name == "count" ? .count(query) : .value(query))
        }
    }
}

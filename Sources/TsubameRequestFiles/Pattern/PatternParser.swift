// PatternParser: reads the text of a regular expression.

struct PatternParser {
    /// The deepest nesting of groups.
    private static let maximumDepth = 100
    private static let maximumCount = 1_000
    /// The most repetitions of one place, such as `a**`.
    private static let maximumRepetitions = 10

    private let scalars: [Unicode.Scalar]
    private let dialect: Pattern.Dialect
    private var offset = 0
    private var flags = Flags()
    private(set) var groupCount = 1

    private struct Flags {
        var ignoresCase = false
        var isMultiline = false
        var dotIsAll = false
    }

    init(_ text: String, _ dialect: Pattern.Dialect) {
        scalars = Array(text.unicodeScalars)
        self.dialect = dialect
    }

    mutating func parse() throws(Pattern.Problem) -> PatternNode {
        let node = try alternatives(depth: 0)
        if current != nil { throw problem("this parenthesis closes no group") }
        return node
    }

    // MARK: Characters

    private var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        offset += 1
        return true
    }

    private mutating func take(_ text: String) -> Bool {
        guard scalars[offset...].starts(with: text.unicodeScalars) else { return false }
        offset += text.unicodeScalars.count
        return true
    }

    private mutating func next(_ reason: String) throws(Pattern.Problem) -> Unicode.Scalar {
        guard let current else { throw problem(reason) }
        offset += 1
        return current
    }

    private func problem(_ reason: String, at place: Int? = nil) -> Pattern.Problem {
        Pattern.Problem(reason: reason, offset: place ?? offset)
    }

    // MARK: Structure

    private mutating func alternatives(depth: Int) throws(Pattern.Problem) -> PatternNode {
        if depth > Self.maximumDepth { throw problem("the groups are nested too deep") }
        var found = [try sequence(depth: depth)]
        while take("|") { found.append(try sequence(depth: depth)) }
        return found.count == 1 ? found[0] : .alternatives(found)
    }

    private mutating func sequence(depth: Int) throws(Pattern.Problem) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" {
            let start = offset
            guard let atom = try atom(depth: depth) else { continue }
            nodes.append(try repeated(atom, from: start))
        }
        return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func repeated(_ atom: PatternNode, from start: Int) throws(Pattern.Problem) -> PatternNode {
        var node = atom
        var repetitions = 0
        while let scalar = current {
            let bounds: (minimum: Int, maximum: Int?)
            switch scalar {
            case "*": bounds = (0, nil)
            case "+": bounds = (1, nil)
            case "?": bounds = (0, 1)
            case "{":
                guard let counted = try counts() else { return node }
                bounds = counted
                offset -= 1
            default: return node
            }
            if case .assertion = atom { throw problem("nothing can be repeated here", at: start) }
            offset += 1
            repetitions += 1
            if repetitions > Self.maximumRepetitions { throw problem("one place is repeated too often", at: start) }
            node = .repetition(node, minimum: bounds.minimum, maximum: bounds.maximum, isLazy: take("?"))
        }
        return node
    }

    /// `{2}`, `{2,}` or `{2,3}`; nil for a brace that is an ordinary character.
    private mutating func counts() throws(Pattern.Problem) -> (minimum: Int, maximum: Int?)? {
        let start = offset
        offset += 1
        func number(_ parser: inout PatternParser) -> Int? {
            var digits = ""
            while let scalar = parser.current, ("0"..."9").contains(scalar), digits.count < 6 {
                digits.unicodeScalars.append(scalar)
                parser.offset += 1
            }
            return Int(digits)
        }
        guard let minimum = number(&self) else {
            offset = start
            throw problem("a brace begins a number of repetitions; write \\{ for the character")
        }
        var maximum: Int? = minimum
        if take(",") { maximum = number(&self) }
        guard take("}") else { throw problem("the number of repetitions does not end", at: start) }
        guard minimum <= Self.maximumCount, maximum ?? 0 <= Self.maximumCount else {
            throw problem("more than \(Self.maximumCount) repetitions cannot be counted", at: start)
        }
        guard maximum.map({ $0 >= minimum }) ?? true else {
            throw problem("the numbers are in the wrong order", at: start)
        }
        return (minimum, maximum)
    }

    /// nil for flags, which are no place in the text.
    private mutating func atom(depth: Int) throws(Pattern.Problem) -> PatternNode? {
        let start = offset
        let scalar = try next("something is missing")
        switch scalar {
        case "(": return try group(from: start, depth: depth)
        case "[": return .character(try set(from: start))
        case ".":
            if flags.dotIsAll { return .character(PatternSet(isNegated: true)) }
            let breaks: [PatternSet.Part] =
                dialect == .usual ? [.range(0x0A...0x0A)] : [.range(0x0A...0x0A), .range(0x0D...0x0D)]
            return .character(PatternSet(parts: breaks, isNegated: true))
        case "^": return .assertion(flags.isMultiline ? .lineStart : .start)
        case "$": return .assertion(flags.isMultiline ? .lineEnd : .end)
        case "\\": return try escape()
        case "*", "+", "?", "{": throw problem("there is nothing to repeat", at: start)
        default: return .character(.one(scalar, ignoresCase: flags.ignoresCase))
        }
    }

    private mutating func group(from start: Int, depth: Int) throws(Pattern.Problem) -> PatternNode? {
        let outer = flags
        var number: Int?
        if take("?") {
            if take("P<") || take("<") {
                if current == "=" || current == "!" { throw problem("look-behind is not supported", at: start) }
                while try next("the name of the group does not end") != ">" {}
                number = groupCount
            } else if current == "=" || current == "!" {
                throw problem("look-ahead is not supported", at: start)
            } else {
                try readFlags(from: start)
                // `(?i)` is for the rest of the group around it.
                if take(")") { return nil }
                guard take(":") else { throw problem("this kind of group is not known", at: start) }
            }
        } else {
            number = groupCount
        }
        if number != nil { groupCount += 1 }
        let node = try alternatives(depth: depth + 1)
        guard take(")") else { throw problem("the group does not end", at: start) }
        flags = outer
        return number.map { .group(node, number: $0) } ?? node
    }

    private mutating func readFlags(from start: Int) throws(Pattern.Problem) {
        var value = true
        while let scalar = current, scalar != ":", scalar != ")" {
            switch scalar {
            case "-": value = false
            case "i": flags.ignoresCase = value
            case "m": flags.isMultiline = value
            case "s": flags.dotIsAll = value
            default: throw problem("the flag \(scalar) is not known", at: start)
            }
            offset += 1
        }
    }

    // MARK: Sets and escapes

    private mutating func escape() throws(Pattern.Problem) -> PatternNode {
        switch current {
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.noWordBoundary)
        case "A": return assertion(.start)
        case "z": return assertion(.end)
        default:
            let part = try escapedPart()
            return .character(PatternSet(parts: [part], ignoresCase: flags.ignoresCase))
        }
    }

    private mutating func assertion(_ kind: PatternNode.Assertion) -> PatternNode {
        offset += 1
        return .assertion(kind)
    }

    /// The characters of an escape, after its backslash.
    private mutating func escapedPart() throws(Pattern.Problem) -> PatternSet.Part {
        let start = offset - 1
        let scalar = try next("a backslash ends the pattern")
        switch scalar {
        case "d": return .digit
        case "D": return .not(.digit)
        case "w": return .word
        case "W": return .not(.word)
        case "s": return .space
        case "S": return .not(.space)
        case "n": return .range(0x0A...0x0A)
        case "r": return .range(0x0D...0x0D)
        case "t": return .range(0x09...0x09)
        case "f": return .range(0x0C...0x0C)
        case "v": return .range(0x0B...0x0B)
        case "p": return try category(from: start)
        case "P": return .not(try category(from: start))
        case "x", "u": return try hexadecimal(digits: scalar == "x" ? 2 : 4, from: start)
        case _ where scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber):
            throw problem("\\\(scalar) is not known", at: start)
        default: return .range(scalar.value...scalar.value)
        }
    }

    private mutating func category(from start: Int) throws(Pattern.Problem) -> PatternSet.Part {
        var name = String(try next("the category is missing"))
        if name == "{" {
            name = ""
            while let scalar = current, scalar != "}" {
                name.unicodeScalars.append(scalar)
                offset += 1
            }
            guard take("}") else { throw problem("the category does not end", at: start) }
        }
        guard PatternSet.categoryNames.contains(name) else { throw problem("the category is not known", at: start) }
        return .category(name)
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws(Pattern.Problem) -> PatternSet.Part {
        var text = ""
        let isBraced = take("{")
        while let scalar = current, scalar.properties.isASCIIHexDigit, isBraced ? text.count < 8 : text.count < digits {
            text.unicodeScalars.append(scalar)
            offset += 1
        }
        guard !isBraced || take("}"), isBraced || text.count == digits, let value = UInt32(text, radix: 16),
            Unicode.Scalar(value) != nil
        else { throw problem("this is no character's number", at: start) }
        return .range(value...value)
    }

    private mutating func set(from start: Int) throws(Pattern.Problem) -> PatternSet {
        var set = PatternSet(ignoresCase: flags.ignoresCase)
        set.isNegated = take("^")
        var isFirst = true
        while isFirst || current != "]" {
            isFirst = false
            guard current != nil else { throw problem("the set does not end", at: start) }
            let place = offset
            let low = try member()
            guard current == "-", offset + 1 < scalars.count, scalars[offset + 1] != "]" else {
                set.parts.append(low)
                continue
            }
            offset += 1
            guard case .range(let first) = low, case .range(let last) = try member(),
                first.lowerBound <= last.upperBound
            else { throw problem("this is no range of characters", at: place) }
            set.parts.append(.range(first.lowerBound...last.upperBound))
        }
        offset += 1
        return set
    }

    private mutating func member() throws(Pattern.Problem) -> PatternSet.Part {
        let scalar = try next("the set does not end")
        return scalar == "\\" ? try escapedPart() : .range(scalar.value...scalar.value)
    }
}

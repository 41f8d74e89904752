// PatternNode: the parts of a pattern, and the characters that one of them stands for.

indirect enum PatternNode {
    case empty
    case character(PatternSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    case group(PatternNode, number: Int)
    /// - Parameter maximum: nil for no limit.
    case repetition(PatternNode, minimum: Int, maximum: Int?, isLazy: Bool)

    enum Assertion: Sendable {
        case start, end, lineStart, lineEnd, wordBoundary, noWordBoundary
    }
}

/// The characters that one place of a pattern accepts.
struct PatternSet: Sendable {
    enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        case digit, word, space
        /// A general category, such as `Lu`, or its first letter.
        case category(String)
        indirect case not(Part)
    }

    var parts: [Part] = []
    var isNegated = false
    var ignoresCase = false

    static func one(_ scalar: Unicode.Scalar, ignoresCase: Bool) -> PatternSet {
        PatternSet(parts: [.range(scalar.value...scalar.value)], ignoresCase: ignoresCase)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var isFound = parts.contains { Self.holds($0, scalar) }
        if !isFound, ignoresCase {
            isFound = Self.variants(of: scalar).contains { other in parts.contains { Self.holds($0, other) } }
        }
        return isFound != isNegated
    }

    private static func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].compactMap { text in
            text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        }
    }

    private static func holds(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
        switch part {
        case .range(let range): range.contains(scalar.value)
        case .digit: scalar.properties.generalCategory == .decimalNumber
        case .word: isWord(scalar)
        case .space: scalar.properties.isWhitespace
        case .category(let name): shortName(scalar.properties.generalCategory).hasPrefix(name)
        case .not(let part): !holds(part, scalar)
        }
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || Character(scalar).isLetter || Character(scalar).isNumber }
        let properties = scalar.properties
        return properties.isAlphabetic || shortName(properties.generalCategory).hasPrefix("M")
            || properties.generalCategory == .decimalNumber || properties.generalCategory == .connectorPunctuation
    }

    static let categoryNames: Set = [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe",
        "Pi",
        "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cn", "Co", "Cs",
    ]

    private static func shortName(_ category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}

extension PatternNode {
    /// Whether the node compiles to no step at all.
    var isEmpty: Bool {
        switch self {
        case .empty: true
        case .sequence(let nodes): nodes.allSatisfy(\.isEmpty)
        case .repetition(let node, let minimum, let maximum, _):
            // A repetition without a maximum is a loop, and an optional one a fork.
            node.isEmpty && maximum != nil || minimum == 0 && maximum == 0
        case .character, .assertion, .group, .alternatives: false
        }
    }
}

// Pattern: a regular expression whose time is bounded by the lengths of pattern and text.

/// A regular expression with the common syntax: groups, alternatives, classes, lazy repetitions, anchors and the flags
/// `i`, `m` and `s`. Like Rust's, it has no references back and no look-around.
///
/// Swift's Regex goes back over the text for each alternative. A server can then choose a text that takes hours. Here
/// all alternatives advance together, one character after the other (a Pike machine).
package struct Pattern: Sendable {
    /// The reason why a text is no pattern.
    package struct Problem: Error, Equatable {
        package let reason: String
        /// The position in the pattern, in Unicode scalars.
        package let offset: Int
    }

    /// The text is too long for a pattern with so many steps.
    package struct TooMuchWork: Error {}

    /// The dialect of a pattern.
    package enum Dialect: Sendable {
        /// The usual syntax: `.` is any character but a line feed.
        case usual
        /// I-Regexp (RFC 9485), in which `.` is any character but a line feed and a carriage return.
        case interoperable
    }

    /// A match, and the texts of its groups.
    package struct Match: Sendable, Equatable {
        /// The whole match, in Unicode scalars of the text.
        package let range: Range<Int>
        /// The text of each group, the whole match first; nil for a group that took no part.
        package let groups: [String?]
    }

    let program: PatternProgram

    package init(_ text: String, _ dialect: Dialect = .usual) throws(Problem) {
        try self.init(text, dialect, maximumSteps: PatternProgram.maximumSteps)
    }

    /// - Parameter maximumSteps: the most steps that the pattern may become.
    init(_ text: String, _ dialect: Dialect = .usual, maximumSteps: Int) throws(Problem) {
        var parser = PatternParser(text, dialect)
        program = try PatternProgram(parser.parse(), groups: parser.groupCount, maximumSteps: maximumSteps)
    }

    /// The first match in the text, from a position on.
    /// - Parameter start: the position, in Unicode scalars.
    package func firstMatch(in text: String, from start: Int = 0) throws(TooMuchWork) -> Match? {
        try program.run(Array(text.unicodeScalars), from: start, isWhole: false)
    }

    /// Whether the whole text matches.
    package func matchesWhole(_ text: String) throws(TooMuchWork) -> Bool {
        try program.run(Array(text.unicodeScalars), from: 0, isWhole: true) != nil
    }

    /// The most characters that are read to replace all matches, or eight times the text. Each match may have to read the
    /// whole rest of the text.
    private static let maximumWork = 1 << 20

    /// The text with each match replaced. `$1` and `${1}` stand for a group, and `$$` for a dollar sign.
    ///
    /// - Returns: nil if the matches need too much of the text to be read again and again.
    package func replacing(in text: String, by replacement: String) -> String? {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var (copied, start) = (0, 0)
        var work = 0
        // An empty match does not count directly after another match.
        var hasMatchedBefore = false
        while start <= scalars.count {
            guard let (found, read) = try? program.search(scalars, from: start) else { return nil }
            work += read
            guard work <= max(Self.maximumWork, 8 * scalars.count) else { return nil }
            guard let match = found else { break }
            if match.range.isEmpty, hasMatchedBefore, match.range.lowerBound == copied {
                start = copied + 1
                hasMatchedBefore = false
                continue
            }
            hasMatchedBefore = true
            result.append(contentsOf: scalars[copied..<match.range.lowerBound])
            result.append(contentsOf: Self.expanded(replacement, match).unicodeScalars)
            copied = match.range.upperBound
            start = match.range.isEmpty ? copied + 1 : copied
        }
        result.append(contentsOf: scalars[copied...])
        return String(result)
    }

    private static func expanded(_ text: String, _ match: Match) -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                result += "$"
                rest.removeFirst()
                continue
            }
            let isBraced = rest.first == "{"
            let digits = rest.dropFirst(isBraced ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
            guard let group = Int(digits), !isBraced || rest[digits.endIndex...].first == "}" else {
                result += "$"
                continue
            }
            if match.groups.indices.contains(group) { result += match.groups[group] ?? "" }
            rest = rest[digits.endIndex...].dropFirst(isBraced ? 1 : 0)
        }
        return result + rest
    }
}

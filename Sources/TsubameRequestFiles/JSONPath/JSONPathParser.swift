// JSONPathParser: reads the text of a query (RFC 9535 section 2.1 and appendix A).

struct JSONPathParser {
    /// The deepest nesting of filters and parentheses.
    static let maximumDepth = 64
    /// The largest number that an index may have (RFC 7493 section 2.2).
    private static let maximumIndex = 9_007_199_254_740_991

    let scalars: [Unicode.Scalar]
    var offset = 0
    var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() throws(JSONPath.Problem) -> [JSONPath.Segment] {
        guard take("$") else { throw problem("a query begins with $") }
        let segments = try segments()
        guard current == nil else { throw problem("this is no segment of a query") }
        return segments
    }

    // MARK: Characters

    var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        offset += 1
        return true
    }

    mutating func take(_ text: String) -> Bool {
        guard scalars[offset...].starts(with: text.unicodeScalars) else { return false }
        offset += text.unicodeScalars.count
        return true
    }

    mutating func skipSpace() {
        while let scalar = current, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { offset += 1 }
    }

    func problem(_ reason: String, at place: Int? = nil) -> JSONPath.Problem {
        JSONPath.Problem(reason: reason, offset: place ?? offset)
    }

    // MARK: Segments

    mutating func segments() throws(JSONPath.Problem) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        while true {
            let start = offset
            skipSpace()
            guard let segment = try segment() else {
                // White space belongs to a query only between segments.
                offset = start
                return segments
            }
            segments.append(segment)
        }
    }

    private mutating func segment() throws(JSONPath.Problem) -> JSONPath.Segment? {
        if take("..") {
            if current == "[" { return JSONPath.Segment(isDescendant: true, selectors: try bracketed()) }
            return JSONPath.Segment(isDescendant: true, selectors: [try shorthand()])
        }
        if take(".") { return JSONPath.Segment(isDescendant: false, selectors: [try shorthand()]) }
        if current == "[" { return JSONPath.Segment(isDescendant: false, selectors: try bracketed()) }
        return nil
    }

    /// A name or `*` after a dot.
    private mutating func shorthand() throws(JSONPath.Problem) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        let start = offset
        while let scalar = current, Self.isNameStart(scalar) || offset > start && Self.isDigit(scalar) { offset += 1 }
        guard offset > start else { throw problem("a name, * or a bracket is missing after the dot") }
        return .name(String(String.UnicodeScalarView(scalars[start..<offset])))
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_" || scalar.value >= 0x80
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private mutating func bracketed() throws(JSONPath.Problem) -> [JSONPath.Selector] {
        let start = offset
        offset += 1
        var selectors: [JSONPath.Selector] = []
        repeat {
            skipSpace()
            selectors.append(try selector())
            skipSpace()
        } while take(",")
        guard take("]") else {
            throw problem(
                current == nil ? "the bracket does not end" : "a comma or ] is missing",
                at: current == nil ? start : nil)
        }
        return selectors
    }

    private mutating func selector() throws(JSONPath.Problem) -> JSONPath.Selector {
        switch current {
        case "'", "\"": return .name(try string())
        case "*":
            offset += 1
            return .wildcard
        case "?":
            offset += 1
            skipSpace()
            return .filter(try expression())
        default: return try indexOrSlice()
        }
    }

    private mutating func indexOrSlice() throws(JSONPath.Problem) -> JSONPath.Selector {
        let first = try integer()
        let end = offset
        skipSpace()
        guard take(":") else {
            offset = end
            guard let first else {
                throw problem("a name in quotation marks, an index, a slice, * or a filter is missing")
            }
            return .index(first)
        }
        skipSpace()
        let last = try integer()
        let place = offset
        skipSpace()
        var step = 1
        if take(":") {
            skipSpace()
            step = try integer() ?? 1
        } else {
            offset = place
        }
        return .slice(start: first, end: last, step: step)
    }

    /// A whole number without leading zeros; nil if none begins here.
    private mutating func integer() throws(JSONPath.Problem) -> Int? {
        let start = offset
        let isNegative = take("-")
        let digits = offset
        while let scalar = current, Self.isDigit(scalar) { offset += 1 }
        guard offset > digits else {
            if isNegative { throw problem("a digit is missing") }
            return nil
        }
        let text = String(String.UnicodeScalarView(scalars[digits..<offset]))
        guard !text.hasPrefix("0") || text == "0" && !isNegative else {
            throw problem("a number has no leading zero here, and there is no -0", at: start)
        }
        guard let value = Int(text), value <= Self.maximumIndex else {
            throw problem("the number is too large", at: start)
        }
        return isNegative ? -value : value
    }

    // MARK: Strings

    /// A text in single or double quotation marks.
    mutating func string() throws(JSONPath.Problem) -> String {
        let start = offset
        guard let quote = current, quote == "'" || quote == "\"" else { throw problem("a quotation mark is missing") }
        offset += 1
        var text = String.UnicodeScalarView()
        while let scalar = current {
            offset += 1
            switch scalar {
            case quote: return String(text)
            case "\\": text.append(try escaped(quote))
            case _ where scalar.value < 0x20:
                throw problem("a control character is written as an escape", at: offset - 1)
            default: text.append(scalar)
            }
        }
        throw problem("the text does not end", at: start)
    }

    private mutating func escaped(_ quote: Unicode.Scalar) throws(JSONPath.Problem) -> Unicode.Scalar {
        let start = offset - 1
        guard let scalar = current else { throw problem("the text does not end") }
        offset += 1
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "/", "\\", quote: return scalar
        case "u": return try unicode(from: start)
        default: throw problem("this is no escape", at: start)
        }
    }

    /// `\u` and four digits; a surrogate needs its other half.
    private mutating func unicode(from start: Int) throws(JSONPath.Problem) -> Unicode.Scalar {
        let unit = try hexadecimal(from: start)
        if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
        guard (0xD800...0xDBFF).contains(unit), take("\\u") else {
            throw problem("half of a character is missing", at: start)
        }
        let low = try hexadecimal(from: start)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw problem("half of a character is missing", at: start) }
        return scalar
    }

    private mutating func hexadecimal(from start: Int) throws(JSONPath.Problem) -> UInt16 {
        let digits = scalars[offset...].prefix(4)
        let text = String(String.UnicodeScalarView(digits))
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit), let unit = UInt16(text, radix: 16)
        else {
            throw problem("four hexadecimal digits are missing", at: start)
        }
        offset += 4
        return unit
    }
}

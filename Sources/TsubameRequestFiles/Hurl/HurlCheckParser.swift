// HurlCheckParser: reads the captures and asserts of a Hurl file.

enum HurlCheckParser {
    /// `name: query filters`; nil if no capture begins here.
    /// - Parameter separator: the character between the name and the query.
    static func capture(
        _ scanner: inout HurlScanner, separator: Unicode.Scalar = ":"
    ) throws(FileProblem) -> Capture? {
        let start = scanner.offset
        guard let first = scanner.current, first != "[", first != "`" else { return nil }
        let name = try scanner.template {
            $0 == separator || $0 == " " || $0 == "\t" || $0 == "\"" || HurlScanner.isBreak($0)
        }
        scanner.skipSpace()
        guard !name.parts.isEmpty, scanner.take(String(separator)) else {
            scanner.move(to: start)
            return nil
        }
        scanner.skipSpace()
        let query = scanner.offset
        guard let path = try path(&scanner) else {
            throw scanner.problem("a query is missing, such as jsonpath \"$.id\"")
        }
        scanner.skipSpace()
        let text = scanner.text(query..<scanner.offset).trimmed
        let isRedacted = scanner.takeWord("redact")
        try scanner.endLine()
        return Capture(name: name, path: path, isRedacted: isRedacted, text: text)
    }

    /// `query filters predicate`; nil if no query begins here.
    static func assertion(_ scanner: inout HurlScanner) throws(FileProblem) -> Assertion? {
        let start = scanner.offset
        guard let path = try path(&scanner) else { return nil }
        scanner.skipSpace()
        let isNegated = scanner.takeWord("not")
        scanner.skipSpace()
        let predicate = try predicate(&scanner)
        let text = scanner.text(start..<scanner.offset).trimmed
        try scanner.endLine()
        return Assertion(path: path, isNegated: isNegated, predicate: predicate, text: text)
    }

    // MARK: Queries

    private static func path(_ scanner: inout HurlScanner) throws(FileProblem) -> ValuePath? {
        let place = scanner.place()
        guard let query = try query(&scanner) else { return nil }
        var filters: [ValueFilter] = []
        while true {
            scanner.skipSpace()
            guard let filter = try filter(&scanner) else { break }
            filters.append(filter)
        }
        return ValuePath(query: query, filters: filters, place: place)
    }

    private static func query(_ scanner: inout HurlScanner) throws(FileProblem) -> Query? {
        let start = scanner.offset
        let word = scanner.word()
        switch word {
        case "status": return .status
        case "version": return .version
        case "url": return .url
        case "ip": return .ip
        case "body": return .body
        case "bytes": return .bytes
        case "rawbytes": return .rawBytes
        case "duration": return .duration
        case "sha256": return .sha256
        case "md5": return .md5
        case "redirects": return .redirects
        case "header": return .header(try argument(&scanner))
        case "cookie": return .cookie(try argument(&scanner))
        case "xpath": return .xpath(try xpath(&scanner))
        case "jsonpath": return .jsonPath(try jsonPath(&scanner))
        case "regex": return .regex(try pattern(&scanner))
        case "variable": return .variable(try argument(&scanner))
        case "certificate": return .certificate(try argument(&scanner))
        default:
            // A word before a blank or a quotation mark can be nothing but a query.
            let next = scanner.current.map { $0 == " " || $0 == "\t" || $0 == "\"" } ?? false
            let isWord = !word.isEmpty && word.allSatisfy { $0.isLowercase || $0.isNumber }
            if next, isWord {
                throw scanner.problem("\(word) is no query\(NearestName.question(word, in: queries))", at: start)
            }
            scanner.move(to: start)
            return nil
        }
    }

    private static let queries = [
        "status", "version", "url", "ip", "body", "bytes", "rawbytes", "duration", "sha256", "md5", "redirects",
        "header",
        "cookie", "xpath", "jsonpath", "regex", "variable", "certificate",
    ]

    private static func argument(_ scanner: inout HurlScanner) throws(FileProblem) -> TemplateText {
        scanner.skipSpace()
        return try scanner.quoted()
    }

    /// A query without expressions is checked here, so that `--check` finds its mistakes.
    private static func jsonPath(_ scanner: inout HurlScanner) throws(FileProblem) -> TemplateText {
        scanner.skipSpace()
        let start = scanner.offset
        let template = try scanner.quoted()
        guard let text = template.plain else { return template }
        do throws(JSONPath.Problem) {
            _ = try JSONPath(text)
        } catch {
            throw scanner.problem("\(error.reason) (at character \(error.offset + 1) of the JSONPath)", at: start)
        }
        return template
    }

    /// The same for XPath, if libxml2 is there to know.
    private static func xpath(_ scanner: inout HurlScanner) throws(FileProblem) -> TemplateText {
        scanner.skipSpace()
        let start = scanner.offset
        let template = try scanner.quoted()
        if let text = template.plain, XPathQuery.isWrong(text) {
            throw scanner.problem("“\(text)” is no XPath expression", at: start)
        }
        return template
    }

    /// `/pattern/`, or a text in quotation marks.
    private static func pattern(_ scanner: inout HurlScanner) throws(FileProblem) -> PatternText {
        scanner.skipSpace()
        let start = scanner.offset
        let source: String
        if scanner.take("/") {
            var text = String.UnicodeScalarView()
            while let scalar = scanner.current, scalar != "/" {
                if HurlScanner.isBreak(scalar) { throw scanner.problem("the pattern does not end", at: start) }
                scanner.advance()
                // Only the slash needs the backslash here.
                if scalar == "\\", scanner.take("/") {
                    text.append("/")
                    continue
                }
                text.append(scalar)
                guard scalar == "\\", let next = scanner.current else { continue }
                text.append(next)
                scanner.advance()
            }
            guard scanner.take("/") else { throw scanner.problem("the pattern does not end", at: start) }
            source = String(text)
        } else {
            let template = try scanner.quoted()
            guard let text = template.plain else { return .template(template) }
            source = text
        }
        do throws(Pattern.Problem) {
            return .fixed(try Pattern(source), source: source)
        } catch {
            throw scanner.problem("\(error.reason) (at character \(error.offset + 1) of the pattern)", at: start)
        }
    }

    // MARK: Filters

    private static func filter(_ scanner: inout HurlScanner) throws(FileProblem) -> ValueFilter? {
        let start = scanner.offset
        let word = scanner.word()
        switch word {
        case "decode", "charsetDecode": return .decode(try argument(&scanner))
        case "dateFormat", "format": return .dateFormat(try argument(&scanner))
        case "jsonpath": return .jsonPath(try jsonPath(&scanner))
        case "nth":
            scanner.skipSpace()
            let place = scanner.offset
            switch try value(&scanner) {
            case .integer(let index): return .nth(.integer(index))
            case .expression(let name, let at): return .nth(.expression(name, at))
            default: throw scanner.problem("nth needs a whole number", at: place)
            }
        case "regex": return .regex(try pattern(&scanner))
        case "replace": return .replace(try argument(&scanner), try argument(&scanner))
        case "replaceRegex": return .replaceRegex(try pattern(&scanner), try argument(&scanner))
        case "split": return .split(try argument(&scanner))
        case "toDate" where scanner.isBeforeQuotation: return .toDate(try argument(&scanner))
        case "urlQueryParam": return .urlQueryParameter(try argument(&scanner))
        case "xpath": return .xpath(try xpath(&scanner))
        default:
            if let plain = ValueFilter.Plain(rawValue: word) { return .plain(plain) }
            scanner.move(to: start)
            return nil
        }
    }

    // MARK: Predicates

    /// The words of filters and predicates.
    private static let words =
        Predicate.Kind.allCases.map(\.rawValue) + Predicate.Comparison.allCases.map(\.rawValue)
        + ValueFilter.Plain.allCases.map(\.rawValue) + [
            "decode", "dateFormat", "jsonpath", "matches", "not", "nth", "regex", "replace", "replaceRegex", "split",
            "toDate",
            "urlQueryParam", "xpath",
        ]

    private static func predicate(_ scanner: inout HurlScanner) throws(FileProblem) -> Predicate {
        let start = scanner.offset
        // The symbols of two characters come before those of one.
        for comparison in Predicate.Comparison.allCases {
            let isWord = comparison.rawValue.first?.isLetter == true
            guard isWord ? scanner.takeWord(comparison.rawValue) : scanner.take(comparison.rawValue) else { continue }
            scanner.skipSpace()
            return .comparison(comparison, try value(&scanner))
        }
        if scanner.takeWord("matches") { return .matches(try pattern(&scanner)) }
        let word = scanner.word()
        if let kind = Predicate.Kind(rawValue: word) { return .kind(kind) }
        throw scanner.problem(
            word.isEmpty
                ? "a predicate is missing, such as == 200 or exists"
                : "\(word) is no filter and no predicate\(NearestName.question(word, in: words))",
            at: start)
    }

    private static func value(_ scanner: inout HurlScanner) throws(FileProblem) -> ExpectedValue {
        let start = scanner.offset
        switch scanner.current {
        case "`" where scanner.starts(with: "```"):
            let (text, attributes) = try scanner.multiline()
            return attributes.contains("graphql") ? .graphQL(text) : .text(text)
        case "\"", "`": return .text(try scanner.quoted())
        case "/": return .pattern(try pattern(&scanner))
        case "{":
            let template = try scanner.template { $0 == " " || $0 == "\t" || $0 == "#" || HurlScanner.isBreak($0) }
            guard case .expression(let name, let place)? = template.parts.first, template.parts.count == 1 else {
                throw scanner.problem("a text with expressions needs quotation marks", at: start)
            }
            return .expression(name, place)
        default: break
        }
        switch try bytes(&scanner) {
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let path): return .file(path)
        default: break
        }
        while let scalar = scanner.current, HurlScanner.isWord(scalar) || scalar == "." || scalar == "+" {
            scanner.advance()
        }
        let word = scanner.text(start..<scanner.offset)
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            if let integer = Int128(word) { return .integer(integer) }
            if word.first?.isLetter != true, let number = Double(word), number.isFinite { return .number(number) }
            throw scanner.problem(
                "a value is missing: a text in quotation marks, a number, true, false or null", at: start)
        }
    }

    /// `hex,ff;`, `base64,AA==;` or `file,name;`; nil if none begins here.
    static func bytes(_ scanner: inout HurlScanner) throws(FileProblem) -> FileEntry.Body? {
        let start = scanner.offset
        let kind: String
        if scanner.take("hex,") {
            kind = "hexadecimal digits"
        } else if scanner.take("base64,") {
            kind = "base64"
        } else if scanner.take("file,") {
            kind = "file"
        } else {
            return nil
        }
        let template = try scanner.template(escapes: kind == "file") {
            $0 == ";" || kind == "file" && HurlScanner.isBreak($0)
        }
        guard scanner.take(";") else { throw scanner.problem("a semicolon ends this value", at: start) }
        if kind == "file" { return .file(template) }
        let text = template.plain ?? ""
        guard template.plain != nil,
            let bytes = kind == "base64" ? EncodedBytes.base64(text) : EncodedBytes.hexadecimal(text)
        else {
            throw scanner.problem("this is no \(kind)", at: start)
        }
        return .bytes(bytes)
    }
}

// RequestWords: sorts the words of a command line into method, URLs and items.

struct RequestWords {
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "CONNECT",
    ]

    /// The other methods of the registry (RFC 9110 section 16.1) and common ones, in their usual case.
    private static let registered = Set(
        methods + [
            "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "LOCK", "MERGE",
            "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPFIND",
            "PROPPATCH", "PURGE", "REBIND", "REPORT", "SEARCH", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK",
            "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
        ])

    /// nil if no method was given.
    let method: String?
    let url: String
    /// The other URLs of a download.
    let furtherURLs: [String]
    let items: [String]

    /// - Parameters:
    ///   - defaultScheme: the scheme for a URL without one.
    ///   - isDownload: whether items that are URLs are downloaded too.
    init(_ words: [String], defaultScheme: String?, isDownload: Bool) throws(UsageProblem) {
        guard let first = words.first else { throw UsageProblem("There is no URL.") }
        var rest = words.dropFirst()
        method = Self.method(first, before: rest.first)
        var typed = first
        if method != nil {
            guard let second = rest.popFirst() else { throw UsageProblem("There is no URL after \(first).") }
            typed = second
        }
        if let method, method == "localhost" || method.allSatisfy({ $0 == "." || $0.isNumber }) {
            throw UsageProblem(
                "“\(method)” stands in the place of the method. An option that takes a host needs = before it, such as --no-proxy=\(method)."
            )
        }
        // The text may hold a secret, and is not shown.
        let hasBlank = typed.prefix { !"/?#".contains($0) }.contains(where: \.isWhitespace)
        if (try? RequestItem(typed)) != nil, hasBlank || rest.first?.contains("://") == true && !Self.isURL(typed) {
            throw UsageProblem("An item stands in the place of the URL: the URL goes before the items.")
        }
        url = try URLShorthand.expand(typed, defaultScheme: defaultScheme)
        if isDownload, let word = rest.first(where: Self.registered.contains) {
            throw UsageProblem("“\(word)” is a method: it goes before the first URL, and applies to all URLs.")
        }
        furtherURLs = try (isDownload ? rest.filter(Self.isURL) : []).map { word throws(UsageProblem) in
            try URLShorthand.expand(word, defaultScheme: defaultScheme)
        }
        items = isDownload ? rest.filter { !Self.isURL($0) } : Array(rest)
    }

    static func isMethod(_ word: String) -> Bool { registered.contains(word.uppercased()) }

    /// A word with a scheme, `:8080/a`, `:/a` or `localhost:8080/a`, or a word that is not an item, such as
    /// `example.com/a`.
    private static func isURL(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        if start.hasPrefix("http://") || start.hasPrefix("https://") || word.hasPrefix(":/") { return true }
        if word.hasPrefix(":"), word.dropFirst().first?.isNumber == true { return true }
        guard let item = try? RequestItem(word) else { return true }
        // Field names usually have capitals. In lower case, their values are seldom a port and a path.
        let isPort = item.value.prefix { $0.isNumber }
        return item.kind == .field && !isPort.isEmpty
            && item.value.dropFirst(isPort.count).first.map { $0 == "/" } ?? true
            && item.name == item.name.lowercased()
    }

    /// The method, if the word is one; nil if it is a URL.
    ///
    /// A common method counts in lower case, too. Any other token counts in upper case, and in any case if only a URL
    /// can follow. `localhost a=b` has no method; `PURGE localhost`, `purge :3000` and `purge example.org` have one.
    private static func method(_ word: String, before next: String?) -> String? {
        let upper = word.uppercased()
        if methods.contains(upper) { return upper }
        guard let next, !word.isEmpty, word.utf8.allSatisfy(isToken) else { return nil }
        if next.contains("://") || next.hasPrefix(":") { return word }
        let isWord = word.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        if isWord, (try? RequestItem(next)) == nil { return word }
        return word == upper && !word.contains(".") && word.utf8.contains { $0 >= 0x41 && $0 <= 0x5A } ? word : nil
    }

    /// A token character (RFC 9110 section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

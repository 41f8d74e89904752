// URLShorthand: from what is typed to a URL.
#if Tool

enum URLShorthand {
    /// `:3000/path` and `:/path` are on localhost. Without a scheme, also where only `://` was pasted of it, `http` is
    /// meant for localhost, the names below it and IP literals, and `https` for every other host.
    static func expand(_ word: String) throws(UsageProblem) -> String {
        if word.isEmpty { throw UsageProblem("The URL is empty.") }
        if hasScheme(word) { return word }
        // `https:/host` and `http//host` would be looked up as a host named https.
        for scheme in ["https", "http"] where word.lowercased().hasPrefix(scheme) {
            let rest = word.dropFirst(scheme.count)
            if rest.hasPrefix(":/") || rest.hasPrefix("//") || rest.hasPrefix(":?") || rest == ":" {
                throw UsageProblem("“\(word)” is no URL; is \(scheme)://\(rest.drop { ":/".contains($0) }) meant?")
            }
        }
        let word = word.hasPrefix("://") ? String(word.dropFirst(3)) : word
        if word.hasPrefix(":") {
            let rest = word.dropFirst()
            return rest.first?.isNumber == true ? "http://localhost:\(rest)" : "http://localhost\(rest)"
        }
        let authority = word.prefix { !"/?#".contains($0) }
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        return (isLocal(host) ? "http://" : "https://") + word
    }

    private static func hasScheme(_ word: String) -> Bool {
        guard let first = word.first, first.isLetter, let colon = word.firstIndex(of: ":") else { return false }
        return word[colon...].hasPrefix("://")
            && word[..<colon].utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
    }

    private static func isLocal(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return true }
        let name = host.prefix { $0 != ":" }.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

#endif

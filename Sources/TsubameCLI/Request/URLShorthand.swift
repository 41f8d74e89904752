// URLShorthand: completes a typed word to a URL.

import Tsubame

enum URLShorthand {
    /// Schemes of URIs that HTTP cannot request, most of them written without `//`.
    private static let otherSchemes: Set<String> = [
        "about", "blob", "data", "file", "ftp", "git", "javascript", "magnet", "mailto", "news", "sip", "sms", "ssh",
        "tel", "urn", "view-source", "ws", "wss",
    ]

    /// `:3000/path` and `:/path` mean localhost. A URL without a scheme, or with only `://`, gets `http` for localhost,
    /// names below localhost and IP literals. Every other host gets `https`.
    /// - Parameter defaultScheme: the scheme for every URL without one, in place of these two.
    static func expand(_ word: String, defaultScheme: String? = nil) throws(UsageProblem) -> String {
        if word.isEmpty { throw UsageProblem("The URL is empty.") }
        let start = word.prefix { !"/?#".contains($0) }
        let colon = start.firstIndex(of: ":")
        let name = colon.map { start[..<$0] } ?? start
        if let colon, !name.isEmpty, word[colon...].hasPrefix("://") {
            if isScheme(name) { return word }
            throw UsageProblem("“\(OneLine.printable(String(name)))” is no scheme; use http:// or https://.")
        }
        // `https:/host` and `http//host` would name a host https or http.
        for scheme in ["https", "http"] where word.lowercased().hasPrefix(scheme) {
            let rest = word.dropFirst(scheme.count)
            if rest.hasPrefix(":/") || rest.hasPrefix("//") || rest.hasPrefix(":?") || rest == ":" {
                let meant = scheme + "://" + rest.drop { ":/".contains($0) }
                throw UsageProblem("“\(withoutUser(word))” is no URL; is \(withoutUser(meant)) meant?")
            }
        }
        if let colon, otherSchemes.contains(name.lowercased()), !isPort(start[colon...]) {
            throw UsageProblem("HTTP cannot request a \(name): URI; use http:// or https://.")
        }
        let word = word.hasPrefix("://") ? String(word.dropFirst(3)) : word
        if word.hasPrefix(":") {
            let rest = word.dropFirst()
            let scheme = defaultScheme ?? "http"
            guard rest.first.map({ $0.isNumber || "/?#".contains($0) }) ?? true else {
                throw UsageProblem(
                    "“\(OneLine.printable(word))” is no URL: after a colon come a port of localhost or a path, as in :3000/path."
                )
            }
            return rest.first?.isNumber == true ? "\(scheme)://localhost:\(rest)" : "\(scheme)://localhost\(rest)"
        }
        let authority = word.prefix { !"/?#".contains($0) }
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        return (defaultScheme ?? (isLocal(host) ? "http" : "https")) + "://" + word
    }

    /// A word that is completed to a URL, and is one.
    static func checked(_ word: String) throws(UsageProblem) -> String {
        let url = try expand(word)
        _ = try parsed(url)
        return url
    }

    /// The parts of an expanded URL, whose dot segments stay: the request decides about them.
    static func parsed(_ url: String) throws(UsageProblem) -> TargetURI {
        do throws(CallError) {
            return try TargetURI(parsing: url, keepingDotSegments: true)
        } catch {
            throw UsageProblem("\(error.reason).\(error.advice.map { "\n  \($0)" } ?? "")")
        }
    }

    /// A scheme (RFC 3986 section 3.1).
    private static func isScheme(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, (0x41...0x5A).contains(first & 0xDF) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
    }

    /// Whether the text is `:` and digits. The name before a port is a host, even if it looks like a scheme.
    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count > 1 && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The word without its userinfo, so that no error text contains a password.
    private static func withoutUser(_ word: String) -> String {
        guard let at = word.lastIndex(of: "@") else { return OneLine.printable(word) }
        let start = word[..<at].lastIndex(of: "/").map(word.index(after:)) ?? word.startIndex
        return OneLine.printable(word[..<start] + "…" + word[at...])
    }

    private static func isLocal(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return true }
        let name = host.prefix { $0 != ":" }.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

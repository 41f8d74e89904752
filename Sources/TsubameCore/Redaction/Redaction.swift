// Redaction: decides which secrets are left out of descriptions, logs, HAR files and cURL lines.

public import HTTPTypes

/// Decides which fields and parameters are withheld from every text that the library prints.
public struct Redaction: Sendable, Hashable {
    /// Words, in lower case, that make the name of a query or form parameter secret. The value of a parameter is
    /// withheld if its name contains one of them. `auth`, `authorization` and `sig` count only if no further letter of the
    /// word follows: `author` is not secret.
    public let secrets: Set<String>

    /// The rules that apply unless ``Configuration`` sets others. They withhold names that contain `token`, `key`,
    /// `password`, `passwd`, `pwd`, `secret`, `signature`, `sig`, `code`, `auth`, `authorization` or `jwt`.
    public static let standard = Redaction(
        secrets: [
            "token", "key", "password", "passwd", "pwd", "secret", "signature", "sig", "code", "auth", "authorization",
            "jwt",
        ])

    /// Secrets that are also the beginning of other words, such as `author`, `signal` and WWW-Authenticate.
    private static let beginnings: Set<String> = ["auth", "authorization", "sig"]

    /// Withholds parameters whose names contain one of `secrets`, in upper or lower case. Credentials are always withheld.
    public init(secrets: Set<String>) { self.secrets = Set(secrets.map { $0.lowercased() }) }

    /// The text that replaces a secret.
    public static let placeholder = "[redacted]"

    private static let fields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
        "proxy-authentication-info",
    ]

    /// The value of the field, or ``placeholder`` if the field is secret. The URLs in Location, Content-Location, Referer,
    /// Link and Refresh are redacted as by ``url(_:)``.
    public func value(of field: HTTPField) -> String {
        if isSecret(field: field.name) { return Self.placeholder }
        var withheld: [ArraySlice<UInt8>] = []
        return reference(field.value, of: field.name.canonicalName, withheld: &withheld) ?? field.value
    }

    /// Whether the whole value of a field of that name is withheld.
    package func isSecret(field name: HTTPField.Name) -> Bool {
        // The name as it is written shows where a word begins, as in `X-AuthUser`.
        Self.fields.contains(name.canonicalName) || isSecret(name.rawName)
    }

    /// Whether the value of a parameter with that name is withheld.
    public func isSecret(_ name: some StringProtocol) -> Bool { isSecret(utf8: name.utf8) }

    // This compares bytes, here and below: a combining mark after a letter or a delimiter must not hide it.
    func isSecret(utf8 name: some Collection<UInt8>) -> Bool {
        let written = Array(name)
        let name = written.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return secrets.contains { secret in
            let mayGoOn = !Self.beginnings.contains(secret)
            let wanted = Array(secret.utf8)
            guard let first = wanted.first else { return !name.isEmpty }
            guard wanted.count <= name.count else { return false }
            for index in 0...(name.count - wanted.count) where name[index] == first {
                guard name[index...].starts(with: wanted) else { continue }
                let end = index + wanted.count
                if mayGoOn || end == written.count { return true }
                // A capital letter begins a new word, unless the whole name is in capital letters.
                let isUpper = (0x41...0x5A).contains(written[end]) && (0x41...0x5A).contains(written[end - 1])
                if !isUpper && !(0x61...0x7A).contains(written[end]) { return true }
            }
            return false
        }
    }

    /// The URL without userinfo, with the values of secret parameters withheld and control characters escaped.
    public func url(_ url: some StringProtocol) -> String {
        var withheld: [ArraySlice<UInt8>] = []
        return self.url(url, withheld: &withheld)
    }

    /// - Parameters:
    ///   - withheld: gets the values that the text withholds, as they are written.
    ///   - depth: how many values, each inside another one, contain the URL.
    func url(_ url: some StringProtocol, withheld: inout [ArraySlice<UInt8>], depth: Int = 0) -> String {
        let (slash, question, hash, at) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"))
        var text: [UInt8] = []
        var rest = Array(url.utf8)[...]
        // The userinfo stands between `//` and the last `@` of the authority. Without `//`, a text with a colon before
        // an `@` counts as userinfo.
        let start = Self.authorityStart(in: rest.prefix { $0 != question && $0 != hash })
        if let start {
            text += rest[..<start]
            rest = rest[start...]
        }
        let end = rest.firstIndex { [slash, question, hash, UInt8(ascii: "\\")].contains($0) } ?? rest.endIndex
        if let mark = rest[..<end].lastIndex(of: at),
            start != nil || rest[..<mark].contains(UInt8(ascii: ":"))
        {
            let password = rest[..<mark].drop { $0 != UInt8(ascii: ":") }.dropFirst()
            // Userinfo without a password is a token.
            withheld.append(password.isEmpty ? rest[..<mark].prefix { $0 != UInt8(ascii: ":") } : password)
            rest = rest[(mark + 1)...]
        }
        // Tokens occur in the query and in the fragment.
        while let mark = rest.firstIndex(where: { $0 == question || $0 == hash }) {
            let afterMark = mark + 1
            let end = rest[afterMark...].firstIndex(of: hash) ?? rest.endIndex
            text += rest[..<afterMark]
            text += parameters(rest[afterMark..<end], withheld: &withheld, depth: depth)
            rest = rest[end...]
        }
        return Self.printable(String(decoding: text + rest, as: UTF8.self))
    }

    /// `name=value&…` with the values of secret names withheld.
    func parameters(_ bytes: ArraySlice<UInt8>, withheld: inout [ArraySlice<UInt8>], depth: Int = 0) -> [UInt8] {
        var text: [UInt8] = []
        let pieces = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "&")) }
            let equals = piece.firstIndex(of: UInt8(ascii: "="))
            if let equals { text += piece[...equals] }
            let value = equals.map { piece[($0 + 1)...] } ?? piece
            if let equals, isSecret(utf8: Self.decoded(piece[..<equals])) {
                text += Self.placeholder.utf8
                withheld.append(value)
            } else {
                text += parameter(value, withheld: &withheld, depth: depth)
            }
        }
        return text
    }

    /// Redacts a text that is not a valid URL, where the end of the authority is not known. The text between a colon
    /// and the last `@` may be a password that contains a slash or a question mark.
    package func invalidURL(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        var start = Self.authorityStart(in: bytes) ?? bytes.startIndex
        // Behind one slash, the text may also be a password.
        if !bytes[..<start].suffix(2).allSatisfy({ $0 == 0x2F || $0 == 0x5C }) { start = bytes.startIndex }
        let rest = bytes[start...]
        guard let mark = rest.lastIndex(of: UInt8(ascii: "@")),
            let delimiter = rest[..<mark].firstIndex(where: { [0x2F, 0x3F, 0x23, 0x5C].contains($0) }),
            rest[..<delimiter].contains(UInt8(ascii: ":"))
        else { return url(text) }
        // A query may have begun before the `@`.
        let isQuery = rest[..<mark].contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let shown = url((isQuery ? "?" : "//") + String(decoding: rest[(mark + 1)...], as: UTF8.self))
        let before = Self.printable(String(decoding: bytes[..<start], as: UTF8.self))
        return before + Self.placeholder + "@" + shown.dropFirst(isQuery ? 1 : 2)
    }

    /// Where the authority begins; nil if the text has none. It follows a scheme and any slashes, or two slashes at the
    /// beginning. Browsers, and references of servers, also have more slashes and backslashes there. In another text it
    /// follows the first two slashes, unless the text begins with a user and a password.
    private static func authorityStart(in bytes: ArraySlice<UInt8>) -> Int? {
        func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
        func end(ofSlashes start: Int) -> Int { bytes[start...].drop(while: isSlash).startIndex }
        let scheme = bytes.prefix { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "+-.".utf8.contains(byte)
        }
        var start = bytes.startIndex
        if !scheme.isEmpty, scheme.endIndex < bytes.endIndex, bytes[scheme.endIndex] == UInt8(ascii: ":") {
            start = scheme.endIndex + 1
        }
        let first = end(ofSlashes: start)
        if first - start > (start == bytes.startIndex ? 1 : 0) { return first }
        let pair = bytes.indices.dropFirst().first {
            bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] == UInt8(ascii: "/")
        }
        let head = bytes.prefix { !isSlash($0) }
        if let mark = head.lastIndex(of: UInt8(ascii: "@")), head[..<mark].contains(UInt8(ascii: ":")) { return nil }
        return pair.map(end)
    }

    /// Writes control characters and line separators as `\u{…}`, so that no text can forge a line of a log or control a
    /// terminal.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The printable form of a name from outside the program, cut to 100 characters.
    package static func name(_ text: String) -> String {
        let most = 100
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(most)))
        return printable(start) + (start.utf8.count < text.utf8.count ? "…" : "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
